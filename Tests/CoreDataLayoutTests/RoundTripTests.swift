import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("values of every type")
struct RoundTripTests {
  private func value(_ name: String, _ snapshot: Snapshot) throws -> Value {
    let index = try #require(snapshot.objectID.entity.attributes.firstIndex { $0.name == name })
    return snapshot.attributes[index]
  }

  private static let date = Date(timeIntervalSinceReferenceDate: -123_456_789.25)
  private static let cases: [(String, RowBatch.Storage, Cell, Value)] = [
    ("small", .integer, .integer(-32_768), .integer(-32_768)),
    ("medium", .integer, .integer(2_147_483_647), .integer(2_147_483_647)),
    ("large", .integer, .integer(.min), .integer(.min)),
    ("large", .integer, .integer(.max), .integer(.max)),
    ("exact", .bytes, .text("-10.25"), .decimal(Decimal(string: "-10.25") ?? 0)),
    ("exact", .bytes, .text("10.11"), .decimal(Decimal(string: "10.11") ?? 0)),
    ("exact", .bytes, .text("7"), .decimal(7)),
    ("real", .real, .real(-0.0), .double(0)),
    ("real", .real, .real(.greatestFiniteMagnitude), .double(.greatestFiniteMagnitude)),
    ("real", .real, .real(.leastNonzeroMagnitude), .double(.leastNonzeroMagnitude)),
    ("real", .real, .real(.infinity), .double(.infinity)),
    ("single", .real, .real(0.1), .double(Double(Float(0.1)))),
    ("text", .bytes, .text(""), .string("")),
    ("text", .bytes, .text("0012 · Ünïcødé 🚏"), .string("0012 · Ünïcødé 🚏")),
    ("flag", .integer, .integer(1), .boolean(true)),
    ("flag", .integer, .integer(0), .boolean(false)),
    ("day", .real, .real(-123_456_789.25), .date(date)),
    ("day", .real, .real(600_000_000), .date(Date(timeIntervalSinceReferenceDate: 600_000_000))),
    ("bytes", .bytes, .bytes([0, 1, 255]), .data(Data([0, 1, 255]))),
    ("bytes", .bytes, .bytes([]), .data(Data())),
    ("object", .bytes, .bytes(Array("bplist00".utf8)), .data(Data("bplist00".utf8))),
    ("image", .bytes, .bytes([9, 8, 7]), .data(Data([9, 8, 7]))),
    ("image", .bytes, .bytes(Array(repeating: 5, count: 300_000)), .data(Data(repeating: 5, count: 300_000))),
    (
      "link", .bytes, .text("https://example.org/a%20b"),
      .uri(URL(string: "https://example.org/a%20b") ?? URL(fileURLWithPath: "/"))
    ),
    ("text", .bytes, .null, .null),
    ("named", .bytes, .absent, .string("nobody")),
  ]

  @Test("a value comes back as it went in, through a batch and through a save", arguments: cases.indices)
  func roundTrip(index: Int) throws {
    let (name, storage, cell, expected) = Self.cases[index]
    let folder = try TemporaryFolder()
    let model = try Models.types()
    let entity = try model.required("Sample")
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    try store.insert(makeBatch(entity, [.init(.attribute(name), storage)], [[cell]]), keys: [1])
    let first = try #require(try store.snapshots(FetchSpecification(entity)).first)
    #expect(try value(name, first) == expected)
    #expect(first.version == 1)

    let key = try store.reservePrimaryKeys(1, for: entity)
    #expect(key == 2)
    let id = store.id(of: entity, key)
    var request = SaveRequest()
    request.inserted = [Snapshot(objectID: id, version: 1, attributes: first.attributes, toOne: [])]
    try store.save(request)
    try store.close()

    let reopened = try SQLiteStore.open(path: folder.path("a.sqlite"), model: model, options: .readOnly)
    let again = try reopened.snapshots(FetchSpecification(entity))
    #expect(again.count == 2)
    #expect(again.allSatisfy { $0.attributes == first.attributes })
  }

  @Test("a UUID is 16 bytes in the file, and a long external value is a file of its own")
  func storageForms() throws {
    let folder = try TemporaryFolder()
    let model = try Models.types()
    let entity = try model.required("Sample")
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    let uuid = UUID()
    let bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
    let batch = makeBatch(
      entity, [.init(.attribute("uuid"), .bytes), .init(.attribute("image"), .bytes), .init(.attribute("day"), .real)],
      [[.bytes(bytes), .bytes(Array(repeating: 1, count: 200_000)), .real(5)], [.null, .bytes([1]), .real(5.5)]])
    try store.insert(batch, keys: [1, 2])
    try store.seal()
    let connection = try Connection(path: folder.path("a.sqlite"), options: .init(isReadOnly: true))
    #expect(try connection.string("SELECT hex(ZUUID) FROM ZSAMPLE") == bytes.hexadecimal.uppercased())
    #expect(try connection.string("SELECT hex(substr(ZIMAGE, 1, 1)) || length(ZIMAGE) FROM ZSAMPLE") == "0238")
    #expect(try connection.string("SELECT hex(ZIMAGE) FROM ZSAMPLE WHERE Z_PK = 2") == "0101")
    #expect(try connection.string("SELECT group_concat(typeof(ZDAY)) FROM ZSAMPLE") == "integer,real")
    #expect(try folder.externalFiles(of: "a").count == 1)
  }

  @Test("what SQLite would change silently is refused", arguments: ["NaN", "1,5", "", "abc", "1e"])
  func malformedDecimal(text: String) throws {
    let folder = try TemporaryFolder()
    let model = try Models.types()
    let store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    let batch = makeBatch(try model.required("Sample"), [.init(.attribute("exact"), .bytes)], [[.text(text)]])
    #expect(throws: StoreError.self) { try store.insert(batch, keys: [1]) }
    let notANumber = makeBatch(try model.required("Sample"), [.init(.attribute("real"), .real)], [[.real(.nan)]])
    #expect(throws: StoreError.self) { try store.insert(notANumber, keys: [1]) }
    #expect(try store.count(FetchSpecification(try model.required("Sample"))) == 0)
  }
}

extension SQLiteStore.Options {
  static var readOnly: SQLiteStore.Options {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    return options
  }
  static var construction: SQLiteStore.Options {
    var options = SQLiteStore.Options()
    options.isUnderConstruction = true
    options.defersIndexes = true
    options.uuid = "12345678-1234-4234-8234-123456789ABC"
    return options
  }
}
