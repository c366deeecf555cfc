public import Foundation

extension Entity {
  /// The 32-byte version hash by which Core Data decides whether a store fits a model. Computed once per model.
  public var versionHash: Data { model.hashes.entities[index] }

  /// The hash with which a relationship enters the entity's; none without one of that name.
  func versionHash(ofRelationship name: String) -> Data {
    let entity = model.resolved.entities[index]
    return entity.relationshipIndex[name].map { HashRules.hash(of: entity.relationships[$0]) } ?? Data()
  }

  /// Why the version hash rests on a rule that no store or compiled model made by Apple's tools has confirmed;
  /// empty for hashes whose every rule is confirmed.
  public var unconfirmedHashReasons: [String] { model.hashes.unconfirmed[index] }

  /// Whether `unconfirmedHashReasons` has any.
  public var restsOnUnconfirmedHashRule: Bool { !unconfirmedHashReasons.isEmpty }
}

extension ManagedObjectModel {
  /// Entity name → version hash, as `NSStoreModelVersionHashes` has it.
  public var entityVersionHashesByName: [String: Data] {
    Dictionary(zip(definitions.map(\.name), hashes.entities), uniquingKeysWith: { first, _ in first })
  }
  /// `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 over names and hashes.
  public var versionHashesDigest: String { hashes.digest }
  /// `NSStoreModelVersionChecksumKey`: base64 of the SHA-256 over the hashes in name order.
  public var versionChecksum: String { hashes.checksum }
}
