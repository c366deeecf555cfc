package import Foundation

/// The capability of a store to keep what programs have put into the metadata of the store that it takes the place of.
package protocol MetadataInheriting: PersistentStore {
  /// Takes the entries of another store of the same type under keys that are not Core Data's own, and writes them.
  /// - Throws: what reading the other store throws, and what `save` throws.
  func inheritMetadata(ofStoreAt url: URL) throws
}
