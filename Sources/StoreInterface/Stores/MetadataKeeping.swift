/// The capability of a store to keep metadata of programs beside its own.
public protocol MetadataKeeping: PersistentStore {
  /// Everything that the store says of itself, by Core Data's keys (`StoreMetadataKey`) and those of programs.
  var metadataValues: [String: any Sendable] { get }
  /// Replaces the entries of programs, and writes them. Entries under the keys of Core Data, and under those that
  /// begin with `Seedbed`, stay what they are.
  /// - Parameter values: texts, numbers, truth values, dates, bytes, and arrays and dictionaries of these.
  /// - Throws: `StoreError.failure` for another value, `.unsupported` for a read-only store, and what writing throws.
  func replaceMetadata(with values: [String: Any]) throws
}
