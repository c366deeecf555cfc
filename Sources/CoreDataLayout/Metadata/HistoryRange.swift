public import Foundation
import SQLite

/// What a store's persistent history holds: from when to when, how many changes of which kind, by whom.
public struct HistoryRange: Sendable, Hashable {
  /// A transaction at an end of the range.
  public struct Transaction: Sendable, Hashable {
    /// The transaction's number: `Z_PK` of `ATRANSACTION`.
    public var number: Int
    /// When it was saved.
    public var date: Date
  }
  /// How many transactions the range has.
  public var transactionCount = 0
  /// The transaction with the lowest number; nil when there is none.
  public var first: Transaction?
  /// The transaction with the highest number; nil when there is none.
  public var last: Transaction?
  /// Changes that inserted an object.
  public var insertCount = 0
  /// Changes that updated one.
  public var updateCount = 0
  /// Changes that deleted one.
  public var deleteCount = 0
  /// Changes of a kind that is not known.
  public var otherCount = 0
  /// Authors of transactions, sorted; transactions without one are not counted here.
  public var authors: [String] = []
  /// Processes that saved transactions, sorted.
  public var processes: [String] = []

  /// - Parameter tables: the store's ordinary tables with their columns in upper case.
  /// - Returns: nil when the store keeps no history.
  init?(_ connection: Connection, tables: [String: Set<String>]) throws {
    guard tables["ACHANGE"]?.contains("ZCHANGETYPE") == true,
      tables["ATRANSACTION"]?.isSuperset(of: ["Z_PK", "ZTIMESTAMP"]) == true
    else { return nil }
    transactionCount = Int(try connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
    first = try Self.transaction(connection, order: "ASC")
    last = try Self.transaction(connection, order: "DESC")
    let kinds = try Statement(connection, "SELECT ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY ZCHANGETYPE")
    while try kinds.step() {
      let count = Int(kinds.int64(at: 1))
      switch kinds.isNull(at: 0) ? -1 : kinds.int64(at: 0) {
      case 0: insertCount = count
      case 1: updateCount = count
      case 2: deleteCount = count
      default: otherCount += count
      }
    }
    guard tables["ATRANSACTIONSTRING"]?.isSuperset(of: ["Z_PK", "ZNAME"]) == true,
      tables["ATRANSACTION"]?.isSuperset(of: ["ZAUTHORTS", "ZPROCESSIDTS"]) == true
    else { return }
    authors = try Self.strings(connection, column: "ZAUTHORTS")
    processes = try Self.strings(connection, column: "ZPROCESSIDTS")
  }

  private static func transaction(_ connection: Connection, order: String) throws -> Transaction? {
    let rows = try Statement(
      connection, "SELECT Z_PK, IFNULL(ZTIMESTAMP, 0) FROM ATRANSACTION ORDER BY Z_PK \(order) LIMIT 1")
    guard try rows.step() else { return nil }
    return Transaction(
      number: Int(rows.int64(at: 0)), date: Date(timeIntervalSinceReferenceDate: rows.double(at: 1)))
  }

  private static func strings(_ connection: Connection, column: String) throws -> [String] {
    var found: [String] = []
    let rows = try Statement(
      connection,
      """
      SELECT ZNAME FROM ATRANSACTIONSTRING WHERE ZNAME IS NOT NULL
      AND Z_PK IN (SELECT \(column) FROM ATRANSACTION) GROUP BY ZNAME ORDER BY ZNAME COLLATE BINARY
      """)
    while try rows.step() { found.append(rows.string(at: 0) ?? "") }
    return found
  }
}
