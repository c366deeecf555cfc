public import Foundation
public import ObjectModel

/// A kind of store: SQLite, in memory, or one of your own.
///
/// The module of a store declares its type and a static member, so that `PersistentStoreDescription(type: .sqlite)`
/// reads as in Core Data once the module is imported. No registry is involved: only types that a program names are used.
public protocol PersistentStoreType: Sendable {
  /// What Core Data calls it in metadata (`NSStoreType`): `SQLite`, `InMemory`, `Binary`, `XML`.
  var name: String { get }
  /// Opens the store that the description says, or makes it when it is not there.
  /// - Throws: `StoreError.incompatibleModel` when the store was made for another model, and whatever else keeps it
  ///   from being opened.
  func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore
  /// Removes the store with everything that belongs to it. One that is not there is no error.
  /// - Throws: `StoreError.busy` when it is in use.
  func destroy(at url: URL) throws
  /// Puts a copy of the store at `source` in the place of the one at `url`, or makes it there.
  /// - Throws: `StoreError.missing` when there is no source, `.busy` when the destination is in use.
  func replace(at url: URL, with source: URL) throws
}
