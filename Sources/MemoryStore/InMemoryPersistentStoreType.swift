public import Foundation
public import ObjectModel
public import StoreInterface

/// Stores without a file. Each description makes a new, empty one.
public struct InMemoryPersistentStoreType: PersistentStoreType {
  /// The name of the type in Core Data's metadata.
  public var name: String { "InMemory" }
  /// The type; `.inMemory` reads better.
  public init() {}
  /// A new, empty store.
  public func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    InMemoryStore(model: model, tracksHistory: description.tracksHistory)
  }
  /// Nothing is there to be removed.
  public func destroy(at url: URL) throws {}
  /// - Throws: `StoreError.unsupported`: such stores have no place.
  public func replace(at url: URL, with source: URL) throws {
    throw StoreError.unsupported("a store in memory has no file that could be replaced")
  }
}

extension PersistentStoreType where Self == InMemoryPersistentStoreType {
  /// Stores without a file.
  public static var inMemory: InMemoryPersistentStoreType { InMemoryPersistentStoreType() }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `.inMemory`.
public let InMemoryStoreType = InMemoryPersistentStoreType()
