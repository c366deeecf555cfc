public import Foundation
public import ObjectModel
public import PropertyLists
public import StoreInterface

/// Everything that a store holds, as one value: the contents of a file that is read and written as a whole.
public struct StoreContents: Sendable {
  /// The store's UUID, which is part of every object's id.
  public var identifier: UUID
  /// All objects. Ids are permanent and carry the identifier, upper case. Exported ones come in the order of the
  /// model's root entities, then by primary key.
  public var snapshots: [Snapshot]
  /// The members of every to-many relationship that has any, in order where it is ordered.
  ///
  /// Both sides of many-to-many relationships are needed, relationships without inverse, and the order of ordered ones.
  /// When a to-one inverse has the members, a list may be left out; a given list must name the same objects.
  public var toMany: [SaveRequest.ToManyChange]
  /// Name of a root entity → the key that its next object gets, from 1. Keys below were given out, also when no object
  /// has them any more, and are not given out again.
  public var nextPrimaryKeys: [String: Int64]
  /// Metadata under Core Data's names, such as `NSStoreModelVersionHashes`, and under any others.
  public var metadata: [String: PropertyListValue]

  /// Contents; everything but the identifier may be empty.
  public init(
    identifier: UUID, snapshots: [Snapshot] = [], toMany: [SaveRequest.ToManyChange] = [],
    nextPrimaryKeys: [String: Int64] = [:], metadata: [String: PropertyListValue] = [:]
  ) {
    self.identifier = identifier
    self.snapshots = snapshots
    self.toMany = toMany
    self.nextPrimaryKeys = nextPrimaryKeys
    self.metadata = metadata
  }
}

extension StoreContents {
  /// The key of the version hashes, in metadata as Core Data has them.
  public static let versionHashesKey = "NSStoreModelVersionHashes"

  /// The keys that `setVersion` writes, and that of the UUID: not a program's own.
  package static let ownMetadataKeys: Set<String> = [
    versionHashesKey, "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers", "NSStoreType",
    StoreMetadataKey.storeUUID,
  ]

  /// The entries of programs among metadata.
  /// - Throws: `StoreError.failure` for a value that no property list has.
  package static func programMetadata(_ values: [String: Any]) throws(StoreError) -> [String: PropertyListValue] {
    var result: [String: PropertyListValue] = [:]
    for (key, value) in values where !ownMetadataKeys.contains(key) {
      guard let entry = PropertyListValue(plainValue: value) else {
        throw .failure("the metadata entry \"\(key)\" is a \(type(of: value)), which no property list can have")
      }
      result[key] = entry
    }
    return result
  }

  /// Takes the model's version hashes and identifier into the metadata; other entries stay.
  public mutating func setVersion(of model: ManagedObjectModel, storeType: String) {
    metadata[Self.versionHashesKey] = .dictionary(model.entityVersionHashesByName.mapValues { .data($0) })
    metadata["NSStoreModelVersionHashesVersion"] = .integer(3)
    metadata["NSStoreModelVersionIdentifiers"] = .array([.string(model.versionIdentifier)])
    metadata["NSStoreType"] = .string(storeType)
  }

  /// Entity name → version hash; nil when the metadata have none.
  public static func versionHashes(in metadata: [String: PropertyListValue]) -> [String: Data]? {
    guard case .dictionary(let hashes) = metadata[versionHashesKey] else { return nil }
    return hashes.compactMapValues { if case .data(let hash) = $0 { hash } else { nil } }
  }

  /// Compares the version hashes in metadata with a model's.
  /// - Throws: `StoreError.incompatibleModel`; metadata without hashes fit no model.
  public static func check(
    _ metadata: [String: PropertyListValue], against model: ManagedObjectModel
  ) throws(StoreError) {
    try model.requireVersionHashes(versionHashes(in: metadata) ?? [:])
  }
}
