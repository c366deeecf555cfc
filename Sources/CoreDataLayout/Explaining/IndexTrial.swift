import Foundation
import SQLite

/// A copy of a store in which indexes are tried, so that the store itself stays as it is. The copy is removed with this
/// object.
struct IndexTrial {
  private let copy: PrivateCopy
  /// What the index that is tried is called.
  private static let name = "seedbed_trial"

  init(of path: String) throws { copy = try PrivateCopy(of: path) }

  /// The `CREATE INDEX` statements that the `sqlite3` shell suggests for a statement with its values in their places.
  /// It is asked about the copy: beside a store with a write-ahead log it would leave files behind.
  /// - Throws: `IndexAdviceError`.
  func suggestions(for statement: String) throws -> [String] {
    try SQLiteShell.expert(statement, store: copy.path)
  }

  /// The advice with how long the statement takes without the index that the declaration makes, and with it.
  /// - Returns: nil where the store has that index, or SQLite does not use it.
  func measured(_ advice: IndexAdvice, on statement: String) throws -> IndexAdvice? {
    try copy.naming {
      let connection = try Connection(path: copy.path)
      try connection.set(.triggers, false)
      try FetchFunctions.register(on: connection)
      if try connection.hasIndex(on: advice.table, advice.columns) { return nil }
      var advice = advice
      advice.secondsBefore = try median(connection, statement)
      // Never committed: the next index is tried without this one.
      try connection.begin(.immediate)
      let columns = advice.columns.map { "\($0.name) \($0.isAscending ? "ASC" : "DESC")" }
      try connection.execute("CREATE INDEX \(Self.name) ON \(advice.table) (\(columns.joined(separator: ", ")))")
      let isUsed = try QueryPlan(connection, statement).lines.contains { $0.text.contains("INDEX \(Self.name)") }
      advice.secondsAfter = try median(connection, statement)
      try connection.rollback()
      try connection.close()
      return isUsed ? advice : nil
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

extension Connection {
  /// Whether a table has an index over all its rows that begins with these columns, or with them the other way round.
  fileprivate func hasIndex(on table: String, _ columns: [IndexAdvice.Column]) throws -> Bool {
    let parts = try Statement(
      self,
      "SELECT l.name, i.name, i.desc FROM pragma_index_list(?1) AS l, pragma_index_xinfo(l.name) AS i "
        + "WHERE l.partial = 0 AND i.key = 1 ORDER BY l.seq, i.seqno")
    try parts.bind(1, table)
    var indexes: [String: [IndexAdvice.Column]] = [:]
    while try parts.step() {
      indexes[parts.string(at: 0) ?? "", default: []].append(
        IndexAdvice.Column(name: parts.string(at: 1) ?? "", isAscending: parts.int64(at: 2) == 0))
    }
    let reversed = columns.map { IndexAdvice.Column(name: $0.name, isAscending: !$0.isAscending) }
    return indexes.values.contains { $0.starts(with: columns) || $0.starts(with: reversed) }
  }
}
