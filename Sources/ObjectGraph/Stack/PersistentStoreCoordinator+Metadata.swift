public import Foundation
public import StoreInterface

/// What stores say of themselves.
extension PersistentStoreCoordinator {
  /// What a store says of itself, by Core Data's keys (`StoreMetadataKey`) and those of programs. Of a store that keeps
  /// no metadata (`MetadataKeeping`), its type and UUID.
  public func metadata(for store: any PersistentStore) -> [String: Any] { Self.metadata(of: store) }

  static func metadata(of store: any PersistentStore) -> [String: Any] {
    if let store = store as? any MetadataKeeping { return store.metadataValues }
    return [StoreTypeKey: store.type.name, StoreUUIDKey: store.identifier]
  }

  /// Replaces what programs keep in a store's metadata; nil for nothing. It is written at once, where Core Data writes
  /// it with the next save; that save throws what goes wrong. Entries under Core Data's keys, and under those that
  /// begin with `Seedbed`, stay what they are.
  public func setMetadata(_ metadata: [String: Any]?, for store: any PersistentStore) {
    do {
      try router.require(store)
      guard let store = store as? any MetadataKeeping else {
        throw StoreError.unsupported("stores of type \(store.type.name) keep no metadata")
      }
      try store.replaceMetadata(with: metadata ?? [:])
    } catch {
      refuseNextSave(error)
    }
  }

  /// What a store says of itself, by Core Data's keys (`StoreMetadataKey`). The store need not be open and is not
  /// changed.
  /// - Throws: `StoreError.missing` when there is none, `.unsupported` for a type that keeps no metadata.
  public static func metadataForPersistentStore(
    type: some PersistentStoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try type.metadata(at: url)
  }

  /// `metadataForPersistentStore(type:at:options:)`
  public static func metadataForPersistentStore(
    ofType type: some PersistentStoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try type.metadata(at: url)
  }

  /// Replaces what programs keep in the metadata of a store that nothing has open; nil for nothing.
  /// - Throws: `StoreError.missing` when there is none, `.unsupported` for another type than SQLite, `.failure`
  ///   for a value that no property list has, and what writing throws.
  public static func setMetadata(
    _ metadata: [String: Any]?, type: some PersistentStoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try type.replaceMetadata(at: url, with: metadata ?? [:])
  }

  /// `setMetadata(_:type:at:options:)`
  public static func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType type: some PersistentStoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try type.replaceMetadata(at: url, with: metadata ?? [:])
  }
}
