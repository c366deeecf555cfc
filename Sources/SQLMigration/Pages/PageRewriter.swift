import CoreDataLayout
import Foundation
import SQLite
import SQLitePages
import StoreInterface

/// Writes tables as finished pages, in a copy of the store that nothing else has open: between the statements that read
/// the old tables and those that let them go.
struct PageRewriter {
  let rewrites: [PageRewritePlan]
  /// The migration, with the present names of the old tables.
  let work: MigrationWork
  let connection: Connection
  /// Whether indexes of new uniqueness constraints are filled too; otherwise duplicates go first.
  let fillsNewUniqueIndexes: Bool

  private static let memoryBudget = 32 << 20

  /// Makes the indexes of new tables, as far as their keys are plain columns, while the tables are empty; and drops
  /// indexes over part of a table's rows, which are made anew afterwards.
  func prepare() throws {
    for rewrite in rewrites {
      let name = rewrite.table.new.name
      if rewrite.table.method == .inPlace {
        try dropOthers(of: work.name(rewrite.feeds[0].table.name))
        continue
      }
      for index in work.new.indexes
      where index.table == name && !index.createStatement.contains(" WHERE ") && !work.guardsDerivedValues(index) {
        if index.kind == .ordinary || index.kind == .unique && fillsNewUniqueIndexes {
          try connection.execute(StoreWriter.ifMissing(index.createStatement))
        }
      }
    }
  }

  private func dropOthers(of table: String) throws {
    let list = try Statement(connection, "SELECT name FROM pragma_index_list(?1) WHERE partial = 1")
    try list.bind(1, table)
    var names: [String] = []
    while try list.step() { names.append(list.string(at: 0) ?? "") }
    list.finalize()
    for name in names { try connection.execute("DROP INDEX \(SQLText.identifier(name))") }
  }

  /// Writes all tables, and the indexes over columns with other values.
  /// - Precondition: no transaction is open.
  /// - Returns: how many rows of each old entity there were, and how many pages were written.
  /// - Throws: `PageError`. The copy is of no use then.
  func write() throws -> (rows: RowTranslation.Counts, pages: Int) {
    var indexes: [(root: UInt32, shapes: [IndexShape], areReplaced: Bool)] = []
    var jobs: [(rewrite: PageRewritePlan, sources: [UInt32], root: UInt32)] = []
    for rewrite in rewrites {
      let isInPlace = rewrite.table.method == .inPlace
      let name = isInPlace ? work.name(rewrite.feeds[0].table.name) : rewrite.table.new.name
      let root = try self.root(name)
      jobs.append((rewrite, try rewrite.feeds.map { try self.root(work.name($0.table.name)) }, root))
      let shapes = try IndexShape.all(of: name, in: connection).filter { shape in
        !isInPlace || shape.columns.contains { $0.field.map(rewrite.assigned.contains) ?? false }
      }
      indexes.append((root, shapes, isInPlace))
    }
    var counts: RowTranslation.Counts = [:]
    let path = connection.path
    let file = try DatabaseFile(path: path)
    for job in jobs {
      let writer =
        try job.rewrite.table.method == .inPlace
        ? TableTreeWriter(rewriting: job.root, of: file) : TableTreeWriter(file: file, root: job.root)
      for (source, feed) in zip(job.sources, job.rewrite.feeds) {
        counts.merge(try writer.moveRows(of: source, feed.translation)) { $1 }
      }
      try writer.finish()
    }
    try file.finish()
    var pages = file.writtenPageCount
    // The tables go to disk while the indexes are made.
    let flush = try BackgroundSync(path)
    let loader = IndexLoader(
      path: path, memoryBudget: Self.memoryBudget, temporaryPath: Self.sortPath(for: path),
      workers: StoreFiles.workers(2, for: path))
    for (root, shapes, areReplaced) in indexes {
      pages += try loader.load(shapes, tableRoot: root, replacing: areReplaced)
    }
    try flush?.finish()
    return (counts, pages)
  }

  /// Beside the file; a name as long as names may be has no room for more.
  private static func sortPath(for path: String) -> String {
    (path as NSString).deletingLastPathComponent + "/.seedbed-sort"
  }

  private func root(_ table: String) throws -> UInt32 {
    let statement = try Statement(
      connection, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?1)")
    try statement.bind(1, table)
    guard try statement.step() else { throw StoreError.failure("there is no table \(table)") }
    return UInt32(statement.int64(at: 0))
  }
}
