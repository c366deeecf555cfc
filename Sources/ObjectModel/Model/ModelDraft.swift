import Foundation
import Synchronization

/// A model that code puts together out of descriptions.
package struct ModelDraft: Sendable {
  /// Its entities; what inherits from them belongs to it as well.
  package var entities: [EntityDescription] = []
  /// The entities of each configuration.
  package var configurations: [String: [EntityDescription]] = [:]
  /// Its templates by their names.
  package var templates: [String: FetchRequestTemplate] = [:]
  /// What the author calls the version.
  package var versionIdentifier = ""
  /// The model that it was copied from.
  private var source: ManagedObjectModel?

  /// A model without entities.
  package init() {}

  /// The same model as another, to be changed.
  init(copying model: ManagedObjectModel) {
    self.init(
      model.declaredDefinitions, configurations: model.entityNamesByConfiguration,
      templates: model.fetchRequestTemplates,
      versionIdentifier: model.versionIdentifier)
    source = model
  }

  /// The same model as a draft, with descriptions of its own.
  init(copying draft: ModelDraft) {
    self.init(
      draft.family.map(\.definition), configurations: draft.configurationNames, templates: draft.templates,
      versionIdentifier: draft.versionIdentifier)
    source = draft.source
  }

  private init(
    _ definitions: [EntityDefinition], configurations: [String: [String]], templates: [String: FetchRequestTemplate],
    versionIdentifier: String
  ) {
    self.templates = templates
    self.versionIdentifier = versionIdentifier
    entities = definitions.map { EntityDescription(copying: $0) }
    let byName = Dictionary(zip(definitions.map(\.name), entities), uniquingKeysWith: { first, _ in first })
    for (entity, definition) in zip(entities, definitions) {
      if let parent = definition.superentityName.flatMap({ byName[$0] }) { parent.subentities.append(entity) }
    }
    for entity in entities { entity.link(byName) }
    self.configurations = configurations.mapValues { $0.compactMap { byName[$0] } }
  }

  /// `entities` and what inherits from them, each once.
  var family: [EntityDescription] {
    var seen: Set<ObjectIdentifier> = []
    return entities.flatMap(\.family).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The names of the entities of each configuration.
  var configurationNames: [String: [String]] { configurations.mapValues { $0.map(\.name) } }

  /// The contents of the finished model. A copy may have the mistakes that its source has, and no others.
  /// - Throws: `ModelError` with every mistake found.
  func contents() throws(ModelError) -> ManagedObjectModel.Contents {
    let contents = try contents(storedHashes: [:])
    guard let source else { return contents }
    let known = Set(source.warnings)
    let mistakes = contents.warnings.filter { !known.contains($0) }
    guard mistakes.isEmpty else { throw ModelError(mistakes) }
    // Hashes that Apple's tools computed hold for entities of which nothing that is hashed was changed.
    let (stored, ruled) = (source.contents.storedHashes, source.ruledVersionHashes)
    let hashes = Dictionary(
      zip(contents.definitions.map(\.name), contents.hashes.entities), uniquingKeysWith: { first, _ in first })
    let kept = stored.filter { name, _ in hashes[name] == ruled[name] }
    return kept.isEmpty ? contents : try self.contents(storedHashes: kept)
  }

  private func contents(storedHashes: [String: Data]) throws(ModelError) -> ManagedObjectModel.Contents {
    try ManagedObjectModel.Contents(
      entities: family.map(\.definition), configurations: configurationNames,
      fetchRequestTemplates: templates.values.sortedByCodePoint(\.name), versionIdentifier: versionIdentifier,
      storedHashes: storedHashes, validation: source == nil ? .strict : .compiled)
  }

  /// Makes its descriptions those of the model that has these contents.
  func attach(to model: ManagedObjectModel, _ contents: ManagedObjectModel.Contents) {
    var list = [WeakDescription](repeating: WeakDescription(), count: contents.definitions.count)
    let positions = family.map { ($0, contents.resolved.indexByName[$0.name]) }
    for case (let entity, let index?) in positions {
      entity.attach(to: Entity(model: model, index: index), contents.definitions[index])
      list[index].description = entity
    }
    model.described.withLock { $0 = list }
  }
}

/// A description that lives as long as a program uses it.
struct WeakDescription {
  weak var description: EntityDescription?
}
