public import Diagnostics
import SQLite

extension SQLiteStore: StoreCounting {
  /// What the store's connections did since it was opened, those of readers included. It waits for what the store is
  /// doing.
  public var work: StoreCounts {
    session.locked {
      var work = StoreCounts()
      work.statements = connection.counter.statements
      work.rows = connection.counter.rows
      work.pages = loads.pageLog.pages
      work.pageRows = loads.pageLog.rows
      return work
    }
  }

  /// Begins to count when the store is open, so that opening it is not counted.
  func beginCounting() { connection.observe(counter: StatementCounter()) }
}
