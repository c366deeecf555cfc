import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestQueries
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("putting files in place, all or none")
struct FilePlacementTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.types()
  }

  private struct Reason: Error {}

  /// Every file of the folder with its bytes, but not what lies in the folder of the new store.
  private func files() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for case let name as String in try #require(FileManager.default.enumerator(atPath: folder.path)) {
      guard !name.hasPrefix("new"), let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
      result[name] = data
    }
    return result
  }

  private func makeStore(_ path: String, _ bytes: [UInt8], keepsLog: Bool) throws {
    let store = try SQLiteStore.create(path: folder.path(path), model: model)
    let columns: [RowBatch.Column] = [.init(.attribute("text"), .bytes), .init(.attribute("image"), .bytes)]
    try store.insert(
      makeBatch(
        try model.required("Sample"), columns,
        bytes.map { [.text("\($0)"), .bytes(Array(repeating: $0, count: 120_000))] }),
      keys: bytes.indices.map { Int64($0) + 1 })
    if keepsLog { try store.close(keepsLog: true) } else { try store.seal() }
  }

  private func texts() throws -> [String] {
    try Connection.rows(at: folder.path("a.sqlite"), "SELECT ZTEXT FROM ZSAMPLE ORDER BY Z_PK")
  }

  @Test("a store that was replaced comes back byte for byte, with log and external files", arguments: [true, false])
  func undone(hasLog: Bool) throws {
    try makeStore("a.sqlite", [1, 2], keepsLog: hasLog)
    let old = try files()
    #expect((old["a.sqlite-wal"]?.isEmpty == false) == hasLog)
    try FileManager.default.createDirectory(atPath: folder.path("new"), withIntermediateDirectories: true)
    try makeStore("new/a.sqlite", [2, 3, 4], keepsLog: false)

    let placement = FilePlacement()
    try placement.put(store: folder.path("new/a.sqlite"), at: folder.path("a.sqlite"))
    #expect(try texts() == ["2", "3", "4"])
    #expect(placement.undo(after: Reason()) is Reason)
    #expect(try files() == old)
    #expect(try texts() == ["1", "2"])
  }

  @Test("a store that replaces one with a log leaves nothing of it", arguments: [true, false])
  func committed(hasLog: Bool) throws {
    try makeStore("a.sqlite", [1, 2], keepsLog: hasLog)
    try FileManager.default.createDirectory(atPath: folder.path("new"), withIntermediateDirectories: true)
    try makeStore("new/a.sqlite", [2, 3, 4], keepsLog: false)
    let sealed = try Data(contentsOf: folder.file("new/a.sqlite"))
    try StoreReplacement.replace(target: folder.path("a.sqlite"), with: folder.path("new/a.sqlite"))
    let now = try files()
    #expect(now["a.sqlite"] == sealed)
    #expect(now.count == 4)
    #expect(now.keys.allSatisfy { $0 == "a.sqlite" || $0.hasPrefix(".a_SUPPORT/_EXTERNAL_DATA/") })
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path("new")).isEmpty)
  }

  @Test("a store that cannot take its place, as a folder is in its way, leaves the old log unread")
  func late() throws {
    try makeStore("a.sqlite", [1, 2], keepsLog: true)
    let old = try files()
    try FileManager.default.createDirectory(atPath: folder.path("new"), withIntermediateDirectories: true)
    try makeStore("new/a.sqlite", [3], keepsLog: false)
    // What the log is moved to when it must make way.
    try FileManager.default.createDirectory(
      atPath: folder.path("new/a.sqlite-shm.previous-sidecar/x"), withIntermediateDirectories: true)
    #expect(throws: StoreError.self) {
      try StoreReplacement.replace(target: folder.path("a.sqlite"), with: folder.path("new/a.sqlite"))
    }
    #expect(try files() == old)
    #expect(try texts() == ["1", "2"])
  }

  @Test("of several results none stays when the last cannot be put in place")
  func several() throws {
    try Data("old".utf8).write(to: folder.file("one.csv"))
    for name in ["one", "two", "three"] { try Data("new".utf8).write(to: folder.file("\(name).partial")) }
    try FileManager.default.createDirectory(atPath: folder.path("three.csv/x"), withIntermediateDirectories: true)
    let placement = FilePlacement()
    try placement.put(folder.path("one.partial"), at: folder.path("one.csv"))
    try placement.put(folder.path("two.partial"), at: folder.path("two.csv"))
    let error = #expect(throws: StoreError.self) {
      try placement.put(folder.path("three.partial"), at: folder.path("three.csv"))
    }
    if case .cannotCreate? = error {} else { Issue.record("\(String(describing: error))") }
    #expect(placement.undo(after: Reason()) is Reason)
    let old = ["one.csv": Data("old".utf8)]
    #expect(try files().filter { $0.key.hasSuffix(".csv") } == old)
  }

  @Test("where the old file is gone, the error says that the new one is in place")
  func notUndone() throws {
    try Data("old".utf8).write(to: folder.file("one.csv"))
    try Data("new".utf8).write(to: folder.file("one.partial"))
    let placement = FilePlacement()
    try placement.put(folder.path("one.partial"), at: folder.path("one.csv"))
    try FileManager.default.removeItem(at: folder.file("one.partial.previous"))
    guard case StoreError.inputOutput(let path, let message, _) = placement.undo(after: Reason()) else {
      Issue.record("another error")
      return
    }
    #expect(path == folder.path("one.csv"))
    #expect(message.contains("the new file is in place all the same"))
    #expect(try files()["one.csv"] == Data("new".utf8))
  }
}
