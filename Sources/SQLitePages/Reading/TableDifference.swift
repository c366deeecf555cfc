import Platform

/// The rows of two tables that are not the same to the byte, found without reading a value.
///
/// Both tables are walked side by side in the order of row ids. Records that are equal byte by byte hold the same
/// values; those that differ may still hold the same, as SQLite can write one value in several ways.
@safe public struct TableDifference {
  private let left: MappedTable
  private let right: MappedTable

  /// The difference of two tables with the same columns.
  public init(_ left: MappedTable, _ right: MappedTable) {
    self.left = left
    self.right = right
  }

  /// Hands out the ids of the rows that only one table has, or that differ, in ascending order.
  /// - Throws: `PageError` for a damaged page, and what the body throws.
  public func rowIDs(_ body: (Int64) throws -> Void) throws {
    var first = try TableWalk(left)
    var second = try TableWalk(right)
    while first.isAtRow && second.isAtRow {
      let (here, there) = (first.rowID, second.rowID)
      if here != there {
        try body(min(here, there))
      } else if try !first.isSameRecord(as: second) {
        try body(here)
      }
      if here <= there { try first.advance() }
      if there <= here { try second.advance() }
    }
    while first.isAtRow {
      try body(first.rowID)
      try first.advance()
    }
    while second.isAtRow {
      try body(second.rowID)
      try second.advance()
    }
  }
}

/// One row of a table after another.
@safe private struct TableWalk {
  private let table: MappedTable
  private let overflow = RecordScratch()
  private static let leavesPerRelease = 4_096
  private var leaf = -1
  private var index = 0
  /// Rows of the leaf.
  private var count = 0
  @unsafe private var cell: MappedTable.Cell?

  /// A walk that stands before the first row, or behind the last where there is none.
  init(_ table: MappedTable) throws(PageError) {
    self.table = table
    unsafe cell = nil
    try advance()
  }

  /// False behind the last row.
  var isAtRow: Bool { unsafe cell != nil }

  /// The row's id; 0 where there is none.
  var rowID: Int64 { unsafe cell?.rowID ?? 0 }

  mutating func advance() throws(PageError) {
    index += 1
    while index >= count {
      leaf += 1
      guard leaf < table.leaves.count else {
        unsafe cell = nil
        return
      }
      // Pages that were read would count as memory of the process, so they are given back.
      if leaf % Self.leavesPerRelease == 0 { table.releasePages() }
      count = try table.cellCount(leaf)
      index = 0
    }
    unsafe cell = try table.cell(leaf, index)
  }

  /// Whether both stand before the same bytes.
  func isSameRecord(as other: TableWalk) throws(PageError) -> Bool {
    guard let here = unsafe cell, let there = unsafe other.cell, unsafe here.size == there.size else { return false }
    // Safety: each walk has memory of its own for a record, and the mapped tables stay as long as the walks.
    let bytes = unsafe try table.record(here, overflow: overflow)
    let others = unsafe try other.table.record(there, overflow: other.overflow)
    return unsafe memcmp(bytes, others, here.size) == 0
  }
}
