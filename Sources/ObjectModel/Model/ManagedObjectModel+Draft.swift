import Synchronization

extension ManagedObjectModel {
  /// A model without entities, which may be given some until it is first used: by a coordinator, a container or a
  /// store, or by asking for what it must be whole for, such as version hashes. That makes it final; a mistake in it
  /// then stops the program, as Core Data raises an exception.
  /// `init(entities:configurations:fetchRequestTemplates:versionIdentifier:)` throws it.
  public convenience init() { self.init(ModelDraft()) }

  /// A finished model of these entities, with the entities of each configuration.
  /// - Throws: `ModelError` with every mistake found.
  public convenience init(
    entities: [EntityDescription], configurations: [String: [EntityDescription]] = [:],
    fetchRequestTemplates: [FetchRequestTemplate] = [], versionIdentifier: String = ""
  ) throws(ModelError) {
    var draft = ModelDraft()
    draft.entities = entities
    draft.configurations = configurations
    draft.templates = Dictionary(fetchRequestTemplates.map { ($0.name, $0) }) { first, _ in first }
    draft.versionIdentifier = versionIdentifier
    for entity in draft.family { entity.requireFree(for: nil) }
    let contents = try draft.contents()
    self.init(contents)
    draft.attach(to: self, contents)
  }

  /// The same model, which may be changed until it is used: `model.copy() as! ManagedObjectModel`.
  public func copy() -> Any {
    ManagedObjectModel(open { ModelDraft(copying: $0) } ?? ModelDraft(copying: self))
  }

  /// Reads the draft of a model that code still puts together; nil for a finished one.
  package func open<Result>(_ read: (ModelDraft) -> Result) -> Result? {
    // Most are finished, and a lock would be taken for nothing.
    guard isOpen.load(ordering: .acquiring) else { return nil }
    return draft.withLock { draft in isOpen.load(ordering: .acquiring) ? read(draft) : nil }
  }

  /// Makes the model final, once.
  func finish() {
    draft.withLock { draft in
      guard isOpen.load(ordering: .acquiring) else { return }
      do {
        complete(draft, with: try draft.contents())
      } catch {
        preconditionFailure("a model that is to be used has mistakes: \(error)")
      }
      draft = ModelDraft()
    }
  }

  /// Changes what the model is put together from. A model in use stops the program.
  package func edit(_ change: (inout ModelDraft) -> Void) {
    draft.withLock { draft in
      precondition(
        isOpen.load(ordering: .acquiring),
        "a model that was read, or is in use, does not change; change a copy() of it")
      for entity in draft.family { entity.belong(to: nil) }
      change(&draft)
      for entity in draft.family { entity.belong(to: self) }
    }
  }

  /// The entities as descriptions, in the order of `definitions`; of a model that is put together, in the order given.
  package var entityDescriptions: [EntityDescription] {
    if let entities = open(\.entities) { return entities }
    return definitions.indices.map { entityDescription(at: $0) }
  }

  /// The description of an entity of the finished model.
  func entityDescription(at index: Int) -> EntityDescription {
    let count = definitions.count
    return described.withLock { list in
      if list.isEmpty { list = Array(repeating: WeakDescription(), count: count) }
      if let description = list[index].description { return description }
      let description = EntityDescription(Entity(model: self, index: index))
      list[index].description = description
      return description
    }
  }
}

/// Models are equal that say the same, whatever objects they are.
extension ManagedObjectModel: Hashable {
  /// Compares entities, configurations, templates and the version's identifier. It makes both final.
  public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
    left === right
      || left.declaredDefinitions == right.declaredDefinitions
        && left.entityNamesByConfiguration == right.entityNamesByConfiguration
        && left.fetchRequestTemplates == right.fetchRequestTemplates
        && left.versionIdentifier == right.versionIdentifier
  }

  /// Hashes the names of the entities.
  public func hash(into hasher: inout Hasher) { for definition in definitions { hasher.combine(definition.name) } }
}
