package import Foundation

/// The capability of a store to take over metadata of programs from the store that it replaces.
package protocol MetadataInheriting: PersistentStore {
  /// Takes the entries of another store of the same type under keys that are not Core Data's own, and writes them.
  /// - Throws: what reading the other store throws, and what `save` throws.
  func inheritMetadata(ofStoreAt url: URL) throws
}
