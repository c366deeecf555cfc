import Diagnostics
import Foundation
import ObjectModel

/// How much was written of a table, or of its indexes, as finished pages.
struct WrittenTable {
  private(set) var rows = 0
  private(set) var pages = 0
  private(set) var duration = Duration.zero

  mutating func add(rows: Int, pages: Int, _ duration: Duration) {
    self.rows += rows
    self.pages += pages
    self.duration += duration
  }
}

/// Adds up what was written as finished pages. Statements of a log have their numbers beside them; pages have a line
/// each for a table and for its indexes.
struct PageLog {
  private(set) var pages = 0
  private(set) var rows = 0
  private let write: ((String) -> Void)?

  init(_ settings: DebugSettings = .process, write: @escaping (String) -> Void = DebugLog.sql) {
    self.write = settings.sqlLevel > 0 ? write : nil
  }

  /// Notes that a table is finished.
  mutating func note(_ written: WrittenTable, table: String) {
    if written.pages == 0 { return }
    pages += written.pages
    rows += written.rows
    write?(
      "pages: \(table), \(written.rows.counted("row")) in \(Self.text(written))")
  }

  /// Notes that the indexes of a table are finished.
  mutating func noteIndexes(_ written: WrittenTable, table: String) {
    if written.pages == 0 { return }
    pages += written.pages
    write?("pages: indexes of \(table), \(Self.text(written))")
  }

  private static func text(_ written: WrittenTable) -> String {
    let seconds = written.duration / .seconds(1)
    return "\(written.pages.counted("page")), \(String(format: "%.4f", seconds)) s"
  }
}
