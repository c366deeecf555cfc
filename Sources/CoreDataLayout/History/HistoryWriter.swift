import Foundation
package import ObjectModel
import SQLite
import StoreInterface

/// Writes persistent-history rows into a store that keeps history: one transaction row for each transaction that
/// changes something, one change row for each object changed in it, however often.
///
/// Changes are collected in memory and written when the transaction ends.
package final class HistoryWriter {
  let session: StoreSession
  let origin: Origin
  let tombstoneCount: Int
  /// Whether names are kept in a table of their own, as they are since 2019, or in the transaction's row.
  let internsStrings: Bool
  /// Places of the properties in the changed-columns mask, by entity number.
  var maskLayouts: [Int: MaskLayout] = [:]
  /// Relationships whose inverse is to-many, by entity number.
  var ownerPlans: [Int: [OwnerPlan]] = [:]
  /// Whether an import is under way that records changed owners at its end.
  private var recordsOwnersLate = false
  /// The origin of the current save; the origin that the store was opened with comes first.
  private var saveOrigin = Origin()
  /// What the open transaction has changed so far.
  private(set) var pending = Pending()

  static let change = 16_001
  static let transactionEntity = 16_002
  static let string = 16_003
  /// A longer transaction is recorded as several, so that memory stays bounded.
  static let mostChanges = 65_536
  /// A transaction whose tombstones take more bytes than this is recorded as several, too.
  static let mostTombstoneBytes = 16 << 20

  /// The origin of transactions: program, author, context and time.
  package struct Origin: Sendable {
    var author: String?
    var contextName: String?
    /// Names the program; nil for the one that is running.
    var program: String?
    /// Seconds since 2001; nil for the clock.
    var timestamp: Double?

    package init(
      author: String? = nil, contextName: String? = nil, program: String? = nil, timestamp: Double? = nil
    ) {
      self.author = author
      self.contextName = contextName
      self.program = program
      self.timestamp = timestamp
    }
  }

  enum ChangeType: Int64 { case insert, update, delete }

  package struct Object: Hashable {
    package var entityNumber: Int
    package var key: Int64
  }

  struct Change {
    var object: Object
    var type: ChangeType
    var mask: [UInt8] = []
    var tombstones: [[UInt8]?] = []
    var tombstoneBytes: Int { tombstones.reduce(0) { $0 + ($1?.count ?? 0) } }
  }

  /// Changes that are not written yet, in the order in which objects were first changed. A value, so that it can be
  /// put back when a savepoint is undone.
  struct Pending {
    var changes: [Change?] = []
    var indexByObject: [Object: Int] = [:]
    var tombstoneBytes = 0
  }

  /// Which bit stands for a property. Properties come in name order, entity and order columns after them.
  package struct MaskLayout {
    package var bitByColumn: [String: Int] = [:]
    package var bitByProperty: [String: Int] = [:]
    package var byteCount = 0
  }

  /// A to-one relationship by which a row is a member of another's to-many relationship.
  struct OwnerPlan {
    var relationship: Relationship
    var inverse: Relationship
    var column: String
  }

  /// An object whose to-many relationship a row is in.
  package struct Owner: Hashable {
    package var object: Object
    package var relationship: String
  }

  package init(_ session: StoreSession, _ origin: Origin) {
    self.session = session
    self.origin = origin
    let names = (try? HistoryWriter.columnNames(of: "ACHANGE", session.connection)) ?? []
    tombstoneCount = names.filter { $0.hasPrefix("ZTOMBSTONE") }.count
    let transaction = (try? HistoryWriter.columnNames(of: "ATRANSACTION", session.connection)) ?? []
    internsStrings = transaction.contains("ZAUTHORTS")
  }

  var layout: StoreLayout { session.file.layout }

  /// Begins the save of a context.
  func beginSave(author: String?, contextName: String?) {
    saveOrigin = Origin(author: author, contextName: contextName)
  }

  /// Ends the save of a context.
  func endSave() { saveOrigin = Origin() }

  /// The author for the next row of a transaction.
  var author: String? { origin.author ?? saveOrigin.author }
  var contextName: String? { origin.contextName ?? saveOrigin.contextName }
  var bundleID: String { origin.program ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }
  var processID: String { origin.program ?? ProcessInfo.processInfo.processName }

  /// Begins an import that records changed owners at its end.
  func beginRecordingOwnersLate() { recordsOwnersLate = true }

  /// Ends such an import.
  func endRecordingOwnersLate() { recordsOwnersLate = false }

  /// The names of a table's columns; empty where there is no such table.
  static func columnNames(of table: String, _ connection: Connection) throws -> [String] {
    let statement = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    try statement.bind(1, table)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(at: 0) ?? "") }
    return names
  }

  // MARK: - Tables

  static func createTables(_ connection: Connection, model: ManagedObjectModel) throws {
    let tombstones =
      model.entities.map { entity in
        entity.attributes.filter { $0.preservesValueInHistoryOnDeletion && !$0.isTransient }.count
      }.max() ?? 0
    let tombstoneColumns = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
    let prefix = "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"
    for statement in [
      "CREATE TABLE ACHANGE ( \(prefix), ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID "
        + "INTEGER, ZCOLUMNS BLOB\(tombstoneColumns) )",
      "CREATE TABLE ATRANSACTION ( \(prefix), ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
        + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, "
        + "ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
      "CREATE TABLE ATRANSACTIONSTRING ( \(prefix), ZNAME VARCHAR )",
      "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
      "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
      "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
      "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
      "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
      "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
      "INSERT INTO Z_PRIMARYKEY VALUES (\(change), 'CHANGE', 0, 0), (\(transactionEntity), 'TRANSACTION', 0, 0), "
        + "(\(string), 'TRANSACTIONSTRING', 0, 0)",
    ] { try connection.execute(statement) }
  }

  // MARK: - Transactions

  /// Forgets what is not written: a transaction begins, or one was undone.
  func reset() { pending = Pending() }

  /// Takes back what was recorded since a savepoint that is undone now.
  func restore(_ earlier: Pending) { pending = earlier }

  /// Writes what the transaction has changed; it is about to be committed.
  package func finish() throws {
    let changes = pending.changes.compactMap { $0 }
    pending = Pending()
    if changes.isEmpty { return }
    let transaction = try insertTransaction()
    var key = try reserveKeys(changes.count, HistoryWriter.change, table: "ACHANGE")
    for change in changes {
      try insert(change, key: key, transaction: transaction)
      key += 1
    }
  }

  // MARK: - Changes

  /// Records the insertion of a row that is there now.
  func recordInsert(entityNumber: Int, key: Int64) throws {
    try note(Change(object: Object(entityNumber: entityNumber, key: key), type: .insert))
    try recordOwners(owners(entityNumber, key, columns: nil))
  }

  /// Changes a row and records it, and with it the objects that it becomes or stops being a member of.
  /// - Parameter columns: names of the table's columns that change, or of properties.
  func recordingUpdate(
    entityNumber: Int, key: Int64, columns: [String], _ body: () throws -> Void
  ) throws {
    if recordsOwnersLate {
      try body()
      return try recordUpdate(entityNumber: entityNumber, key: key, columns: columns)
    }
    let names = Set(columns)
    let before = try owners(entityNumber, key, columns: names)
    try body()
    try recordUpdate(entityNumber: entityNumber, key: key, columns: columns)
    try recordOwners(before.symmetricDifference(try owners(entityNumber, key, columns: names)))
  }

  /// - Parameter columns: names of the table's columns that changed, or of properties.
  package func recordUpdate(entityNumber: Int, key: Int64, columns: [String]) throws {
    let mask = mask(entityNumber, columns)
    try note(Change(object: Object(entityNumber: entityNumber, key: key), type: .update, mask: mask))
  }

  /// Records that a to-many relationship of an object has other members, when the object is there. Imports do it at
  /// their end, unless the object is saved with that change.
  package func recordMembers(of relationship: Relationship, owner key: Int64, isSaved: Bool = false) throws {
    if recordsOwnersLate && !isSaved { return }
    guard let number = try entityNumber(of: key, kindOf: relationship.entity) else { return }
    try recordUpdate(entityNumber: number, key: key, columns: [relationship.name])
  }

  /// Records the deletion of a row that is still there, so that values to be preserved can be read.
  package func recordDelete(entityNumber: Int, key: Int64) throws {
    var tombstones: [[UInt8]?] = []
    if tombstoneCount > 0, let entity = layout.entity(number: entityNumber) {
      for attribute in layout.preservedAttributes(of: entity) {
        guard let column = layout.column(for: attribute.name, of: entity)?.name else { continue }
        let statement = try session.cached(
          "SELECT \(column) FROM \(layout.table(for: entity).name) WHERE Z_PK = ?1")
        defer { statement.reset() }
        try statement.bind(1, key)
        tombstones.append(try statement.step() ? tombstone(attribute, statement) : nil)
      }
    }
    try recordOwners(owners(entityNumber, key, columns: nil))
    try note(
      Change(object: Object(entityNumber: entityNumber, key: key), type: .delete, tombstones: tombstones))
  }

  /// The kept form of the value in the first column, which may lie in a file. A damaged value is not kept, so that its
  /// object can be deleted.
  private func tombstone(_ attribute: AttributeDefinition, _ statement: Statement) throws -> [UInt8]? {
    do {
      let value = try ValueCoding.read(attribute, from: statement, at: 0, externalData: session.externalData)
      return HistoryWriter.tombstone(of: value)
    } catch StoreError.damagedValue, StoreError.failure {
      return nil
    }
  }

  private func recordOwners(_ owners: @autoclosure () throws -> Set<Owner>) throws {
    if recordsOwnersLate { return }
    let owners = try owners()
    for owner in owners.sorted(by: { ($0.object.key, $0.relationship) < ($1.object.key, $1.relationship) }) {
      try recordUpdate(entityNumber: owner.object.entityNumber, key: owner.object.key, columns: [owner.relationship])
    }
  }

  /// Adds a change to those of the transaction: an object has one change, for its final state.
  private func note(_ change: Change) throws {
    guard let index = pending.indexByObject[change.object] else {
      if pending.changes.count >= HistoryWriter.mostChanges
        || pending.tombstoneBytes >= HistoryWriter.mostTombstoneBytes
      {
        try finish()
      }
      pending.indexByObject[change.object] = pending.changes.count
      pending.tombstoneBytes += change.tombstoneBytes
      return pending.changes.append(change)
    }
    guard var known = pending.changes[index] else { return }
    switch (known.type, change.type) {
    case (.update, .update):
      for byte in known.mask.indices { known.mask[byte] |= change.mask[byte] }
      pending.changes[index] = known
    case (.update, .delete):
      pending.tombstoneBytes += change.tombstoneBytes
      pending.changes[index] = change
    // An object that the transaction both inserted and deleted was never visible elsewhere.
    case (.insert, .delete): pending.changes[index] = nil
    // Its row was not there yet when a new member was.
    case (.update, .insert): pending.changes[index] = change
    case (.insert, _), (.delete, _): break
    }
  }
}
