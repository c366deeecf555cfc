/// The work of a store, counted: the numbers that its log of statements would give.
public struct StoreCounts: Sendable, Hashable, Codable {
  /// SQL statements that ran, those that begin and end transactions among them. Opening a connection counts none.
  public var statements = 0
  /// Rows that statements gave.
  public var rows = 0
  /// Pages of tables and indexes that were written as they are, past SQL.
  public var pages = 0
  /// Rows of tables in these pages.
  public var pageRows = 0

  /// Counts that are all zero.
  public init() {}

  /// The work since `earlier`.
  public func since(_ earlier: StoreCounts) -> StoreCounts {
    var result = StoreCounts()
    result.statements = statements - earlier.statements
    result.rows = rows - earlier.rows
    result.pages = pages - earlier.pages
    result.pageRows = pageRows - earlier.pageRows
    return result
  }

  /// The work of both.
  public static func + (left: StoreCounts, right: StoreCounts) -> StoreCounts {
    var sum = left
    sum.statements += right.statements
    sum.rows += right.rows
    sum.pages += right.pages
    sum.pageRows += right.pageRows
    return sum
  }
}

/// The capability of a store to say what it did.
public protocol StoreCounting: AnyObject, Sendable {
  /// The work since the store was opened. A closed store still has the counts.
  var work: StoreCounts { get }
}
