import Foundation
import SQLite
public import StoreInterface

extension SQLiteStore: PersistentHistoryTracking {
  /// Whether there are history tables, so that every change is recorded.
  public var tracksHistory: Bool { writer.history != nil }

  /// The number of the last transaction, those that were deleted since included.
  public func lastTransactionNumber() throws -> Int64 {
    try reading { try HistoryReader($0.session).lastTransactionNumber() }
  }

  /// The transactions that a query selects. Predicates, orders and limits are SQL.
  public func history(_ query: PersistentHistoryQuery) throws -> [PersistentHistoryTransaction] {
    try reading { try HistoryReader($0.session).history(query) }
  }

  /// Deletes the transactions before a place, with their changes, in one transaction. Names of authors and processes
  /// stay.
  @discardableResult public func deleteHistory(before bound: PersistentHistoryQuery.Bound) throws -> Int {
    try writing { try $0.deleteHistory(before: bound) }
  }
}

extension StoreWriter {
  fileprivate func deleteHistory(before bound: PersistentHistoryQuery.Bound) throws -> Int {
    guard history != nil else { throw StoreError.unsupported(file.path + StoreError.keepsNoHistory) }
    return try performAtomically {
      let condition: String
      switch bound {
      case .transaction: condition = "Z_PK < ?1"
      case .date: condition = "ZTIMESTAMP < ?1"
      }
      func run(_ sql: String) throws {
        let statement = try cached(sql)
        switch bound {
        case .transaction(let number): try statement.bind(1, number)
        case .date(let date): try statement.bind(1, date.timeIntervalSinceReferenceDate)
        }
        try statement.run()
      }
      try run("DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))")
      try run("DELETE FROM ATRANSACTION WHERE \(condition)")
      return Int(try connection.integer("SELECT changes()") ?? 0)
    }
  }
}
