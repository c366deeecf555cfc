public import Foundation
public import ObjectModel

/// A kind of store: SQLite, in memory, or one of your own.
///
/// The module of a store declares its type and a static member, so that `PersistentStoreDescription(type: .sqlite)`
/// reads as in Core Data once the module is imported. No registry is involved: only types that a program names are
/// used.
public protocol PersistentStoreType: Sendable {
  /// Core Data's name of the type in metadata (`NSStoreType`): `SQLite`, `InMemory`, `Binary`, `XML`.
  var name: String { get }
  /// Opens the store that the description says, or makes it when it is not there.
  /// - Throws: `StoreError.incompatibleModel` when the store was made for another model, and whatever else keeps it
  ///   from being opened.
  func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore
  /// The metadata of the store at a place, by Core Data's keys; see `StoreMetadataKey`. The store is not changed.
  /// - Throws: `StoreError.missing` when there is none, `.unsupported` for a type that keeps none.
  func metadata(at url: URL) throws -> [String: any Sendable]
  /// Replaces what programs keep in the metadata of the store at a place, which nothing has open.
  /// - Throws: `StoreError.missing` when there is none, `.unsupported` for a type that needs the model for it, and what
  ///   `MetadataKeeping.replaceMetadata(with:)` throws.
  func replaceMetadata(at url: URL, with values: [String: Any]) throws
  /// Removes the store with everything that belongs to it. One that is not there is no error.
  /// - Throws: `StoreError.busy` when it is in use.
  func destroy(at url: URL) throws
  /// Puts a copy of the store at `source` in the place of the one at `url`, or makes it there.
  /// - Throws: `StoreError.missing` when there is no source, `.busy` when the destination is in use.
  func replace(at url: URL, with source: URL) throws
}

extension PersistentStoreType {
  /// Throws, for types that keep no metadata.
  /// - Throws: `StoreError.unsupported`.
  public func metadata(at url: URL) throws -> [String: any Sendable] {
    throw StoreError.unsupported("stores of type \(name) tell nothing of their model")
  }

  /// Throws, for types that keep no metadata, and those that write their file with the model.
  /// - Throws: `StoreError.unsupported`.
  public func replaceMetadata(at url: URL, with values: [String: Any]) throws {
    throw StoreError.unsupported("metadata of stores of type \(name) can be replaced in an open store only, if at all")
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `StoreMetadataKey.storeType`.
public let StoreTypeKey = StoreMetadataKey.storeType
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `StoreMetadataKey.storeUUID`, also in the `userInfo` of a remote change.
public let StoreUUIDKey = StoreMetadataKey.storeUUID
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `StoreMetadataKey.modelVersionHashes`.
public let StoreModelVersionHashesKey = StoreMetadataKey.modelVersionHashes
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `StoreMetadataKey.modelVersionIdentifiers`.
public let StoreModelVersionIdentifiersKey = StoreMetadataKey.modelVersionIdentifiers

/// The keys of a store's metadata that programs ask for.
public enum StoreMetadataKey {
  /// The version hash of each entity by its name, as `[String: Data]`.
  public static let modelVersionHashes = "NSStoreModelVersionHashes"
  /// The version identifiers of the model, as an array of texts.
  public static let modelVersionIdentifiers = "NSStoreModelVersionIdentifiers"
  /// The type of the store.
  public static let storeType = "NSStoreType"
  /// The store's UUID.
  public static let storeUUID = "NSStoreUUID"
}
