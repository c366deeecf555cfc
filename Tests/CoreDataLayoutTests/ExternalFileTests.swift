import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("files of external data in a store that is open")
struct ExternalFileTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let sample: Entity
  private static let columns: [RowBatch.Column] = [
    .init(.attribute("text"), .bytes), .init(.attribute("image"), .bytes),
  ]

  init() throws {
    folder = try TemporaryFolder()
    let model = try Models.types()
    sample = try model.required("Sample")
    store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    try store.insert(batch([1, 2]), keys: [1, 2])
  }

  /// Rows with long images of these bytes.
  private func batch(_ bytes: [UInt8]) -> RowBatch {
    makeBatch(sample, Self.columns, bytes.map { [.text("\($0)"), .bytes(Array(repeating: $0, count: 120_000))] })
  }

  private func count() throws -> Int { try folder.externalFiles(of: "a").count }

  private func upsert(_ bytes: [Cell]) throws {
    var outcomes: [RowOutcome] = []
    var keys: [Int64] = []
    try store.upsert(
      makeBatch(sample, Self.columns, [bytes]), keyColumns: [0], outcomes: &outcomes, primaryKeys: &keys)
  }

  @Test("they go with their rows, once the transaction is committed")
  func deletion() throws {
    #expect(try count() == 2)
    try store.begin()
    try store.delete(entity: sample, primaryKeys: [1])
    #expect(try count() == 2)
    try store.rollback()
    #expect(try count() == 2)
    try store.delete(entity: sample, primaryKeys: [1])
    #expect(try count() == 1)
    try store.delete(entity: sample, primaryKeys: [2])
    #expect(!FileManager.default.fileExists(atPath: folder.path(".a_SUPPORT")))
  }

  @Test("those of a transaction that is undone go, the replaced ones stay")
  func undone() throws {
    let names = try folder.externalFiles(of: "a")
    try store.begin()
    try upsert([.text("1"), .bytes(Array(repeating: 9, count: 120_000))])
    try store.insert(batch([7]), keys: [3])
    #expect(try count() == 4)
    try store.rollback()
    #expect(try folder.externalFiles(of: "a") == names)
    try upsert([.text("1"), .bytes(Array(repeating: 9, count: 120_000))])
    #expect(try count() == 2)
    try upsert([.text("1"), .null])
    #expect(try count() == 1)
  }

  @Test("a value that is long, then short, then long again, in one transaction")
  func changing() throws {
    try store.begin()
    for _ in 0..<2 {
      try upsert([.text("1"), .bytes([1])])
      try upsert([.text("1"), .bytes(Array(repeating: 5, count: 120_000))])
    }
    try store.commit()
    #expect(try count() == 2)
    let index = try #require(sample.attributes.firstIndex { $0.name == "image" })
    #expect(
      try store.snapshots(FetchSpecification(sample)).map { $0.attributes[index] }
        == [.data(Data(repeating: 5, count: 120_000)), .data(Data(repeating: 2, count: 120_000))])
  }

  @Test("in a transaction around all others they come before the commit and go after it", arguments: [true, false])
  func whole(isCommitted: Bool) throws {
    try store.beginWhole()
    try store.begin()
    try upsert([.text("1"), .bytes(Array(repeating: 5, count: 120_000))])
    try store.commit()
    try store.begin()
    try store.delete(entity: sample, primaryKeys: [2])
    try store.rollback()
    try store.delete(entity: sample, primaryKeys: [2])
    #expect(try count() == 3)
    let other = try Connection(path: store.path)
    #expect(try other.integer("SELECT count(*) FROM ZSAMPLE") == 2)
    try isCommitted ? store.commitWhole() : store.rollbackWhole()
    #expect(try count() == (isCommitted ? 1 : 2))
    #expect(try other.integer("SELECT count(*) FROM ZSAMPLE") == (isCommitted ? 1 : 2))
    try other.close()
    #expect(try store.snapshots(FetchSpecification(sample)).count == (isCommitted ? 1 : 2))
  }

  @Test(
    "a store that cannot be replaced keeps its files, and gets no others", arguments: ["BEGIN; ", ""])
  func busyTarget(transaction: String) throws {
    try store.close(keepsLog: true)
    let path = folder.path("a.sqlite")
    let names = try folder.externalFiles(of: "a")
    try #require(names.count == 2)
    let other = try SQLiteStore.create(path: folder.path("b.sqlite"), model: store.model)
    try other.insert(batch([7]), keys: [1])
    try other.seal()
    // A reader of the log keeps it from being moved into the file; one that is idle would later write to a file that
    // has no name any more.
    let reader = try Connection(path: path)
    try reader.execute(transaction + "SELECT count(*) FROM ZSAMPLE")
    let error = #expect(throws: StoreError.self) {
      try StoreReplacement.replace(target: path, with: folder.path("b.sqlite"))
    }
    if case .busy? = error {} else { Issue.record("\(String(describing: error))") }
    #expect(try folder.externalFiles(of: "a") == names)
    try reader.close()
  }
}
