public import Foundation
public import MemoryStore
public import ObjectModel
public import PropertyLists
public import StoreInterface

/// A file format of an `AtomicStore`: it turns the contents of a store into a file, and a file into contents.
///
/// A program's own format is a value with two functions; the store does everything else.
public protocol AtomicStoreFormat: Sendable {
  /// Core Data's name of the type in metadata (`NSStoreType`).
  var storeType: String { get }
  /// Whether a primary key stands for one object of the whole store, not of its entity's hierarchy.
  var givesKeysStoreWide: Bool { get }
  /// Whether a file begins as files of this format do. Files that do not are neither destroyed nor replaced.
  /// - Parameter start: the first 512 bytes, or all when there are fewer.
  func recognizes(_ start: Data) -> Bool
  /// Reads a whole file.
  /// - Throws: `StoreError.failure` with what is wrong and where, for a file that is damaged or no such store;
  ///   `StoreError.incompatibleModel` when the file's objects cannot be read because they are of another model.
  func read(_ file: Data, model: ManagedObjectModel) throws(StoreError) -> StoreContents
  /// What a whole file says of the store besides its objects, for which no model is needed, its UUID under
  /// `StoreMetadataKey.storeUUID`. Migrations find the model of a store by it.
  /// - Throws: `StoreError.failure` for a file that is damaged or no such store; `.unsupported` for formats that do
  ///   without.
  func metadata(of file: Data) throws(StoreError) -> [String: PropertyListValue]
  /// Makes a whole file. The same contents give the same bytes.
  /// - Throws: `StoreError.failure` for a value that the format has no way to write.
  func write(_ contents: StoreContents, model: ManagedObjectModel) throws(StoreError) -> Data
}

extension AtomicStoreFormat {
  /// Throws, for formats whose stores tell nothing of themselves without their model.
  /// - Throws: `StoreError.unsupported`.
  public func metadata(of file: Data) throws(StoreError) -> [String: PropertyListValue] {
    throw .unsupported("stores of type \(storeType) tell nothing of their model")
  }
}
