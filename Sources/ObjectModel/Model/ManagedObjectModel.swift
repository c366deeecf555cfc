public import Foundation
import Synchronization

/// A validated set of entities with their relationships resolved and their version hashes computed.
///
/// It does not change, but for one that `init()` makes: code puts that together out of descriptions, as Core Data's
/// code does, and its first use validates it and makes it final (`ManagedObjectModel+Draft.swift`).
public final class ManagedObjectModel: @unchecked Sendable {
  /// What a finished model has.
  struct Contents {
    var definitions: [EntityDefinition]
    var configurations: [String: [String]]
    var fetchRequestTemplates: [String: FetchRequestTemplate]
    var versionIdentifier: String
    var warnings: [ModelError.Problem]
    var resolved: ResolvedModel
    var hashes: ModelHashes
    /// The entities as they were declared, when warnings changed them.
    var declared: [EntityDefinition]?
    /// The hashes that were given for entities whose own rest on unconfirmed rules.
    var storedHashes: [String: Data]

    init(
      entities: [EntityDefinition], configurations: [String: [String]], fetchRequestTemplates: [FetchRequestTemplate],
      versionIdentifier: String, storedHashes: [String: Data], validation: ModelValidation
    ) throws(ModelError) {
      let sorted = entities.sortedByCodePoint(\.name)
      var validator = ModelValidator(sorted, validation)
      validator.validate(configurations: configurations, templates: fetchRequestTemplates)
      guard validator.problems.isEmpty else { throw ModelError(validator.problems) }
      let repaired = validator.repairedEntities()
      declared = repaired == sorted ? nil : sorted
      resolved = ResolvedModel(repaired, parent: validator.parent, indexByName: validator.indexByName)
      self.storedHashes = storedHashes
      hashes = ManagedObjectModel.hashes(repaired, resolved, declared: declared, stored: storedHashes)
      definitions = repaired
      warnings = validator.warnings
      self.configurations = validator.repaired(configurations)
      self.fetchRequestTemplates = Dictionary(
        validator.repaired(fetchRequestTemplates).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      self.versionIdentifier = versionIdentifier
    }
  }

  /// The contents, unless code puts the model together. They are constant, so that reading a part of them copies
  /// nothing: the engine asks entities all the time.
  private let fixed: Contents
  /// Whether code puts the model together, or did.
  private let isBuilt: Bool
  // Safety: written once, by `finish`, under a lock and before `isOpen` becomes false; all reads have seen it false.
  @exclusivity(unchecked) private var built: Contents?
  /// Whether code still puts the model together.
  let isOpen: Atomic<Bool>
  /// What it is put together from; nothing in a finished model.
  let draft: Mutex<ModelDraft>
  /// The descriptions of its entities that are in use, by position.
  let described = Mutex<[WeakDescription]>([])
  let idSpaces = ObjectIDSpaces()
  private let source = Mutex<URL?>(nil)

  /// Where the model was read from by `init(contentsOf:)`; its other versions lie there, too.
  package var sourceURL: URL? {
    get { source.withLock { $0 } }
    set { source.withLock { $0 = newValue } }
  }

  var contents: Contents {
    _read {
      if isBuilt { yield builtContents } else { yield fixed }
    }
  }

  /// The contents of a model that code puts together. To read them makes it final.
  private var builtContents: Contents {
    if isOpen.load(ordering: .acquiring) { finish() }
    guard let built = unsafe built else { preconditionFailure("a finished model has contents") }
    return built
  }

  /// Every entity, sorted by name by code point. `Entity.index` is the position here.
  public var definitions: [EntityDefinition] {
    _read {
      if isBuilt { yield builtContents.definitions } else { yield fixed.definitions }
    }
  }
  /// The names of the configurations, sorted by code point. The default configuration, all entities, is not listed.
  public var configurations: [String] { entityNamesByConfiguration.keys.sorted { $0.precedesByCodePoint($1) } }
  /// Configuration name → names of its entities.
  public var entityNamesByConfiguration: [String: [String]] { open(\.configurationNames) ?? contents.configurations }
  /// Template name → template.
  public var fetchRequestTemplates: [String: FetchRequestTemplate] { contents.fetchRequestTemplates }
  /// The model's `userDefinedModelVersionIdentifier`, empty when there is none.
  public var versionIdentifier: String { contents.versionIdentifier }
  /// The mistakes that `ModelValidation` let the model have, in the order in which they were found. Parts of the model
  /// that cannot hold are left out of `definitions`; version hashes are those of the model as it was declared.
  public var warnings: [ModelError.Problem] { contents.warnings }
  var resolved: ResolvedModel {
    _read {
      if isBuilt { yield builtContents.resolved } else { yield fixed.resolved }
    }
  }
  var hashes: ModelHashes { contents.hashes }

  /// Validates the definitions and resolves parents, destinations and inverses.
  ///
  /// `storedHashes` are version hashes that Apple's tools computed for this model, by entity name: an entity whose hash
  /// would rest on an unconfirmed rule takes its hash from there; others keep their computed ones.
  /// `validation` says which mistakes the model may have; they become `warnings`.
  /// - Throws: `ModelError` with every mistake found.
  public convenience init(
    entities: [EntityDefinition], configurations: [String: [String]] = [:],
    fetchRequestTemplates: [FetchRequestTemplate] = [], versionIdentifier: String = "",
    storedHashes: [String: Data] = [:], validation: ModelValidation = .strict
  ) throws(ModelError) {
    self.init(
      try Contents(
        entities: entities, configurations: configurations, fetchRequestTemplates: fetchRequestTemplates,
        versionIdentifier: versionIdentifier, storedHashes: storedHashes, validation: validation))
  }

  init(_ contents: Contents) {
    fixed = contents
    isBuilt = false
    isOpen = Atomic(false)
    draft = Mutex(ModelDraft())
  }

  /// A model that code puts together.
  init(_ draft: ModelDraft) {
    fixed = ManagedObjectModel.empty.fixed
    isBuilt = true
    isOpen = Atomic(true)
    self.draft = Mutex(draft)
  }

  /// Makes what the draft says final. Called under the lock of the draft; the draft's descriptions are attached before
  /// anything else sees the model finished.
  func complete(_ draft: ModelDraft, with contents: Contents) {
    unsafe built = contents
    draft.attach(to: self, contents)
    isOpen.store(false, ordering: .releasing)
  }

  /// A model without entities.
  package static var empty: ManagedObjectModel {
    do {
      return try ManagedObjectModel(entities: [] as [EntityDefinition])
    } catch {
      preconditionFailure("nothing is wrong with no entities: \(error)")
    }
  }

  /// The same model, with the hashes that Apple's tools computed for it.
  package convenience init(_ model: ManagedObjectModel, storedHashes: [String: Data] = [:]) {
    var contents = model.contents
    // Hashes that came with the model itself are sure, and not replaced.
    contents.storedHashes.merge(storedHashes) { own, _ in own }
    contents.hashes = Self.hashes(
      contents.definitions, contents.resolved, declared: contents.declared, stored: contents.storedHashes)
    self.init(contents)
  }

  fileprivate static func hashes(
    _ definitions: [EntityDefinition], _ resolved: ResolvedModel, declared: [EntityDefinition]?,
    stored: [String: Data]
  ) -> ModelHashes {
    guard let declared else { return ModelHashes(definitions, resolved, stored: stored) }
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
    let hashes = Self.hashes(definitions, resolved, declared: contents.declared, stored: [:]).entities
    return Dictionary(zip(definitions.map(\.name), hashes), uniquingKeysWith: { first, _ in first })
  }

  /// The entities as they were declared, sorted by name: with the parts that `warnings` say were left out of
  /// `definitions`. They are what version hashes come from, and what a model file has.
  public var declaredDefinitions: [EntityDefinition] { contents.declared ?? contents.definitions }

  /// All entities in the order of `definitions`.
  @_disfavoredOverload public var entities: [Entity] { handles }
  /// `entities`, under a name that has no overload.
  package var handles: [Entity] { definitions.indices.map { Entity(model: self, index: $0) } }

  /// All entities by their names.
  @_disfavoredOverload public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of that name, nil when the model has none. O(1).
  public subscript(entityName: String) -> Entity? {
    resolved.indexByName[entityName].map { Entity(model: self, index: $0) }
  }

  /// Core Data's name of the configuration that has all entities.
  package static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The entities of a configuration, sorted by name; all of them for nil and for Core Data's name of them, nil for an
  /// unknown configuration.
  @_disfavoredOverload public func entities(inConfiguration name: String?) -> [Entity]? {
    guard let name, name != Self.defaultConfigurationName else { return entities }
    guard let members = entityNamesByConfiguration[name] else { return nil }
    return Set(members).sortedByCodePoint { $0 }.compactMap { self[$0] }
  }
}
