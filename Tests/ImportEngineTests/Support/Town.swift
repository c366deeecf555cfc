import CoreDataLayout
import Foundation
import ModelFiles
import SQLite
import StoreModels
import TestQueries
import TestSupport

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// A folder with the town model, in which pipelines run in this process.
final class Town {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(TownModel.xml, to: "Town.xcdatamodel/contents")
  }

  /// A step that imports shops with their cities and owners.
  static let shopStep = """
      - from: shops.ndjson
        entity: Shop
        match: [city, number]
        strategy: @
        map:
          number: number
          title: title
          city: { match: code, from: city }
          owner: { match: identifier, from: owner }
    """

  /// What a run left: every row of the store by natural key, and what became of the records.
  struct Result: Equatable {
    var rows: [String]
    var counts: [String]
    var rejects: [String]
    var strategies: [String]
    var ownersUpdated: Int
    var warnings: [String]

    /// Everything but the strategies and the warnings.
    static func == (left: Result, right: Result) -> Bool {
      left.rows == right.rows && left.counts == right.counts && left.rejects == right.rejects
        && left.ownersUpdated == right.ownersUpdated
    }
  }

  /// Runs steps into `Town.sqlite`.
  /// - Parameters:
  ///   - steps: YAML of `import:`, with `@` where the line for the strategy goes.
  ///   - isNew: whether the store is built anew or imported into.
  ///   - more: more settings of `store:`.
  ///   - isInPlace: whether it is imported into in one transaction, and not in a copy.
  @discardableResult
  func run(
    _ steps: String, strategy: String, isNew: Bool = true, isInPlace: Bool = false, jobs: Int = 1,
    recordsPerBatch: Int = 8192, more: String = ""
  ) throws -> Result {
    let yaml = """
      model: Town.xcdatamodel
      store: { path: Town.sqlite, \(isInPlace ? "write: in-place" : "replace: \(isNew ? "always" : "never")")\(more) }
      import:
      \(steps.replacing("@", with: strategy))
      rejects: { file: rejects.ndjson, limit: 100000 }
      """
    try folder.write(yaml, to: "p.yaml")
    for name in try folder.names() where name.hasPrefix("rejects.") {
      try FileManager.default.removeItem(atPath: folder.path(name))
    }
    let pipeline = try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
    var options = PipelineRun.Options.ofTests
    options.jobs = jobs
    options.recordsPerBatch = recordsPerBatch
    let report = try PipelineRun(pipeline, options: options).run()
    let counts = report.steps.map { step in
      let counts = step.counts
      return "\(step.name): \(counts.inserted) inserted, \(counts.updated) updated, \(counts.unchanged) unchanged, "
        + "\(counts.filtered) filtered, \(counts.duplicate) duplicate, \(counts.rejected) rejected"
    }
    return Result(
      rows: try rows(), counts: counts, rejects: try report.rejectFiles.flatMap { try rejects($0) },
      strategies: report.steps.map(\.strategy.rawValue), ownersUpdated: report.ownersUpdated, warnings: report.warnings)
  }

  /// Makes an empty store that keeps a history, for runs into it.
  func makeStoreWithHistory() throws {
    let model = try StoreModel.readFile(path: folder.path("Town.xcdatamodel"), version: nil, templatePath: nil).model
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    try SQLiteStore.create(path: folder.path("Town.sqlite"), model: model, options: options).close()
  }

  func write(_ name: String, _ lines: [String]) throws {
    try folder.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  func storeBytes() throws -> Data { try folder.bytes("Town.sqlite") }

  // MARK: - What came out

  private struct RejectLine: Decodable {
    struct Reject: Decodable {
      var line: Int
      var column: Int
      var entity: String
      var property: String
      var code: String
    }
    var reject: Reject
    private enum CodingKeys: String, CodingKey {
      case reject = "$reject"
    }
  }

  /// In the order of the input, because records that wait are refused later than others.
  private func rejects(_ path: String) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rejects = try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(RejectLine.self, from: Data(line.utf8)).reject
    }
    return rejects.sorted { $0.line < $1.line }.map {
      "\($0.entity) line \($0.line):\($0.column) \($0.property) \($0.code)"
    }
  }

  /// Foreign keys by column: the table that they lead to. Entity numbers stand beside some of them.
  private static let foreignKeys = [
    "ZCITY": "ZCITY", "ZTWIN": "ZCITY", "ZOWNER": "ZPERSON", "ZPERSON": "ZPERSON", "ZBADGE": "ZBADGE", "ZSHOP": "ZSHOP",
  ]
  private static let tables = [
    ("ZCITY", ["ZCODE"]), ("ZPERSON", ["ZIDENTIFIER"]), ("ZBADGE", ["ZNUMBER"]), ("ZTAG", ["ZNAME"]),
    ("ZSHOP", ["ZCITY", "ZNUMBER"]), ("ZROW", ["ZLABEL"]),
  ]

  /// All rows with all their columns, primary and foreign keys as natural keys, sorted.
  func rows() throws -> [String] {
    let connection = try Connection(path: folder.path("Town.sqlite"), options: .init(isReadOnly: true))
    defer { try? connection.close() }
    var names: [String: [Int64: String]] = [:]
    var lines: [String] = []
    for (table, key) in Self.tables {
      let statement = try Statement(connection, "SELECT * FROM \(table)")
      defer { statement.finalize() }
      let columns = (0..<statement.columnCount).map { statement.columnName(at: $0) }
      while try statement.step() {
        var values: [String: String] = [:]
        var row: Int64 = 0
        for (index, column) in columns.enumerated() {
          let index = Int32(index)
          if column == "Z_PK" {
            row = statement.int64(at: index)
          } else if statement.isNull(at: index) {
            values[column] = "∅"
          } else if let target = Self.foreignKeys[column], target != table {
            let name = names[target]?[statement.int64(at: index)]
            values[column] = name ?? "→\(statement.int64(at: index))"
          } else {
            values[column] = statement.string(at: index)
          }
        }
        names[table, default: [:]][row] = key.map { values[$0] ?? "?" }.joined(separator: "/")
        let name = names[table]?[row] ?? "?"
        lines.append(
          "\(table) \(name): " + values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "))
      }
    }
    // A city's twin is a row of the same table, known only now; badges and people name each other.
    let twins = try pairs(
      connection, "SELECT a.ZCODE, b.ZCODE FROM ZCITY a JOIN ZCITY b ON b.Z_PK = a.ZTWIN", "twin of")
    let badges = try pairs(
      connection, "SELECT a.ZIDENTIFIER, b.ZNUMBER FROM ZPERSON a JOIN ZBADGE b ON b.Z_PK = a.ZBADGE", "has badge")
    let people = try pairs(
      connection, "SELECT b.ZNUMBER, a.ZIDENTIFIER FROM ZBADGE b JOIN ZPERSON a ON a.Z_PK = b.ZPERSON", "badge of")
    let join = try pairs(connection, "SELECT name, '' FROM sqlite_master WHERE name LIKE 'Z\\__%TAGS' ESCAPE '\\'", "")
    let table = join.first.map { String($0.prefix { $0 != " " }) } ?? ""
    let joined = try joinColumns(connection, table)
    let tags = try pairs(
      connection,
      "SELECT p.ZIDENTIFIER, t.ZNAME FROM \(table) j JOIN ZPERSON p ON p.Z_PK = j.\(joined.person) "
        + "JOIN ZTAG t ON t.Z_PK = j.\(joined.tag)", "tagged")
    return (lines.map { Self.withoutSelfReferences($0) } + twins + badges + people + tags).sorted()
  }

  private static func withoutSelfReferences(_ line: String) -> String {
    line.replacing(/\ Z(TWIN|BADGE|PERSON)=(→?[0-9]+)/, with: " ")
  }

  private func joinColumns(_ connection: Connection, _ table: String) throws -> (person: String, tag: String) {
    let statement = try Statement(connection, "SELECT * FROM \(table)")
    defer { statement.finalize() }
    let names = (0..<statement.columnCount).map { statement.columnName(at: $0) }
    return (names.first { $0.contains("PEOPLE") } ?? "", names.first { $0.contains("TAGS") } ?? "")
  }

  private func pairs(_ connection: Connection, _ sql: String, _ word: String) throws -> [String] {
    try connection.rows(ofQuery: sql).map { $0.replacing("|", with: " \(word) ") }
  }
}
