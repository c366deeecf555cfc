public import Foundation

extension Entity {
  /// The 32-byte version hash by which Core Data decides whether a store fits a model.
  public var versionHash: Data { Data() }
}

extension ManagedObjectModel {
  /// Entity name → version hash, as `NSStoreModelVersionHashes` has it.
  public var entityVersionHashesByName: [String: Data] { [:] }
  /// `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 over names and hashes.
  public var versionHashesDigest: String { "" }
  /// `NSStoreModelVersionChecksumKey`: base64 of the SHA-256 over the hashes in name order.
  public var versionChecksum: String { "" }
}
