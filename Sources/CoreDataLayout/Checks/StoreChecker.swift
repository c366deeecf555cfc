public import Foundation
public import ObjectModel
import Platform
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
  /// What is wrong with the file, its schema or its rows: `problems` and `warnings`.
  public var findings: [StoreFinding]
  /// What keeps an app from opening the store, or from reading or writing all of its rows.
  public var problems: [StoreFinding] { findings.filter { $0.severity == .problem } }
  /// Faults of the data that do not keep an app from opening the store.
  public var warnings: [StoreFinding] { findings.filter { $0.severity == .warning } }
  /// Whether the file says it needs a write-ahead log.
  public var isWriteAheadLogged: Bool
  /// Names of the sidecars that are there, such as `App.sqlite-wal`.
  public var sidecars: [String]
  /// What is worth knowing and keeps no app from opening the store.
  public var remarks: [StoreFinding]
  /// What the layout could not derive with certainty from the model.
  public var notes: [String]
  /// Whether the tables and rows were checked: that takes the model which the store was made with, and a sound file.
  public var rowsWereChecked: Bool

  /// Whether the hashes are equal, which is what Core Data asks on opening.
  public var isCompatible: Bool { hashes.allSatisfy(\.matches) }
  /// Whether there is neither a problem nor a warning.
  public var isSound: Bool { findings.isEmpty }
  /// Whether the store opens from a read-only folder such as an app's bundle: one file, no write-ahead log.
  public var isFitForReadOnlyBundle: Bool { !isWriteAheadLogged && sidecars.isEmpty }
}

/// Checks whether an app would open a store, and whether its rows are sound. Not a byte of the store is changed.
public enum StoreChecker {
  /// - Parameters:
  ///   - model: the app's model.
  ///   - storeModel: the model that the store was made with, where it is known and differs from the app's model: rows
  ///     are checked against it.
  /// - Throws: `StoreError.notAStore` when the file has no metadata; everything else is in the report.
  public static func check(
    path: String, model: ManagedObjectModel, storeModel: ManagedObjectModel? = nil
  ) throws -> StoreReport {
    try StoreFiles.requireFile(path)
    let isWriteAheadLogged = try StoreFiles.isWriteAheadLogged(path: path)
    let sidecars = Sidecar.allCases.map { StoreFiles.sidecar($0, of: path) }.filter(FileSystem.exists)
      .map { ($0 as NSString).lastPathComponent }
    return try ReadOnlyAccess.withConnection(to: path) { connection in
      try connection.set(.triggers, false)
      let metadata = try StoreMetadata(connection)
      var report = StoreReport(
        path: path, metadata: metadata, hashes: hashes(metadata, model), digestMatches: digestMatches(metadata, model),
        rowCounts: [:], findings: try ConsistencyCheck.integrity(connection),
        isWriteAheadLogged: isWriteAheadLogged,
        sidecars: sidecars, remarks: [], notes: [], rowsWereChecked: false)
      // A damaged file is not read further, because that may give wrong results and take for ever.
      guard report.findings.isEmpty else { return report }
      report.findings += try MetadataCheck(connection: connection, metadata: metadata).findings()
      if report.digestMatches == false {
        report.findings.append(
          StoreFinding(.metadata, table: "Z_METADATA", "the digest or checksum of the version hashes is not theirs"))
      }
      let stored = metadata.entityVersionHashesByName
      let candidates = [model, storeModel].compactMap { $0 }
      guard let rowModel = candidates.first(where: { $0.entityVersionHashesByName == stored }) else { return report }
      try checkRows(connection, rowModel, &report)
      return report
    }
  }

  private static func hashes(_ metadata: StoreMetadata, _ model: ManagedObjectModel) -> [StoreReport.EntityHash] {
    let stored = metadata.entityVersionHashesByName
    let expected = model.entityVersionHashesByName
    return Set(stored.keys).union(expected.keys).sorted().map { name in
      StoreReport.EntityHash(entity: name, expected: expected[name], stored: stored[name])
    }
  }

  /// Values that are not of the type of their column, such as a text in a column of numbers, which reads as another
  /// value.
  /// - Parameters:
  ///   - model: the model that the store was made with.
  ///   - entities: names of the entities whose tables are looked at.
  package static func misplacedValues(
    path: String, model: ManagedObjectModel, entities: Set<String>
  ) throws -> [StoreFinding] {
    try ReadOnlyAccess.withConnection(to: path) { connection in
      do {
        let generation = try StoreMetadata(connection).frameworkVersion.map { FrameworkGeneration(version: $0) }
        let layout = StoreLayout(model: model, generation: generation ?? .newest)
        let roots = Set(entities.compactMap { model[$0]?.root.name })
        let check = ConsistencyCheck(connection: connection, layout: layout)
        return try layout.tables.filter { roots.contains($0.root.name) }.flatMap {
          try check.storageClasses(of: $0, readsTexts: false)
        }
      } catch let error as SQLiteError {
        throw StoreError(error, path: path)
      }
    }
  }

  private static func checkRows(
    _ connection: Connection, _ model: ManagedObjectModel, _ report: inout StoreReport
  ) throws {
    let generation = FrameworkGeneration(
      version: report.metadata.frameworkVersion ?? FrameworkGeneration.newest.version)
    let layout = StoreLayout(model: model, generation: generation)
    report.notes = layout.notes
    let schema = SchemaGuard(connection: connection)
    let obstacles = try schema.findings(layout)
    report.findings += obstacles
    guard obstacles.isEmpty else { return }
    let check = ConsistencyCheck(connection: connection, layout: layout)
    var found = try check.findings() + check.history()
    found += try triggers(schema, layout)
    found += try schema.unfillableColumns(layout)
    found += try ExternalDataCheck(
      connection: connection, layout: layout, folder: ExternalDataFolder(storePath: report.path)
    ).findings()
    report.findings += found.filter { $0.severity != .note }
    report.remarks += found.filter { $0.severity == .note }
    report.rowCounts = try counts(connection, layout)
    report.rowsWereChecked = true
  }

  /// Triggers that the layout does not explain: a problem where they keep the table from being written to.
  private static func triggers(_ schema: SchemaGuard, _ layout: StoreLayout) throws -> [StoreFinding] {
    try TriggerFunctions.register(on: schema.connection)
    var result: [StoreFinding] = []
    var broken: Set<String> = []
    for trigger in try schema.foreignTriggers(layout) {
      let table = trigger.table
      if let obstacle = try schema.writeObstacle(table) {
        guard broken.insert(table).inserted else { continue }
        result.append(
          StoreFinding(.trigger, table: table, "\(table) cannot be written to, a trigger is in the way: \(obstacle)"))
      } else {
        result.append(
          StoreFinding(
            .unknownTrigger, table: table,
            "the trigger \(trigger.name.prefix(100)) on \(table) does not belong to the model")
        )
      }
    }
    return result
  }

  /// Digest and checksum follow from the hashes; they are compared with the model's when the hashes are equal.
  private static func digestMatches(_ metadata: StoreMetadata, _ model: ManagedObjectModel) -> Bool? {
    guard metadata.entityVersionHashesByName == model.entityVersionHashesByName else { return nil }
    let digest = metadata.versionHashesDigest.map { $0 == model.versionHashesDigest }
    let checksum = metadata.versionChecksum.map { $0 == model.versionChecksum }
    if digest == nil && checksum == nil { return nil }
    return digest ?? true && checksum ?? true
  }

  private static func counts(_ connection: Connection, _ layout: StoreLayout) throws -> [String: Int] {
    var result: [String: Int] = [:]
    for entity in layout.entitiesByNumber where !entity.isAbstract { result[entity.name] = 0 }
    for table in layout.tables {
      let statement = try Statement(
        connection, "SELECT Z_ENT, count(*) FROM \(SQLText.identifier(table.name)) GROUP BY Z_ENT")
      while try statement.step() {
        guard let entity = layout.entity(number: Int(statement.int64(at: 0))) else { continue }
        result[entity.name] = Int(statement.int64(at: 1))
      }
    }
    return result
  }
}
