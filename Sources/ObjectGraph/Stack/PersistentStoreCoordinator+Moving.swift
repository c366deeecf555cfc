public import Foundation
public import StoreInterface

extension PersistentStoreCoordinator {
  /// Copies a store to another place, and goes on there: the store is taken away and the copy added for the same
  /// configuration. The old file stays, as the new one has been told nothing of it. Objects of contexts are those of
  /// the copy.
  /// - Returns: the store at the new place.
  /// - Throws: `StoreError.unsupported` for a store without a file and for another type than its own, `.busy` when
  ///   something uses the file at the new place, and what opening the copy throws; the store is back then.
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: some PersistentStoreType
  ) throws -> any PersistentStore {
    let entry = try router.entry(of: store)
    guard let source = self.url(for: store), type.name == store.type.name else {
      throw StoreError.unsupported(
        "\(entry.name) is of type \(store.type.name); only stores with files move, and keep their type")
    }
    guard source.standardizedFileURL != url.standardizedFileURL else {
      throw StoreError.failure("\(url.path) is where the store is already")
    }
    func description(at url: URL) -> PersistentStoreDescription {
      let description = PersistentStoreDescription(type: type, url: url, configuration: entry.configuration)
      description.postsRemoteChanges = entry.observation != nil
      return description
    }
    let copy = description(at: url)
    copy.setOptions(options)
    try type.replace(at: url, with: source)
    try remove(store)
    do {
      return try addPersistentStore(with: copy)
    } catch {
      let original = description(at: source)
      original.isReadOnly = entry.isReadOnly
      _ = try addPersistentStore(with: original)
      throw error
    }
  }

  /// `migratePersistentStore(_:to:options:type:)`
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    withType type: some PersistentStoreType
  ) throws -> any PersistentStore {
    try migratePersistentStore(store, to: url, options: options, type: type)
  }
}
