import Diagnostics
import Foundation
import ObjectModel
import StoreInterface
import Synchronization
import TestRows
import TestSupport
import Testing

@testable import CoreDataLayout

/// What a store says it did.
@Suite("Work of stores")
struct StoreCountTests {
  @Test("statements and their rows count from when the store is open, those of its readers included")
  func statements() throws {
    let folder = try TemporaryFolder()
    var collection = try RandomCollection(seed: 5)
    let model = collection.model
    let item = try #require(model.entities.first { $0.name == "Item" })
    let path = folder.path("store.sqlite")
    var store = try SQLiteStore.create(path: path, model: model)
    #expect(store.work == StoreCounts())
    for change in try collection.changes(batches: 1, rowsPerBatch: 50) {
      if case .rows(let batch, let keys) = change { try store.insert(batch, keys: keys) }
    }
    #expect(store.work.statements > 0 && store.work.pages == 0)
    try store.close()
    store = try SQLiteStore.open(path: path, model: model)
    #expect(store.work == StoreCounts())
    let count = try store.count(FetchSpecification(item))
    #expect(count > 0)
    #expect(store.work.statements == 1 && store.work.rows == 1)
    let before = store.work
    #expect(try store.snapshots(FetchSpecification(item), monitor: FetchMonitor()).count == count)
    #expect(store.work.since(before).rows >= count)
    let last = store.work
    try store.close()
    #expect(store.work.since(last).rows == 0)
  }

  @Test("pages that are written past SQL count with the rows in them")
  func pages() throws {
    let folder = try TemporaryFolder()
    var collection = try RandomCollection(seed: 6)
    let path = folder.path("store.sqlite")
    var options = SQLiteStore.Options.construction
    options.defersIndexes = true
    let store = try SQLiteStore.create(path: path, model: collection.model, options: options)
    #expect(try store.beginPageLoad(collection.model.entities))
    var rows = 0
    for change in try collection.changes(batches: 4, rowsPerBatch: 100) {
      if case .rows(let batch, let keys) = change {
        try store.insert(batch, keys: keys)
        rows += batch.count
      }
    }
    #expect(store.work.pages == 0)
    try store.endPageLoad()
    let work = store.work
    #expect(rows > 0 && work.pageRows == rows && work.pages > 2)
    try store.seal()
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    // Nothing else has pages of its own but the schema and the bookkeeping.
    #expect(work.pages <= size / 4_096)
  }

  @Test(
    "a finished table has a line in the log of statements where that is on, and is added up always", arguments: [0, 1])
  func log(level: Int) {
    let lines = Mutex<[String]>([])
    var settings = DebugSettings()
    settings.sqlLevel = level
    var log = PageLog(settings) { line in lines.withLock { $0.append(line) } }
    var table = WrittenTable()
    table.add(rows: 1, pages: 2, .milliseconds(1))
    table.add(rows: 2, pages: 0, .milliseconds(2))
    log.note(table, table: "ZITEM")
    log.note(WrittenTable(), table: "ZEMPTY")
    var indexes = WrittenTable()
    indexes.add(rows: 0, pages: 1, .milliseconds(4))
    log.noteIndexes(indexes, table: "ZITEM")
    #expect(log.pages == 3 && log.rows == 3)
    let said = ["pages: ZITEM, 3 rows in 2 pages, 0.0030 s", "pages: indexes of ZITEM, 1 page, 0.0040 s"]
    #expect(lines.withLock { $0 } == (level == 0 ? [] : said))
  }
}
