import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Writes persistent-history rows into a store that keeps history: one transaction row for each transaction that
/// changes something, one change row for each row changed.
final class HistoryWriter {
  private unowned let store: SQLiteStore
  private let connection: Connection
  /// Primary key of the open transaction's row, nil until its first change.
  private var transaction: Int64?
  private var nextChange: Int64 = 0
  private let tombstoneCount: Int
  /// Places of the properties in the changed-columns mask, by entity number.
  private var maskLayouts: [Int: MaskLayout] = [:]

  private static let change = 16_001
  private static let transactionEntity = 16_002
  private static let string = 16_003

  /// Which bit stands for a property. Properties come in name order, entity and order columns after them.
  private struct MaskLayout {
    var bitByColumn: [String: Int] = [:]
    var bitByProperty: [String: Int] = [:]
    var byteCount = 0
  }

  init(_ store: SQLiteStore) {
    self.store = store
    connection = store.connection
    let names = (try? HistoryWriter.columnNames(of: "ACHANGE", store.connection)) ?? []
    tombstoneCount = names.filter { $0.hasPrefix("ZTOMBSTONE") }.count
  }

  private static func columnNames(of table: String, _ connection: Connection) throws -> [String] {
    let statement = try Statement(connection, "SELECT name FROM pragma_table_info(?1)")
    try statement.bind(1, table)
    var names: [String] = []
    while try statement.step() { names.append(statement.string(at: 0) ?? "") }
    return names
  }

  // MARK: tables

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

  // MARK: changes

  /// Forgets the transaction row of an earlier transaction, or of one that was undone.
  func prepare(isNewTransaction: Bool) {
    if isNewTransaction { transaction = nil }
  }

  func recordInsert(entityNumber: Int, key: Int64) throws {
    try record(type: 0, entityNumber, key, columns: nil, tombstones: [])
  }

  /// - Parameter columns: names of the table's columns that changed, and names of to-many relationships.
  func recordUpdate(entityNumber: Int, key: Int64, columns: [String]) throws {
    let mask = maskLayout(entityNumber)
    var bytes = [UInt8](repeating: 0, count: mask.byteCount)
    for column in columns {
      guard let bit = mask.bitByColumn[column] ?? mask.bitByProperty[column] else { continue }
      bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
    }
    try record(type: 1, entityNumber, key, columns: bytes, tombstones: [])
  }

  /// Records the deletion of a row that is still there, so that values to be preserved can be read.
  func recordDelete(entityNumber: Int, key: Int64) throws {
    var tombstones: [[UInt8]?] = []
    if tombstoneCount > 0, let entity = store.layout.entity(number: entityNumber) {
      for attribute in entity.attributes where attribute.preservesValueInHistoryOnDeletion && !attribute.isTransient {
        guard let column = store.layout.column(for: attribute.name, of: entity)?.name else { continue }
        let statement = try store.cached(
          "SELECT CAST(\(column) AS BLOB) FROM \(store.layout.table(for: entity).name) WHERE Z_PK = ?1")
        try statement.bind(1, key)
        tombstones.append(try statement.step() ? statement.blob(at: 0) : nil)
        statement.reset()
      }
    }
    try record(type: 2, entityNumber, key, columns: nil, tombstones: tombstones)
  }

  private func record(
    type: Int64, _ entityNumber: Int, _ key: Int64, columns: [UInt8]?, tombstones: [[UInt8]?]
  ) throws {
    let transaction = try openTransaction()
    let extra = tombstones.prefix(tombstoneCount)
    let names = extra.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let parameters = extra.indices.map { ", ?\($0 + 7)" }.joined()
    let statement = try store.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names)) "
        + "VALUES (?1, \(HistoryWriter.change), ?2, ?3, ?4, ?5, ?6\(parameters))")
    let change = try nextKey(HistoryWriter.change)
    try statement.bind(1, change)
    try statement.bind(2, type)
    try statement.bind(3, Int64(entityNumber))
    try statement.bind(4, key)
    try statement.bind(5, transaction)
    if let columns { try statement.bind(6, blob: columns) } else { try statement.bindNull(6) }
    for (index, tombstone) in extra.enumerated() {
      if let tombstone {
        try statement.bind(Int32(index + 7), blob: tombstone)
      } else {
        try statement.bindNull(Int32(index + 7))
      }
    }
    try statement.run()
  }

  private func openTransaction() throws -> Int64 {
    if let transaction { return transaction }
    let key = try nextKey(HistoryWriter.transactionEntity)
    let author = try store.options.historyAuthor.map { try intern($0) }
    let process = try intern("seedbed")
    let statement = try store.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) "
        + "VALUES (?1, \(HistoryWriter.transactionEntity), ?2, ?3, ?3, ?4)")
    try statement.bind(1, key)
    if let author { try statement.bind(2, author) } else { try statement.bindNull(2) }
    try statement.bind(3, process)
    try statement.bind(4, store.options.historyTimestamp ?? Date().timeIntervalSinceReferenceDate)
    try statement.run()
    transaction = key
    return key
  }

  /// Key of a string in the table of author and process names.
  private func intern(_ text: String) throws -> Int64 {
    let find = try store.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1")
    try find.bind(1, text)
    let isKnown = try find.step()
    let known = find.int64(at: 0)
    find.reset()
    if isKnown { return known }
    let key = try nextKey(HistoryWriter.string)
    let insert = try store.cached(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, \(HistoryWriter.string), ?2)")
    try insert.bind(1, key)
    try insert.bind(2, text)
    try insert.run()
    return key
  }

  private func nextKey(_ entityNumber: Int) throws -> Int64 {
    let statement = try store.cached("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = ?1 RETURNING Z_MAX")
    try statement.bind(1, Int64(entityNumber))
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError.notAStore(path: store.path, message: "Z_PRIMARYKEY has no row \(entityNumber) for history")
    }
    let key = statement.int64(at: 0)
    _ = try statement.step()
    return key
  }

  private func maskLayout(_ entityNumber: Int) -> MaskLayout {
    if let known = maskLayouts[entityNumber] { return known }
    var mask = MaskLayout()
    guard let entity = store.layout.entity(number: entityNumber) else { return mask }
    let attributes = entity.attributes.filter { !$0.isTransient }.map(\.name)
    let relationships = entity.relationships.filter { !$0.description.isTransient }
    var names = attributes + relationships.map(\.name)
    names.sort { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
    for (bit, name) in names.enumerated() {
      mask.bitByProperty[name] = bit
      if let attribute = entity.attribute(name) {
        for column in store.layout.columns(for: attribute, of: entity) { mask.bitByColumn[column.name] = bit }
      } else if let relationship = entity.relationship(name),
        let column = store.layout.foreignKeyColumn(of: relationship)
      {
        mask.bitByColumn[column.name] = bit
      }
    }
    var bit = names.count
    for relationship in relationships.sorted(by: { $0.name < $1.name }) where !relationship.isToMany {
      for column in [store.layout.entityColumn(of: relationship), store.layout.orderColumn(of: relationship)] {
        guard let column else { continue }
        mask.bitByColumn[column.name] = bit
        bit += 1
      }
    }
    mask.byteCount = (bit + 7) / 8
    maskLayouts[entityNumber] = mask
    return mask
  }
}
