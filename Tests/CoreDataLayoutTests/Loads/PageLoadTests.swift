import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import TestQueries
import TestRows
import TestSupport
import Testing

/// Rows that are written as finished pages beside the same rows through SQLite.
@Suite("Page loads")
struct PageLoadTests {
  private enum Way: String, CaseIterable {
    case pages, deferredIndexes, everyIndex
    /// Pages where nothing hangs on the rows of the tables, which have all their indexes already.
    case pagesIfPossible
  }

  /// What a store holds, with storage classes, and its bytes without indexes.
  private struct Contents {
    var rows: [String: [String]] = [:]
    var schema: [String] = []
    var files: [String] = []
    var compact = Data()
  }

  private func build(
    _ way: Way, _ changes: [RandomCollection.Change], _ model: ManagedObjectModel, _ folder: TemporaryFolder,
    version: Int
  ) throws -> Contents {
    let path = folder.path("\(way.rawValue)/store.sqlite")
    try FileManager.default.createDirectory(atPath: folder.path(way.rawValue), withIntermediateDirectories: true)
    var options = SQLiteStore.Options.construction
    options.defersIndexes = way != .everyIndex
    options.generation = FrameworkGeneration(version: version)
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    if way == .pages { #expect(try store.beginPageLoad(model.entities)) }
    if way == .pagesIfPossible {
      try store.buildDeferredIndexes()
      for entity in model.entities where try store.beginPageLoad([entity]) { break }
    }
    for change in changes {
      switch change {
      case .rows(let batch, let keys): try store.insert(batch, keys: keys)
      case .links(let relationship, let pairs): try store.link(relationship, pairs: pairs, replacing: false)
      }
    }
    #expect(way == .pagesIfPossible || store.isPageLoading == (way == .pages))
    try store.endPageLoad(memoryBudget: 1 << 16)
    try store.seal()
    let findings = try StoreChecker.check(path: path, model: model).findings
    #expect(findings.isEmpty, "\(way): \(findings)")
    return try contents(path, compact: folder.path("\(way.rawValue).compact"))
  }

  private func contents(_ path: String, compact: String) throws -> Contents {
    var contents = Contents()
    let connection = try Connection(path: path, options: .init(trustsSchema: true))
    #expect(try connection.rows(ofQuery: "PRAGMA integrity_check") == ["ok"])
    contents.schema = try connection.rows(
      ofQuery: "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_schema ORDER BY 1")
    // The tables behind an R-tree depend on the order of insertion.
    let tables = """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND (rootpage = 0 OR name NOT LIKE 'Z!_RT!_%' ESCAPE '!')
      """
    for table in try connection.rows(ofQuery: tables) {
      let columns = try connection.rows(ofQuery: "SELECT name FROM pragma_table_xinfo('\(table)')")
        .map { "typeof(\"\($0)\") || ' ' || quote(\"\($0)\")" }.joined(separator: " || '|' || ")
      contents.rows[table] = try connection.rows(ofQuery: "SELECT \(columns) FROM \"\(table)\" ORDER BY 1")
    }
    contents.files = try FileManager.default.subpathsOfDirectory(
      atPath: (path as NSString).deletingLastPathComponent
    ).sorted()
    // Indexes are made in another order, so their pages lie elsewhere. What is left has to be equal byte for byte.
    let unequal = """
      SELECT type || ' "' || name || '"' FROM sqlite_schema
      WHERE (type = 'index' AND sql IS NOT NULL) OR type = 'trigger' OR (type = 'table' AND rootpage = 0)
      """
    for object in try connection.rows(ofQuery: unequal) { try connection.execute("DROP \(object)") }
    try connection.execute("VACUUM INTO '\(compact)'")
    try connection.close()
    // The header counts changes.
    contents.compact = try Data(contentsOf: URL(fileURLWithPath: compact)).dropFirst(100)
    return contents
  }

  @Test(
    "rows written as pages are the rows that SQLite writes, byte for byte", arguments: [1, 2, 3] as [UInt64],
    [FrameworkGeneration.newest.version, 754])
  func sameRows(seed: UInt64, version: Int) throws {
    var collection = try RandomCollection(seed: seed)
    let changes = try collection.changes(batches: 5, rowsPerBatch: 120)
    let folder = try TemporaryFolder()
    let pages = try build(.pages, changes, collection.model, folder, version: version)
    #expect(pages.rows["ZITEM"]?.isEmpty == false)
    for way in [Way.deferredIndexes, .everyIndex, .pagesIfPossible] {
      let other = try build(way, changes, collection.model, folder, version: version)
      #expect(pages.schema == other.schema, "\(way)")
      #expect(pages.files == other.files, "\(way)")
      for (table, rows) in other.rows {
        for (left, right) in zip(pages.rows[table] ?? [], rows) where left != right {
          Issue.record("\(way): \(table): \(left.prefix(400)) is \(right.prefix(400)) there")
        }
        #expect(pages.rows[table]?.count == rows.count, "\(way): \(table)")
      }
      let sameBytes = pages.compact == other.compact
      #expect(sameBytes, "\(way)")
    }
  }
}
