public import Foundation

/// A validated, immutable set of entities with their relationships resolved and their version hashes computed.
public final class ManagedObjectModel: Sendable {
  /// Every entity, sorted by name by code point. `Entity.index` is the position here.
  public let descriptions: [EntityDescription]
  /// Configuration name → names of its entities. The default configuration, all entities, is not listed.
  public let configurations: [String: [String]]
  /// Template name → template.
  public let fetchRequestTemplates: [String: FetchRequestTemplate]
  /// The model's `userDefinedModelVersionIdentifier`, empty when there is none.
  public let versionIdentifier: String
  /// What is amiss with a model of a kind that may be, each mistake in the order in which it was found. Parts of the
  /// model that cannot hold are left out of `descriptions`; version hashes are those of the model as it was declared.
  public let warnings: [ModelError.Problem]
  let resolved: ResolvedModel
  let hashes: ModelHashes
  /// The entities as they were declared, when warnings changed them.
  private let declared: [EntityDescription]?
  /// The hashes that were given for entities whose own rest on unconfirmed rules.
  private let storedHashes: [String: Data]
  let idSpaces = ObjectIDSpaces()

  /// Validates the descriptions and resolves parents, destinations and inverses.
  ///
  /// `storedHashes` are version hashes that Apple's tools computed for this model, by entity name: an entity whose hash
  /// would rest on an unconfirmed rule takes its hash from there; others keep their computed ones.
  /// `validation` says which mistakes the model may have; they become `warnings`.
  /// - Throws: `ModelError` with every mistake found.
  public init(
    entities: [EntityDescription], configurations: [String: [String]] = [:],
    fetchRequestTemplates: [FetchRequestTemplate] = [], versionIdentifier: String = "",
    storedHashes: [String: Data] = [:], validation: ModelValidation = .strict
  ) throws(ModelError) {
    let sorted = entities.sortedByCodePoint(\.name)
    var validator = ModelValidator(sorted, validation)
    validator.validate(configurations: configurations, templates: fetchRequestTemplates)
    guard validator.problems.isEmpty else { throw ModelError(validator.problems) }
    let repaired = validator.repairedEntities()
    declared = repaired == sorted ? nil : sorted
    resolved = ResolvedModel(repaired, parent: validator.parent, indexByName: validator.indexByName)
    self.storedHashes = storedHashes
    hashes = Self.hashes(repaired, resolved, declared: declared, stored: storedHashes)
    descriptions = repaired
    warnings = validator.warnings
    self.configurations = validator.repaired(configurations)
    self.fetchRequestTemplates = Dictionary(
      validator.repaired(fetchRequestTemplates).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.versionIdentifier = versionIdentifier
  }

  /// A model without entities.
  package static var empty: ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: [])
    } catch {
      preconditionFailure("nothing is wrong with no entities: \(error)")
    }
  }

  /// The same model, with the hashes that Apple's tools computed for it.
  package init(_ model: ManagedObjectModel, storedHashes: [String: Data] = [:]) {
    descriptions = model.descriptions
    configurations = model.configurations
    fetchRequestTemplates = model.fetchRequestTemplates
    versionIdentifier = model.versionIdentifier
    resolved = model.resolved
    warnings = model.warnings
    declared = model.declared
    // Hashes that came with the model itself are sure, and not replaced.
    self.storedHashes = storedHashes.merging(model.storedHashes) { _, own in own }
    hashes = Self.hashes(model.descriptions, model.resolved, declared: model.declared, stored: self.storedHashes)
  }

  private static func hashes(
    _ descriptions: [EntityDescription], _ resolved: ResolvedModel, declared: [EntityDescription]?,
    stored: [String: Data]
  ) -> ModelHashes {
    guard let declared else { return ModelHashes(descriptions, resolved, stored: stored) }
    let parents = resolved.entities.map(\.parent)
    let whole = ResolvedModel(declared, parent: parents, indexByName: resolved.indexByName)
    return ModelHashes(declared, whole, stored: stored)
  }

  /// The same model, in which entities whose version hash rests on an unconfirmed rule take it from a store or a
  /// compiled model that Apple's tools made for this model. Other entities keep their computed hashes, and those that
  /// have taken one already keep that.
  public func takingUnconfirmedHashes(from storedHashes: [String: Data]) -> ManagedObjectModel {
    ManagedObjectModel(self, storedHashes: storedHashes)
  }

  /// The same for a store that may have been made with another version of the model: entities that the model in the
  /// store declares otherwise keep their computed hashes.
  /// - Parameter carried: the model that the store carries itself; nil where it has none, and all take the store's
  ///   hashes.
  package func takingUnconfirmedHashes(
    from storedHashes: [String: Data], carrying carried: ManagedObjectModel?
  ) -> ManagedObjectModel {
    guard entities.contains(where: \.restsOnUnconfirmedHashRule) else { return self }
    guard let carried else { return takingUnconfirmedHashes(from: storedHashes) }
    let (own, theirs) = (ruledVersionHashes, carried.ruledVersionHashes)
    return takingUnconfirmedHashes(from: storedHashes.filter { name, _ in own[name] == theirs[name] })
  }

  /// The version hashes by the rules alone, also where these are not confirmed, by the entities' names.
  package var ruledVersionHashes: [String: Data] {
    let hashes = Self.hashes(descriptions, resolved, declared: declared, stored: [:]).entities
    return Dictionary(zip(descriptions.map(\.name), hashes), uniquingKeysWith: { first, _ in first })
  }

  /// The entities as they were declared, sorted by name: with the parts that `warnings` say were left out of
  /// `descriptions`. They are what version hashes come from, and what a model file has.
  public var declaredDescriptions: [EntityDescription] { declared ?? descriptions }

  /// All entities in the order of `descriptions`.
  public var entities: [Entity] { descriptions.indices.map { Entity(model: self, index: $0) } }

  /// All entities by their names.
  public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of that name, nil when the model has none. O(1).
  public subscript(entityName: String) -> Entity? {
    resolved.indexByName[entityName].map { Entity(model: self, index: $0) }
  }

  /// The entities of a configuration, sorted by name; all of them for nil, nil for an unknown configuration.
  public func entities(inConfiguration name: String?) -> [Entity]? {
    guard let name else { return entities }
    guard let members = configurations[name] else { return nil }
    return Set(members).sortedByCodePoint { $0 }.compactMap { self[$0] }
  }
}
