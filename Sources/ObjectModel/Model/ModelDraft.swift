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
  package var versionIdentifiers: Set<String> = []
  /// The model that it was copied from.
  private var source: ManagedObjectModel?

  /// A model without entities.
  package init() {}

  /// The same model as another, to be changed.
  init(copying model: ManagedObjectModel) {
    source = model
    templates = model.fetchRequestTemplates
    versionIdentifiers = model.versionIdentifier.isEmpty ? [] : [model.versionIdentifier]
    let definitions = model.declaredDefinitions
    entities = definitions.map { EntityDescription(copying: $0) }
    let byName = Dictionary(zip(definitions.map(\.name), entities), uniquingKeysWith: { first, _ in first })
    for (entity, definition) in zip(entities, definitions) {
      guard let parent = definition.superentityName.flatMap({ byName[$0] }) else { continue }
      parent.subentities.append(entity)
    }
    for relationship in entities.flatMap(\.relationshipsByName.values) { relationship.link(byName) }
    configurations = model.configurations.mapValues { $0.compactMap { byName[$0] } }
  }

  /// What `entities` says, with what inherits from these.
  var family: [EntityDescription] {
    var seen: Set<ObjectIdentifier> = []
    return entities.flatMap(\.family).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// What it says, validated as the source of a model is; a copy of a model may have the mistakes that this one has.
  /// - Throws: `ModelError` with every mistake found.
  func contents() throws(ModelError) -> ManagedObjectModel.Contents {
    let definitions = family.map(\.definition).sortedByCodePoint(\.name)
    // Hashes that Apple's tools computed hold for what they were computed of.
    let isUnchanged = source?.declaredDefinitions == definitions
    return try ManagedObjectModel.Contents(
      entities: definitions, configurations: configurations.mapValues { $0.map(\.definition.name) },
      fetchRequestTemplates: templates.values.sortedByCodePoint(\.name),
      versionIdentifier: versionIdentifiers.sorted().joined(separator: ","),
      storedHashes: isUnchanged ? source?.contents.storedHashes ?? [:] : [:],
      validation: source == nil ? .source : .compiled)
  }

  /// Makes its descriptions those of the finished model.
  func attach(to model: ManagedObjectModel) {
    let entities = family
    let handles = entities.map { model[$0.definition.name] }
    model.described.withLock { list in
      list = Array(repeating: WeakDescription(), count: model.definitions.count)
      for (entity, handle) in zip(entities, handles) {
        guard let handle else { continue }
        entity.attach(to: handle)
        list[handle.index].description = entity
      }
    }
  }
}

/// A description that lives as long as a program uses it.
struct WeakDescription {
  weak var description: EntityDescription?
}
