public import Foundation
public import ObjectModel
public import PropertyLists
package import SQLite
import StoreInterface

/// What a store says about itself in `Z_METADATA`.
public struct StoreMetadata: Sendable, Hashable {
  /// The store's UUID, 36 characters, upper case.
  public var uuid: String
  /// Every key of the property list, unknown ones included.
  public var values: [String: PropertyListValue]

  /// Metadata with these values.
  public init(uuid: String, values: [String: PropertyListValue]) {
    self.uuid = uuid
    self.values = values
  }

  /// The most bytes of a store's metadata that are read.
  private static let maximumByteCount = 16 << 20

  /// The key under which a seed store's version is kept.
  public static let seedVersionKey = "SeedbedSeedVersion"

  /// The keys that Core Data itself writes.
  public static let coreDataKeys = [
    "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers",
    "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion", "NSStoreType", "_NSAutoVacuumLevel",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey",
    "_NSStoreAncillaryModelVersionHashesMetadataKey",
  ]

  /// Entity name → version hash.
  public var entityVersionHashesByName: [String: Data] {
    (values["NSStoreModelVersionHashes"]?.dictionaryValue ?? [:]).compactMapValues(\.dataValue)
  }
  /// The Core Data build that wrote the metadata last.
  public var frameworkVersion: Int? { values["NSPersistenceFrameworkVersion"]?.integerValue.map { Int($0) } }
  /// The identifiers of the model version, often one empty string.
  public var versionIdentifiers: [String] {
    (values["NSStoreModelVersionIdentifiers"]?.arrayValue ?? []).compactMap(\.stringValue)
  }
  /// Base64 of the SHA-512 over names and hashes; nil in stores of old frameworks.
  public var versionHashesDigest: String? { values["NSStoreModelVersionHashesDigest"]?.stringValue }
  /// Base64 of the SHA-256 over the hashes; nil in stores of older frameworks.
  public var versionChecksum: String? { values["NSStoreModelVersionChecksumKey"]?.stringValue }
  /// The seed version that a copy recorded.
  public var seedVersion: Int? {
    get { values[StoreMetadata.seedVersionKey]?.integerValue.map { Int($0) } }
    set { values[StoreMetadata.seedVersionKey] = newValue.map { .integer(Int64($0)) } }
  }

  /// The metadata of a new store.
  public init(model: ManagedObjectModel, uuid: String, generation: FrameworkGeneration = .newest) {
    let hashes = model.entityVersionHashesByName.mapValues { PropertyListValue.data($0) }
    var values: [String: PropertyListValue] = [
      "NSStoreModelVersionHashes": .dictionary(hashes),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "NSStoreModelVersionIdentifiers": .array([.string(model.versionIdentifier)]),
      "NSPersistenceFrameworkVersion": .integer(Int64(generation.version)),
      "NSStoreType": .string("SQLite"),
      "_NSAutoVacuumLevel": .string("2"),
    ]
    if generation.writesMaximumVersion {
      values["NSPersistenceMaximumFrameworkVersion"] = .integer(Int64(generation.version))
    }
    if generation.writesDigest { values["NSStoreModelVersionHashesDigest"] = .string(model.versionHashesDigest) }
    if generation.writesChecksum { values["NSStoreModelVersionChecksumKey"] = .string(model.versionChecksum) }
    self.init(uuid: uuid, values: values)
  }

  /// Reads a store's metadata without a model. The store and its sidecars are not changed.
  /// - Throws: `StoreError.notAStore` when the file has none.
  public static func read(path: String) throws -> StoreMetadata {
    try ReadOnlyAccess.withConnection(to: path) { connection in
      try StoreMetadata(connection)
    }
  }

  package init(_ connection: Connection) throws {
    let statement: Statement
    do {
      let columns = ["Z_VERSION", "Z_UUID", "Z_PLIST"]
      try SchemaGuard(connection: connection).require("Z_METADATA", columns: columns, path: connection.path)
      statement = try Statement(
        connection,
        """
        SELECT CASE WHEN length(Z_UUID) <= 100 THEN Z_UUID END, typeof(Z_PLIST),
          CASE WHEN length(Z_PLIST) <= \(StoreMetadata.maximumByteCount) THEN Z_PLIST END
        FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1
        """)
      guard try statement.step() else {
        throw StoreError.notAStore(path: connection.path, message: "the table Z_METADATA is empty")
      }
      // Core Data makes no others, and much of what reads a store takes the bytes of its texts as they are.
      if let encoding = try connection.string("PRAGMA encoding"), encoding != "UTF-8" {
        throw StoreError.notAStore(
          path: connection.path, message: "its texts are in \(encoding), and a store has them in UTF-8")
      }
    } catch let error as SQLiteError {
      throw StoreError(error)
    }
    guard statement.string(at: 1) == "blob", let bytes = statement.blob(at: 2) else {
      throw StoreError.notAStore(
        path: connection.path,
        message: "the metadata are no blob of at most \(StoreMetadata.maximumByteCount) bytes")
    }
    do {
      let root = try PropertyList.decode(binary: bytes)
      guard let values = root.dictionaryValue else {
        throw PropertyListError("the property list is no dictionary")
      }
      self.init(uuid: statement.string(at: 0) ?? "", values: values)
    } catch let error as PropertyListError {
      throw StoreError.notAStore(path: connection.path, message: "damaged metadata: \(error.message)")
    }
  }

  /// Writes the one row of `Z_METADATA`; columns that are not ours keep what they have.
  package func write(to connection: Connection) throws {
    let isThere = try connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0 > 0
    let statement = try Statement(
      connection,
      isThere
        ? "UPDATE Z_METADATA SET Z_UUID = ?1, Z_PLIST = ?2 WHERE Z_VERSION = (SELECT min(Z_VERSION) FROM Z_METADATA)"
        : "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?1, ?2)")
    try statement.bind(1, uuid)
    try statement.bind(2, blob: PropertyList.encode(binary: .dictionary(values)))
    try statement.run()
  }

  /// Everything as Swift and Foundation have it, with the UUID.
  var plainValues: [String: any Sendable] {
    var result = values.mapValues(\.plainValue)
    result[StoreMetadataKey.storeUUID] = uuid
    return result
  }

  /// What replaces the entries of programs; entries under the keys of Core Data and of Seedbed are left out.
  /// - Throws: `StoreError.failure` for a value that no property list has.
  func changes(toProgramValues values: [String: Any]) throws(StoreError) -> [String: PropertyListValue?] {
    let coreDataKeys = Set(StoreMetadata.coreDataKeys + [StoreMetadataKey.storeUUID])
    func isOwn(_ key: String) -> Bool { coreDataKeys.contains(key) || key.hasPrefix("Seedbed") }
    var changes: [String: PropertyListValue?] = [:]
    for key in self.values.keys where !isOwn(key) { changes[key] = .some(nil) }
    for (key, value) in values where !isOwn(key) {
      guard let value = PropertyListValue(plainValue: value) else {
        throw .failure("the metadata entry \"\(key)\" is a \(type(of: value)), which no property list can have")
      }
      changes[key] = value
    }
    return changes
  }

  /// Compares the stored hashes with a model's.
  /// - Throws: `StoreError.incompatibleModel`
  public func check(against model: ManagedObjectModel) throws {
    try model.requireVersionHashes(entityVersionHashesByName)
  }
}
