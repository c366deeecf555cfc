import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout

/// Rows that are asked for by many values of one attribute are found by way of an index. What `IN` finds is what that
/// is compared with.
@Suite("Rows by many values")
struct ValueLookupTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [
      .init("code", .integer64), .init("name", .string), .init("plain", .integer32), .init("flag", .boolean),
    ]
    item.fetchIndexes = [
      FetchIndexDefinition("byCode", elements: [.init(.property("code"))]),
      FetchIndexDefinition("byName", elements: [.init(.property("name"))]),
    ]
    model = try ManagedObjectModel(entities: [item])
  }

  private static let greatest: [Int64] = [.min, .min + 1, .max - 1, .max]

  private func makeStore(_ seed: UInt64, _ random: inout SeededGenerator) throws -> SQLiteStore {
    let path = folder.path("\(seed).sqlite")
    try SQLiteStore.create(path: path, model: model).close()
    let connection = try Connection(path: path)
    try connection.execute("BEGIN")
    for key in 1...400 {
      let code =
        Int.random(in: 0..<40, using: &random) == 0
        ? Self.greatest.randomElement(using: &random).map(String.init) ?? "NULL"
        : ["NULL", "\(Int.random(in: 0..<300, using: &random))", "2.5"][
          [0, 1, 1, 1, 1, 1, 1, 1, 2].randomElement(using: &random) ?? 1]
      let name =
        ["NULL", "'e\u{301}'", "'\u{e9}'", "'n\(Int.random(in: 0..<200, using: &random))'", "7"]
        .randomElement(using: &random) ?? "NULL"
      try connection.execute(
        """
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCODE, ZNAME, ZPLAIN, ZFLAG)
          VALUES (\(key * 3), 1, 1, \(code), \(name), \(key % 90), \(key % 2))
        """)
    }
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1200; COMMIT")
    try connection.close()
    return try SQLiteStore.open(path: path, model: model)
  }

  private func values(_ attribute: String, _ random: inout SeededGenerator) -> [Value] {
    let count = [3, 70, 150, 400].randomElement(using: &random) ?? 3
    let isDense = Bool.random(using: &random)
    var values = (0..<count).map { index -> Value in
      let number = isDense ? index : Int.random(in: -20..<900, using: &random)
      switch attribute {
      case "name": return .string(["e\u{301}", "\u{e9}", "n\(number)", "7", ""].randomElement(using: &random) ?? "")
      case "flag": return .boolean(number % 2 == 0)
      default:
        return .integer(
          number % 50 == 7 ? Self.greatest.randomElement(using: &random) ?? 0 : Int64(number))
      }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: values.append(.null)
    case 1: values.append(.double(2.5))
    case 2: values.append(.string("n5"))
    case 3: values.shuffle(using: &random)
    default: break
    }
    return values
  }

  @Test("are those that IN selects, in the same order", arguments: UInt64(1)...12)
  func agreement(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try makeStore(seed, &random)
    let entity = try model.required("Item")
    var foundCount = 0
    for _ in 0..<40 {
      let attribute = ["code", "name", "plain", "flag"].randomElement(using: &random) ?? "code"
      var request = FetchSpecification(entity)
      request.predicate = .isIn([attribute], values(attribute, &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: request.fetchLimit = 9
      case 1: request.sortDescriptors = [.init(["plain"], ascending: false)]
      default: break
      }
      let found = try store.snapshotBlocks(request).flatMap(\.snapshots)
      #expect(found == (try store.snapshots(request)))
      foundCount += found.count
    }
    #expect(foundCount > 400)
  }

  @Test("are found whatever keys and numbers another program wrote")
  func foreignRows() throws {
    var random = SeededGenerator(seed: 2)
    let store = try makeStore(98, &random)
    let other = try Connection(path: store.path)
    try other.execute(
      """
      INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZCODE) VALUES (-9223372036854775808, 1, 1, 7), (9223372036854775807, 1, 1, 7),
        (100001, 1, 1, -9223372036854775808.0), (100002, 1, 1, 'seven'), (100003, 1, 1, x'07')
      """)
    var request = FetchSpecification(try model.required("Item"))
    request.predicate = .isIn(["code"], (0..<100).map { .integer($0) } + [.integer(.min)])
    let found = try store.snapshotBlocks(request).flatMap(\.snapshots)
    #expect(found == (try store.snapshots(request)))
    #expect(found.first?.objectID.primaryKey == .min && found.last?.objectID.primaryKey == .max)
    #expect(found.contains { $0.objectID.primaryKey == 100_001 })
    try other.execute("UPDATE ZITEM SET Z_ENT = 9 WHERE Z_PK = 100001")
    #expect(throws: StoreError.self) { try store.snapshots(request) }
    #expect(throws: StoreError.self) { try store.snapshotBlocks(request) }
  }

  @Test("come from an index where there is one, and from the table where it was dropped")
  func index() throws {
    var random = SeededGenerator(seed: 1)
    let store = try makeStore(99, &random)
    var request = FetchSpecification(try model.required("Item"))
    request.predicate = .isIn(["code"], (0..<100).map { .integer($0) })
    let expected = try store.snapshots(request)
    #expect(expected.count > 50)
    func isFoundByValue() throws -> Bool {
      try store.reader.session.perform { try store.reader.readingByValue(request) { _ in true } ?? false }
    }
    #expect(try isFoundByValue())
    #expect(try store.snapshotBlocks(request).flatMap(\.snapshots) == expected)
    let other = try Connection(path: store.path)
    try other.execute("DROP INDEX Z_Item_byCode; DROP INDEX Z_Item_code")
    try other.close()
    #expect(try !isFoundByValue())
    #expect(try store.snapshotBlocks(request).flatMap(\.snapshots) == expected)
  }
}
