import Foundation
import SQLite
import StoreInterface

/// A copy of a store in which indexes are tried, so that the store itself stays as it is. It goes with this object.
struct IndexTrial {
  private let copy: PrivateCopy

  init(of path: String) throws { copy = try PrivateCopy(of: path) }

  /// The `CREATE INDEX` statements that the `sqlite3` shell suggests for a statement with its values in their places. It is
  /// asked about the copy: beside a store with a write-ahead log it would leave files behind.
  /// - Throws: `IndexAdviceError`.
  func suggestions(for statement: String) throws -> [String] {
    try SQLiteShell.expert(statement, store: copy.path)
  }

  /// The advice with how long the statement takes without the index and with it.
  func measured(_ advice: IndexAdvice, on statement: String) throws -> IndexAdvice {
    try copy.naming {
      let connection = try Connection(path: copy.path)
      try connection.set(.triggers, false)
      try FetchFunctions.register(on: connection)
      var advice = advice
      advice.secondsBefore = try median(connection, statement)
      // Never committed: the next index is tried without this one.
      try connection.begin(.immediate)
      try connection.execute(advice.sql)
      advice.secondsAfter = try median(connection, statement)
      try connection.rollback()
      try connection.close()
      return advice
    }
  }

  private func median(_ connection: Connection, _ statement: String) throws -> Double {
    let statement = try Statement(connection, statement)
    defer { statement.finalize() }
    let times = try (0..<5).map { _ in
      let start = ContinuousClock.now
      while try statement.step() {}
      statement.reset()
      return ContinuousClock.now - start
    }
    return times.sorted()[2] / .seconds(1)
  }
}
