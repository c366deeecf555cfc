import CoreDataLayout
import Foundation
import SQLite
import TestQueries
import TestSupport
import Testing

/// A store made here from the model of a store of Apple's, for the same framework, against that store.
@Suite(
  "fresh stores against Apple's, entry by entry",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct LayoutSchemaTests {
  /// Where a model comes from.
  enum Origin: String, CaseIterable, Sendable {
    case source, cache
  }

  /// Every store with each of its models.
  static let cases: [(store: String, origin: Origin)] = FixtureFolder.expected.storePaths.flatMap { store in
    Origin.allCases.filter { origin in
      switch origin {
      case .source: Fixtures.pairedStorePaths.contains(store)
      // This one's framework had no model cache yet.
      case .cache: !store.contains("surf-journal")
      }
    }.map { (store, $0) }
  }

  /// Stores whose entries stand in another order than in a fresh store.
  static let reordered: [String: String] = [
    "stores/coredataplus/SampleModel_V2.sqlite": "a migration made the tables anew, after the bookkeeping"
  ]

  /// Metadata keys whose value differs.
  static let differingMetadata: [String: [String: String]] = [
    "stores/coredataplus/SampleModel2_V1.sqlite": [
      "NSStoreModelVersionIdentifiers": "a model made in code has no identifier at all, where others have an empty one"
    ]
  ]

  /// Entity names in `Z_PRIMARYKEY` that are not the model's, by number.
  static let staleNames: [String: [Int64: (stored: String, model: String)]] = [
    // A migration in place that renames an entity keeps the old name.
    "stores/coredataplus/SampleModel_V2.sqlite": [3: ("ExpensiveSportCar", "LuxuryCar")]
  ]

  struct Entry: Hashable, CustomStringConvertible {
    var type: String
    var name: String
    var table: String
    var sql: String?
    var description: String { "\(type) \(name) on \(table): \(sql ?? "")" }
  }

  private static func entries(_ connection: Connection) throws -> [Entry] {
    let statement = try Statement(connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
    var entries: [Entry] = []
    while try statement.step() {
      entries.append(
        Entry(
          type: statement.string(at: 0) ?? "", name: statement.string(at: 1) ?? "",
          table: statement.string(at: 2) ?? "", sql: statement.string(at: 3)))
    }
    return entries
  }

  private static func entities(_ connection: Connection) throws -> [String] {
    try connection.rows(ofQuery: "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
  }

  /// Page size, read and write version, text encoding, schema format, auto-vacuum, user version, application id.
  private static func header(_ path: String) throws -> [Int: UInt32] {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100))
    func number(_ offset: Int, _ length: Int) -> UInt32 {
      bytes[offset..<(offset + length)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    var fields: [Int: UInt32] = [:]
    for (offset, length) in [(16, 2), (18, 1), (19, 1), (20, 1), (44, 4), (56, 4), (60, 4), (64, 4), (68, 4)] {
      fields[offset] = number(offset, length)
    }
    // Not which page is the largest root, but whether there is one: that is auto-vacuum.
    fields[52] = number(52, 4) > 0 ? 1 : 0
    return fields
  }

  private static let pragmas = [
    "page_size", "auto_vacuum", "encoding", "user_version", "application_id", "journal_mode", "foreign_keys",
  ]

  @Test("schema, entity numbers, pragmas and metadata keys are Apple's", arguments: cases)
  func schema(store: String, origin: Origin) throws {
    let folder = try TemporaryFolder()
    let theirPath = try Fixtures.copy(store, to: folder)
    let expected = try Fixtures.expected(store)
    let model =
      switch origin {
      case .source: try Fixtures.model(of: store)
      case .cache: try #require(try Fixtures.cachedModel(of: theirPath))
      }
    let theirHeader = try Self.header(theirPath)
    let theirs = try Connection(path: theirPath)
    let theirEntries = try Self.entries(theirs)

    var options = SQLiteStore.Options()
    options.generation = FrameworkGeneration(version: try #require(expected.frameworkVersion))
    options.tracksHistory = theirEntries.contains { $0.name == "ACHANGE" }
    let ourPath = folder.path("ours.sqlite")
    try SQLiteStore.create(path: ourPath, model: model, options: options)
      .seal(journal: theirHeader[18] == 2 ? .wal : .delete)
    #expect(try Self.header(ourPath) == theirHeader)
    let ours = try Connection(path: ourPath)
    let ourEntries = try Self.entries(ours)

    if Self.reordered[store] != nil {
      #expect(Set(ourEntries) == Set(theirEntries))
      #expect(ourEntries.count == theirEntries.count)
    } else {
      #expect(ourEntries == theirEntries)
    }
    let names = Self.staleNames[store] ?? [:]
    #expect(
      try Self.entities(ours)
        == Self.entities(theirs).map { row in
          names.values.reduce(row) { $0.replacing(" \($1.stored) ", with: " \($1.model) ") }
        })
    for pragma in Self.pragmas {
      #expect(try ours.string("PRAGMA \(pragma)") == theirs.string("PRAGMA \(pragma)"), "PRAGMA \(pragma)")
    }
    try compareMetadata(store, StoreMetadata.read(path: ourPath), StoreMetadata.read(path: theirPath))
  }

  /// All keys of Core Data's own are there, no others, and their values are equal.
  private func compareMetadata(_ store: String, _ ours: StoreMetadata, _ theirs: StoreMetadata) throws {
    #expect(Set(ours.values.keys) == Set(theirs.values.keys).intersection(StoreMetadata.coreDataKeys))
    for (key, value) in ours.values where Self.differingMetadata[store]?[key] == nil {
      #expect(theirs.values[key] == value, "\(key)")
    }
  }
}
