public import Seedbed

/// Stores of another type that fail at what a test says.
public struct FailingStoreType: PersistentStoreType {
  /// The type of the stores that do the work.
  public let base: any PersistentStoreType
  /// The failures of the stores.
  public let failures: StoreFailures

  /// Stores of a type; `.failing(_:_:)` reads better.
  public init(_ base: some PersistentStoreType, _ failures: StoreFailures) {
    self.base = base
    self.failures = failures
  }

  /// The name of the other type.
  public var name: String { base.name }

  /// Opens the store as its own type does.
  public func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    let store = try base.load(description, model: model)
    return store is any InMemoryFetching ? FailingMemoryStore(store, failures) : FailingStore(store, failures)
  }

  /// The metadata that the other type reads.
  public func metadata(at url: URL) throws -> [String: any Sendable] { try base.metadata(at: url) }
  /// Replaces the metadata as the other type does.
  public func replaceMetadata(at url: URL, with values: [String: Any]) throws {
    try base.replaceMetadata(at: url, with: values)
  }
  /// Destroys the store as the other type does.
  public func destroy(at url: URL) throws { try base.destroy(at: url) }
  /// Replaces the store as the other type does.
  public func replace(at url: URL, with source: URL) throws { try base.replace(at: url, with: source) }
}

extension PersistentStoreType where Self == FailingStoreType {
  /// Stores of another type that fail at what a test says.
  public static func failing(_ base: some PersistentStoreType, _ failures: StoreFailures) -> FailingStoreType {
    FailingStoreType(base, failures)
  }
}
