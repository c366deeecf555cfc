import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import SQLite
import SeedFormats
import TestSupport
import Testing

@testable import Exports
@testable import Pipelines

/// Exports of many rows: several batches, several blocks of gzip, destinations of relationships.
@Suite("Exports of many rows")
struct ExportTests {
  private static let xml = """
    <model type="com.apple.IDECoreDataModeler.DataModel">
      <entity name="Item">
        <attribute name="amount" optional="YES" attributeType="Double"/>
        <attribute name="day" optional="YES" attributeType="Date"/>
        <attribute name="flag" optional="YES" attributeType="Boolean"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="number" optional="YES" attributeType="Integer 64"/>
        <attribute name="uuid" optional="YES" attributeType="UUID"/>
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="items" inverseEntity="Person"/>
      </entity>
      <entity name="Person">
        <attribute name="age" optional="YES" attributeType="Integer 16"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="boss" optional="YES" maxCount="1" destinationEntity="Person" inverseName="staff" inverseEntity="Person"/>
        <relationship name="items" optional="YES" toMany="YES" destinationEntity="Item" inverseName="owner" inverseEntity="Item"/>
        <relationship name="staff" optional="YES" toMany="YES" destinationEntity="Person" inverseName="boss" inverseEntity="Person"/>
      </entity>
    </model>
    """
  private static let rows = 25_000
  private static let people = 20_000

  private let workspace: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    workspace = try TemporaryFolder()
    try workspace.write(Self.xml, to: "M.xcdatamodel/contents")
    model = try ModelReader.readFile(path: workspace.path("M.xcdatamodel")).model
    let store = try SQLiteStore.create(path: workspace.path("Store.sqlite"), model: model)
    try store.seal(journal: .delete)
    let connection = try Connection(path: workspace.path("Store.sqlite"))
    let series = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
    // Every third person has no boss; the boss of some is not there; names have commas and quotes now and then.
    try connection.execute(
      """
      \(series)\(Self.people)) INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZNAME, ZBOSS)
      SELECT i, 2, 1, i % 100, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'a, "b" ' || i ELSE 'person ' || i END,
      CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN i * 7919 % 30000 ELSE i END FROM n
      """)
    try connection.execute(
      """
      \(series)\(Self.rows)) INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZAMOUNT, ZDAY, ZFLAG, ZNAME, ZNUMBER, ZUUID, ZOWNER)
      SELECT i, 1, 1, i / 8.0, i * 86400.5, i % 2, 'item ' || i, i * 1000003 - 5, CAST(printf('%016d', i) AS BLOB),
      CASE i % 5 WHEN 0 THEN NULL ELSE i * 104729 % 21000 END FROM n
      """)
    try connection.close()
  }

  private func export(_ columns: [String], order: [String] = [], to name: String) throws -> Int {
    try StoreExport(
      storePath: workspace.path("Store.sqlite"), model: model, modelPath: nil, entity: "Item", columns: columns,
      order: order, output: workspace.path(name), format: nil, safeForSpreadsheets: false
    ).run()
  }

  /// What the shell's CSV mode would say of a query.
  private func lines(_ sql: String) throws -> [String] {
    let connection = try Connection(path: workspace.path("Store.sqlite"))
    defer { try? connection.close() }
    let statement = try Statement(connection, sql)
    var lines: [String] = []
    while try statement.step() {
      lines.append(
        (0..<statement.columnCount).map { column in
          let text = statement.string(at: column) ?? ""
          let isPlain = !text.contains(",") && !text.contains("\"")
          return isPlain ? text : "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
        }.joined(separator: ","))
    }
    return lines
  }

  private func text(_ name: String) throws -> String { String(decoding: try workspace.bytes(name), as: UTF8.self) }

  @Test("every row comes out in order, through relationships and without")
  func rows() throws {
    let columns = ["number", "name", "amount", "owner.name", "owner.age", "owner.boss.name", "owner.boss.boss.age"]
    #expect(try export(columns, to: "a.csv") == Self.rows)
    let expected = try lines(
      """
      SELECT i.ZNUMBER, i.ZNAME, i.ZAMOUNT, p.ZNAME, p.ZAGE, b.ZNAME, bb.ZAGE FROM ZITEM AS i
      LEFT JOIN ZPERSON AS p ON p.Z_PK = i.ZOWNER LEFT JOIN ZPERSON AS b ON b.Z_PK = p.ZBOSS
      LEFT JOIN ZPERSON AS bb ON bb.Z_PK = b.ZBOSS ORDER BY i.Z_PK
      """)
    let exported = try text("a.csv").split(separator: "\n").map(String.init)
    #expect(exported.first == columns.joined(separator: ","))
    #expect(Array(exported.dropFirst()) == expected)
  }

  @Test("the order may go through a relationship")
  func order() throws {
    #expect(try export(["number", "owner.name"], order: ["owner.age", "-number"], to: "o.csv") == Self.rows)
    let expected = try lines(
      """
      SELECT i.ZNUMBER, p.ZNAME FROM ZITEM AS i LEFT JOIN ZPERSON AS p ON p.Z_PK = i.ZOWNER
      ORDER BY p.ZAGE, i.ZNUMBER DESC, i.Z_PK
      """)
    #expect(try text("o.csv").split(separator: "\n").dropFirst().map(String.init) == expected)
  }

  @Test("compressed output holds the same bytes", arguments: ["csv", "ndjson"])
  func gzip(format: String) throws {
    #expect(try export([], to: "plain." + format) == Self.rows)
    #expect(try export([], to: "packed.\(format).gz") == Self.rows)
    let source = try SeedFile.open(path: workspace.path("packed.\(format).gz"), options: .csv)
    let block = ByteBlock()
    var bytes: [UInt8] = []
    while try block.fill(from: source) { unsafe bytes.append(contentsOf: block.bytes) }
    #expect(bytes.count > 1 << 20)
    #expect(try bytes == Array(workspace.bytes("plain." + format)))
  }

  @Test("dates, UUIDs and flags are texts, the same in CSV and NDJSON")
  func texts() throws {
    _ = try export(["day", "uuid", "flag"], to: "t.csv")
    _ = try export(["day", "uuid", "flag"], to: "t.ndjson")
    let csv = try text("t.csv").split(separator: "\n").map(String.init)
    #expect(
      csv[1] == "2001-01-02T00:00:00.5Z"
        + ",30303030-3030-3030-3030-303030303031,true")
    #expect(csv[25_000] == "2069-06-13T03:28:20Z,30303030-3030-3030-3030-303235303030,false")
    let json = try text("t.ndjson").split(separator: "\n").map { line in
      line.replacingOccurrences(of: "{\"day\":\"", with: "").replacingOccurrences(of: "\",\"uuid\":\"", with: ",")
        .replacingOccurrences(of: "\",\"flag\":", with: ",").replacingOccurrences(of: "}", with: "")
    }
    #expect(json == Array(csv.dropFirst()))
  }

  @Test("a cancelled export stops and leaves no file")
  func cancelled() throws {
    let step = ExportStep(
      entity: "Item", to: workspace.path("c.csv"), format: .csv, columns: [], order: [], safeForSpreadsheets: false,
      position: FilePosition(line: 0, column: 0))
    let store = try SQLiteStore.open(path: workspace.path("Store.sqlite"), model: model)
    let cancellation = Cancellation()
    cancellation.cancel()
    let error = #expect(throws: RunError.self) {
      try Exporter(store: store, step: step, cancellation: cancellation).run(to: workspace.path("c.csv"))
    }
    #expect(error?.code == "run.interrupted")
    try store.close()
  }

  @Test(
    "an output that fills up while many rows are written is an error",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func full() throws {
    let step = ExportStep(
      entity: "Item", to: "/dev/full", format: .csv, columns: [], order: [], safeForSpreadsheets: false,
      position: FilePosition(line: 0, column: 0))
    let store = try SQLiteStore.open(path: workspace.path("Store.sqlite"), model: model)
    let error = #expect(throws: SeedFormatError.self) {
      try Exporter(store: store, step: step, cancellation: Cancellation()).run(to: "/dev/full")
    }
    #expect(error?.code == "file.write")
    try store.close()
  }
}
