import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// The rows of the history tables.
extension HistoryWriter {
  func insert(_ change: Change, key: Int64, transaction: Int64) throws {
    let extra = change.tombstones.prefix(tombstoneCount)
    let names = extra.indices.map { ", ZTOMBSTONE\($0)" }.joined()
    let parameters = extra.indices.map { ", ?\($0 + 7)" }.joined()
    let statement = try session.cached(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names)) "
        + "VALUES (?1, \(HistoryWriter.change), ?2, ?3, ?4, ?5, ?6\(parameters))")
    try statement.bind(1, key)
    try statement.bind(2, change.type.rawValue)
    try statement.bind(3, Int64(change.object.entityNumber))
    try statement.bind(4, change.object.key)
    try statement.bind(5, transaction)
    if change.type == .update { try statement.bind(6, blob: change.mask) } else { try statement.bindNull(6) }
    for (index, tombstone) in extra.enumerated() {
      if let tombstone {
        try statement.bind(Int32(index + 7), blob: tombstone)
      } else {
        try statement.bindNull(Int32(index + 7))
      }
    }
    try statement.run()
  }

  /// The last change in the history, 0 where it is empty.
  func lastChange() throws -> Int64 {
    let statement = try session.cached("SELECT IFNULL(max(Z_PK), 0) FROM ACHANGE")
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }

  /// Adds columns or properties to those that a row of the history says were updated.
  func extendUpdate(_ change: Int64, entityNumber: Int, columns: [String]) throws {
    let find = try session.cached("SELECT ZCOLUMNS FROM ACHANGE WHERE Z_PK = ?1")
    try find.bind(1, change)
    let known = try find.step() ? find.blob(at: 0) ?? [] : []
    find.reset()
    var mask = mask(entityNumber, columns)
    for (index, byte) in known.enumerated() where index < mask.count { mask[index] |= byte }
    if mask == known { return }
    let update = try session.cached("UPDATE ACHANGE SET ZCOLUMNS = ?2 WHERE Z_PK = ?1")
    try update.bind(1, change)
    try update.bind(2, blob: mask)
    try update.run()
  }

  func insertTransaction() throws -> Int64 {
    let timestamp = origin.timestamp ?? Date().timeIntervalSinceReferenceDate
    let key = try reserveKeys(1, HistoryWriter.transactionEntity, table: "ATRANSACTION")
    let suffix = internsStrings ? "TS" : ""
    let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map { $0 + suffix }
    let values = [author, bundleID, contextName, processID]
    let interned = try values.map { value in try internsStrings ? value.map { try intern($0) } : nil }
    let statement = try session.cached(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(names.joined(separator: ", "))) "
        + "VALUES (?1, \(HistoryWriter.transactionEntity), ?2, ?3, ?4, ?5, ?6)")
    try statement.bind(1, key)
    try statement.bind(2, timestamp)
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 3)
      if let string = interned[index] {
        try statement.bind(parameter, string)
      } else if let value {
        try statement.bind(parameter, value)
      } else {
        try statement.bindNull(parameter)
      }
    }
    try statement.run()
    return key
  }

  /// Key of a string in the table of author and process names.
  private func intern(_ text: String) throws -> Int64 {
    let find = try session.cached("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1")
    try find.bind(1, text)
    let isKnown = try find.step()
    let known = find.int64(at: 0)
    find.reset()
    if isKnown { return known }
    let key = try reserveKeys(1, HistoryWriter.string, table: "ATRANSACTIONSTRING")
    let insert = try session.cached(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, \(HistoryWriter.string), ?2)")
    try insert.bind(1, key)
    try insert.bind(2, text)
    try insert.run()
    return key
  }

  /// Raises the counter of a history table.
  /// - Returns: the first of the keys.
  func reserveKeys(_ count: Int, _ entityNumber: Int, table: String) throws -> Int64 {
    let statement = try session.cached(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = max(\(PrimaryKeyRange.counter), IFNULL((SELECT max(Z_PK) FROM \(table)), 0)) + ?2 "
        + "WHERE Z_ENT = ?1 RETURNING Z_MAX")
    try statement.bind(1, Int64(entityNumber))
    try statement.bind(2, Int64(count))
    defer { statement.reset() }
    guard try statement.step() else {
      throw StoreError.notAStore(
        path: session.file.path, message: "Z_PRIMARYKEY has no row \(entityNumber) for history")
    }
    let last = statement.int64(at: 0)
    _ = try statement.step()
    guard last <= PrimaryKeyRange.greatestCounter else {
      throw StoreError.notAStore(path: session.file.path, message: "the history has no keys left")
    }
    return last - Int64(count) + 1
  }

  /// The bytes that are kept of a deleted object's value, as `HistoryTombstone` reads them; nil where there is none.
  static func tombstone(of value: Value) -> [UInt8]? {
    switch value {
    case .null, .composite: nil
    case .integer(let number): Array(String(number).utf8)
    case .boolean(let flag): [flag ? 0x31 : 0x30]
    case .double(let number): Array("\(number)".utf8)
    case .date(let date): Array("\(date.timeIntervalSinceReferenceDate)".utf8)
    case .decimal(let number): Array(number.description.utf8)
    case .string(let text): Array(text.utf8)
    case .uri(let uri): Array(uri.absoluteString.utf8)
    case .uuid(let uuid): unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
    case .data(let data): Array(data)
    }
  }
}
