/// SQLite's plan for a statement, from `EXPLAIN QUERY PLAN`, as a tree.
public struct QueryPlan: Sendable, Hashable {
  /// A line of the plan.
  public struct Line: Sendable, Hashable {
    /// How deep it stands in the tree, from 0.
    public var depth: Int
    /// The step in SQLite's words.
    public var text: String

    /// Whether every row of a table is looked at, and no index helps. Temporary tables do not count: a statement that
    /// is given a list in one reads all of it.
    public var isTableScan: Bool {
      guard text.hasPrefix("SCAN "), !text.hasPrefix("SCAN temp."), !text.contains(" USING "),
        !text.contains(" VIRTUAL TABLE ")
      else { return false }
      return !text.hasPrefix("SCAN CONSTANT ROW") && !text.hasPrefix("SCAN (")
    }

    /// Whether rows are sorted or made distinct in a temporary b-tree.
    public var usesTemporaryTree: Bool { text.hasPrefix("USE TEMP B-TREE") }

    /// Whether the index of a scan or a search is made for the statement alone.
    public var usesAutomaticIndex: Bool { text.contains("USING AUTOMATIC ") }
  }

  /// The lines, from the top.
  public var lines: [Line]

  /// The plan of a statement.
  /// - Throws: SQLite's error for a statement that it cannot prepare.
  public init(_ connection: Connection, _ sql: String) throws(SQLiteError) {
    let statement = try Statement(connection, "EXPLAIN QUERY PLAN " + sql)
    var depths: [Int64: Int] = [0: -1]
    lines = []
    while try statement.step() {
      let depth = (depths[statement.int64(at: 1)] ?? -1) + 1
      depths[statement.int64(at: 0)] = depth
      lines.append(Line(depth: depth, text: statement.string(at: 3) ?? ""))
    }
  }

  /// Every line with what is costly about it.
  public var texts: [String] {
    lines.map { line in
      let mark =
        line.isTableScan
        ? "   <- every row of the table"
        : line.usesTemporaryTree
          ? "   <- sorts in a temporary b-tree" : line.usesAutomaticIndex ? "   <- makes an index for this alone" : ""
      return String(repeating: "  ", count: line.depth) + line.text + mark
    }
  }
}
