public import Foundation
public import ObjectModel
import SQLite
import StoreInterface

/// What a check of a store found.
public struct StoreReport: Sendable {
  /// One entity's version hash in the model and in the store; nil where it is missing.
  public struct EntityHash: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Computed from the model; nil when the model has no such entity.
    public var expected: Data?
    /// From the store's metadata; nil when it has none.
    public var stored: Data?
    /// Whether both are there and equal.
    public var matches: Bool { expected == stored }
  }
  /// Path of the main file.
  public var path: String
  /// The metadata as stored.
  public var metadata: StoreMetadata
  /// Sorted by entity name.
  public var hashes: [EntityHash]
  /// Whether the digest and the checksum of the metadata, where it has them, fit its hashes; nil when it has neither.
  public var digestMatches: Bool?
  /// Number of rows per concrete entity, 0 included; empty when the schema does not fit the model.
  public var rowCounts: [String: Int]
  /// What is wrong with the file, its schema or its rows.
  public var findings: [StoreFinding]
  /// Whether the file says it needs a write-ahead log.
  public var isWriteAheadLogged: Bool
  /// Names of the sidecars that are there, such as `App.sqlite-wal`.
  public var sidecars: [String]
  /// What the layout could not derive with certainty from the model.
  public var notes: [String]

  /// Whether the hashes are equal, which is what Core Data asks on opening.
  public var isCompatible: Bool { hashes.allSatisfy(\.matches) }
  /// Whether nothing is wrong with the rows.
  public var isSound: Bool { findings.isEmpty }
  /// Whether the store opens from a read-only folder such as an app's bundle: one file, no write-ahead log.
  public var isFitForReadOnlyBundle: Bool { !isWriteAheadLogged && sidecars.isEmpty }
}

/// Checks whether an app would open a store, and whether its rows are sound. Not a byte of the store is changed.
public enum StoreChecker {
  /// - Throws: `StoreError.notAStore` when the file has no metadata; everything else is in the report.
  public static func check(path: String, model: ManagedObjectModel) throws -> StoreReport {
    guard FileSystem.exists(path) else { throw StoreError.missing(path: path) }
    let header = try FileSystem.header(path)
    let name = (path as NSString).lastPathComponent
    let sidecars = PrivateView.sidecarSuffixes.filter { FileSystem.exists(path + $0) }.map { name + $0 }
    return try PrivateView.withConnection(to: path) { connection in
      let metadata = try StoreMetadata(connection)
      let stored = metadata.entityVersionHashesByName
      let expected = model.entityVersionHashesByName
      let hashes = Set(stored.keys).union(expected.keys).sorted().map { name in
        StoreReport.EntityHash(entity: name, expected: expected[name], stored: stored[name])
      }
      let generation = FrameworkGeneration(version: metadata.frameworkVersion ?? FrameworkGeneration.newest.version)
      let layout = StoreLayout(model: model, generation: generation)
      let consistency = Consistency(connection: connection, layout: layout)
      var findings = try consistency.integrity()
      var rowCounts: [String: Int] = [:]
      let missing = try missingSchema(connection, layout)
      findings += missing
      if missing.isEmpty {
        findings += try consistency.findings()
        rowCounts = try counts(connection, layout)
      }
      return StoreReport(
        path: path, metadata: metadata, hashes: hashes, digestMatches: digestMatches(metadata, model),
        rowCounts: rowCounts, findings: findings, isWriteAheadLogged: header.count > 19 && header[18] == 2,
        sidecars: sidecars, notes: layout.notes)
    }
  }

  /// Digest and checksum follow from the hashes; they are compared with the model's when the hashes are equal.
  private static func digestMatches(_ metadata: StoreMetadata, _ model: ManagedObjectModel) -> Bool? {
    guard metadata.entityVersionHashesByName == model.entityVersionHashesByName else { return nil }
    let digest = metadata.versionHashesDigest.map { $0 == model.versionHashesDigest }
    let checksum = metadata.versionChecksum.map { $0 == model.versionChecksum }
    if digest == nil && checksum == nil { return nil }
    return digest ?? true && checksum ?? true
  }

  private static func missingSchema(_ connection: Connection, _ layout: StoreLayout) throws -> [StoreFinding] {
    var result: [StoreFinding] = []
    let statement = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    var expected = layout.tables.map { ($0.name, $0.columns.map(\.name)) }
    expected += layout.joinTables.map { ($0.name, [$0.master.ownerColumn, $0.master.memberColumn]) }
    for (table, columns) in expected {
      try statement.bind(1, table)
      var found: Set<String> = []
      while try statement.step() { found.insert(statement.string(at: 0)?.uppercased() ?? "") }
      statement.reset()
      for column in columns where !found.contains(column.uppercased()) {
        result.append(
          StoreFinding(
            code: .schema, table: table, column: column, count: 1, exampleKey: nil,
            message: found.isEmpty ? "table \(table) is missing" : "column \(table).\(column) is missing"))
        if found.isEmpty { break }
      }
    }
    return result
  }

  private static func counts(_ connection: Connection, _ layout: StoreLayout) throws -> [String: Int] {
    var result: [String: Int] = [:]
    for entity in layout.entitiesByNumber where !entity.isAbstract { result[entity.name] = 0 }
    for table in layout.tables {
      let statement = try Statement(connection, "SELECT Z_ENT, count(*) FROM \(table.name) GROUP BY Z_ENT")
      while try statement.step() {
        guard let entity = layout.entity(number: Int(statement.int64(at: 0))) else { continue }
        result[entity.name] = Int(statement.int64(at: 1))
      }
    }
    return result
  }
}
