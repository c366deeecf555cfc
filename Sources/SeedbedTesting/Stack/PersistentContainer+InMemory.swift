public import Seedbed

extension PersistentContainer {
  /// A container with one empty store in memory, loaded: a whole stack for a test. Each has a store of its own.
  /// - Parameters:
  ///   - classes: subclasses of `ManagedObject` by `managedObjectClassName` or entity name.
  ///   - tracksHistory: whether the store keeps persistent history and posts remote changes.
  ///   - failures: the failures of the store, which works until one is set there.
  /// - Throws: `ModelError` when a regular expression or a rule of the model is invalid.
  public static func inMemory(
    _ model: ManagedObjectModel, name: String = "Testing", classes: [String: ManagedObject.Type] = [:],
    tracksHistory: Bool = false, failures: StoreFailures? = nil
  ) throws -> PersistentContainer {
    var description = PersistentStoreDescription(type: .inMemory)
    if let failures { description = PersistentStoreDescription(type: .failing(.inMemory, failures)) }
    description.tracksHistory = tracksHistory
    description.postsRemoteChanges = tracksHistory
    let container = PersistentContainer(
      name: name, managedObjectModel: model, persistentStoreDescriptions: [description], classes: classes)
    try container.loadPersistentStores()
    return container
  }

  /// As `inMemory(_:)`, for the model at a URL (`.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`).
  /// - Throws: `ModelError` when there is no such model or it has mistakes.
  public static func inMemory(
    modelURL: URL, classes: [String: ManagedObject.Type] = [:], tracksHistory: Bool = false,
    failures: StoreFailures? = nil
  ) throws -> PersistentContainer {
    try inMemory(
      ModelReader.read(path: modelURL.path), name: modelURL.deletingPathExtension().lastPathComponent,
      classes: classes, tracksHistory: tracksHistory, failures: failures)
  }
}
