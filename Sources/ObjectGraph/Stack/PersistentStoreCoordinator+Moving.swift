public import Foundation
public import StoreInterface

extension PersistentStoreCoordinator {
  /// Copies a store to another place, and goes on there: the store is taken away, and the copy added for the same
  /// configuration. The old file stays as it was. Objects of contexts are those of the copy; a fetch or a save that comes
  /// in between finds no store.
  /// - Returns: the store at the new place.
  /// - Throws: `StoreError.unsupported` for a store without a file and for another type than its own, `.cannotCreate`
  ///   when there is a file at the new place, and what copying and opening the copy throw; the store is back then.
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: some PersistentStoreType
  ) throws -> any PersistentStore {
    let entry = try router.entry(of: store)
    guard let source = self.url(for: store), type.name == store.type.name else {
      throw StoreError.unsupported(
        "\(entry.name) is of type \(store.type.name); only stores with files move, and keep their type")
    }
    // Also where the store is itself.
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw StoreError.cannotCreate(path: url.path, message: "the file exists already")
    }
    func description(at url: URL) -> PersistentStoreDescription {
      let description = PersistentStoreDescription(type: type, url: url, configuration: entry.configuration)
      description.postsRemoteChanges = entry.observation != nil
      return description
    }
    let copy = description(at: url)
    copy.setOptions(options)
    var isCopied = false
    do {
      // Before the copy is made, so that no save goes to the old file after it.
      try remove(store)
      try type.replace(at: url, with: source)
      isCopied = true
      return try addPersistentStore(with: copy)
    } catch {
      if isCopied { try? type.destroy(at: url) }
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
