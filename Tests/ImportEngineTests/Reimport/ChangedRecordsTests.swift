import Foundation
import SQLite
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

@Suite("Many changed records are written as pages")
struct ChangedRecordsTests {
  /// Every change as pages, wherever that is possible.
  private static let pages: UnchangedScanSettings = {
    var settings = UnchangedScanSettings()
    settings.leastChangedRecords = 1
    settings.rowsPerChangedRecord = 1_000_000
    return settings
  }()
  private static let newAsWell: UnchangedScanSettings = {
    var settings = pages
    settings.leastNewRecords = 1
    settings.rowsPerNewRecord = 1_000_000
    return settings
  }()
  private static let statements: UnchangedScanSettings = {
    var settings = UnchangedScanSettings()
    settings.isOn = false
    return settings
  }()

  private static func steps(_ columns: String = "arrival: arrival, name: name", rules: String = "") -> String {
    """
      - from: lines.ndjson
        entity: Line
        match: [code]
        map: { code: code, color: color }
      - from: halts.ndjson
        entity: Halt
        strategy: upsert
        match: [line, number]
        \(rules)
        map: { number: number, line: { match: code, from: line }, \(columns) }
    """
  }

  private static let lines = (0..<5).map { "{\"code\": \"l\($0)\", \"color\": \"red\"}" }

  private static func halt(_ number: Int, arrival: Int, name: String = "A") -> String {
    "{\"line\": \"l\(number % 5)\", \"number\": \(number), \"arrival\": \(arrival), \"name\": \"\(name)\"}"
  }

  private static func halts(_ count: Int, _ arrival: (Int) -> Int, name: (Int) -> String = { "A\($0)" }) -> [String] {
    (0..<count).map { halt($0, arrival: arrival($0), name: name($0)) }
  }

  /// Imports one feed, then another, record by record and as pages; both must say and leave the same.
  @discardableResult
  private func same(
    _ before: [String], _ after: [String], steps: String = steps(), meanwhile: (Railway) throws -> Void = { _ in },
    then: (Railway) throws -> Void = { _ in }
  ) throws -> [Railway.Result] {
    var results: [Railway.Result] = []
    var rows: [[String]] = []
    for settings in [Self.statements, Self.pages, Self.newAsWell] {
      let railway = try Railway()
      railway.recordsPerBatch = 50
      try railway.write("lines.ndjson", Self.lines)
      try railway.write("halts.ndjson", before)
      try railway.run(Self.steps())
      try meanwhile(railway)
      try railway.write("halts.ndjson", after)
      railway.unchangedScan = settings
      results.append(try railway.run(steps))
      #expect(try railway.query("PRAGMA integrity_check") == ["ok"])
      rows.append(try railway.rows())
      try then(railway)
    }
    #expect(results.dropFirst().allSatisfy { $0.isSame(as: results[0]) })
    for other in rows.dropFirst() {
      let differing = zip(rows[0], other).filter { $0 != $1 }
      #expect(other.count == rows[0].count && differing.isEmpty, "\(differing.prefix(2))")
    }
    return results
  }

  @Test("of any page size, and what SQLite does with them later", arguments: [512, 1024, 2048, 8192, 32_768, 65_536])
  func pageSizes(pageSize: Int) throws {
    let long = String(repeating: "Überlandbahnhof ", count: 100)
    let before = Self.halts(700, { $0 }, name: { $0 % 13 == 0 ? long : "A\($0)" })
    let after = Self.halts(720, { $0 % 3 == 0 ? $0 : $0 + 100_000 }, name: { $0 % 17 == 0 ? long + "\($0)" : "A\($0)" })
    let results = try same(
      before, after,
      meanwhile: { try $0.execute("PRAGMA page_size = \(pageSize); VACUUM") },
      then: { railway in
        #expect(try railway.query("PRAGMA page_size; ") == ["\(pageSize)"])
        try railway.execute(
          """
          DELETE FROM ZHALT WHERE Z_PK % 3 = 0; UPDATE ZHALT SET ZNAME = ZNAME || 'x' WHERE Z_PK % 5 = 0;
          PRAGMA incremental_vacuum; INSERT INTO ZHALT (ZNUMBER, ZNAME) SELECT ZNUMBER + 1000, ZNAME FROM ZHALT
          """)
        #expect(try railway.query("PRAGMA integrity_check") == ["ok"])
      })
    #expect(results[1].hasRewritten && !results[1].hasLoaded && results[2].hasRewritten && results[2].hasLoaded)
    #expect(results[0].counts[1].updated > 400 && results[0].counts[1].inserted == 20)
  }

  @Test("a key that comes several times counts as its last record says, whatever the others do", arguments: 0..<6)
  func repeatedKeys(order: Int) throws {
    let kinds = [
      Self.halt(7, arrival: 7, name: "A7"), Self.halt(7, arrival: 8), Self.halt(7, arrival: 9, name: "B"),
    ]
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    var after = Self.halts(300) { $0 % 2 == 0 ? $0 : $0 + 1 }
    after.remove(at: 7)
    for (index, kind) in orders[order].enumerated() { after.insert(kinds[kind], at: 20 + index * 90) }
    // Twice new, and twice the same.
    after += [Self.halt(900, arrival: 1), Self.halt(900, arrival: 2), after[100]]
    let results = try same(Self.halts(300) { $0 }, after)
    #expect(results[0].counts[1].duplicate == 4)
    #expect(results[1].hasRewritten && results[2].hasRewritten)
  }

  @Test("columns that the pipeline does not name stay as they are, wherever their values lie")
  func otherColumns() throws {
    let results = try same(
      Self.halts(300) { $0 }, Self.halts(300) { $0 + 1 }, steps: Self.steps("arrival: arrival"),
      meanwhile: {
        try $0.execute(
          """
          UPDATE ZHALT SET ZSKETCH = CAST(char(1) || printf('%.*c', 5000, 'x') AS BLOB), ZDAY = 0.5,
            ZLATITUDE = 3, ZTRANSFER = 2 WHERE Z_PK % 4 = 0;
          UPDATE ZHALT SET ZNAME = printf('%.*c', Z_PK * 100, 'y'), ZKEY = zeroblob(16) WHERE Z_PK % 4 = 1;
          UPDATE ZHALT SET Z_OPT = 127 WHERE Z_PK % 4 = 2; UPDATE ZHALT SET Z_OPT = NULL WHERE Z_PK % 4 = 3
          """)
      })
    #expect(results[1].hasRewritten)
    #expect(results[0].counts[1].updated == 300)
  }

  @Test(
    "rows that move to other owners count those up that lose or get one, once, whatever writes them", arguments: 0..<4)
  func owners(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    // Numbers are unique, so that a halt can change its line.
    let steps = Self.steps().replacing("match: [line, number]", with: "match: [number]").replacing(
      "strategy: upsert", with: "strategy: \(seed < 2 ? "upsert" : "automatic")")
    func halts(_ line: (Int) -> Int) -> [String] {
      (0..<300).map { "{\"line\": \"l\(line($0))\", \"number\": \($0), \"arrival\": 1, \"name\": \"A\"}" }
    }
    let before = (0..<300).map { $0 % 4 }
    var after = before
    // The fifth line gets none, and one keeps all that it has.
    for number in (0..<300) where number % 4 != 1 && Int.random(in: 0..<3, using: &random) == 0 {
      after[number] = [0, 2, 3].randomElement(using: &random) ?? 0
    }
    after[0] = 2
    let moved = zip(before, after).filter { $0 != $1 }
    let touched = Set(moved.flatMap { [$0.0, $0.1] })
    var expected = (0..<5).map { "l\($0) \(touched.contains($0) ? 2 : 1)" }
    expected.append("\(moved.count)")
    for settings in [Self.statements, Self.pages, Self.newAsWell] {
      let railway = try Railway()
      try railway.folder.write(
        Railway.model.replacing("<constraint value=\"line\"/><constraint", with: "<constraint"),
        to: "Railway.xcdatamodel/contents")
      railway.unchangedScan = settings
      try railway.write("lines.ndjson", Self.lines)
      try railway.write("halts.ndjson", halts { before[$0] })
      try railway.run(steps, replace: "always")
      try railway.write("halts.ndjson", halts { after[$0] })
      let result = try railway.run(steps)
      #expect(result.hasRewritten == (settings.isOn), "\(result.strategies)")
      let connection = try Connection(path: railway.folder.path("Railway.sqlite"), options: .init(isReadOnly: true))
      defer { try? connection.close() }
      let found = try connection.string(
        "SELECT group_concat(v, ';') FROM (SELECT ZCODE || ' ' || Z_OPT AS v FROM ZLINE ORDER BY ZCODE)")
      let halts = try connection.string("SELECT count(*) FROM ZHALT WHERE Z_OPT = 2")
      #expect((found ?? "").split(separator: ";").map(String.init) + [halts ?? ""] == expected)
    }
  }

  @Test("what only SQLite can compare goes through SQLite")
  func oddValues() throws {
    let results = try same(
      Self.halts(200) { $0 }, Self.halts(200) { $0 < 50 ? $0 : $0 + 1 },
      meanwhile: {
        try $0.execute(
          """
          UPDATE ZHALT SET ZARRIVAL = 'late' WHERE Z_PK % 10 = 0; UPDATE ZHALT SET ZARRIVAL = ZNUMBER + 0.5 WHERE Z_PK % 10 = 1;
          UPDATE ZHALT SET ZNAME = CAST(ZNAME AS BLOB) WHERE Z_PK % 10 = 2; UPDATE ZHALT SET ZNAME = 5 WHERE Z_PK % 10 = 3;
          UPDATE ZHALT SET Z_OPT = 'x' WHERE Z_PK % 10 = 4
          """)
      })
    #expect(results[1].hasRewritten && results[2].hasRewritten)
  }

  @Test("rows of sub-entities change as those of their entity do")
  func subentities() throws {
    var results: [Railway.Result] = []
    var rows: [[String]] = []
    for settings in [Self.statements, Self.pages] {
      let railway = try Railway()
      let steps = """
          - from: lines.ndjson
            entity: Line
            strategy: upsert
            match: [code]
            map: { code: code, color: color, next: { match: code, from: next, missing: "null" } }
        """
      try railway.write("lines.ndjson", (0..<40).map { "{\"code\": \"l\($0)\", \"color\": \"red\"}" })
      try railway.write("fast.ndjson", (0..<40).map { "{\"code\": \"f\($0)\", \"color\": \"red\", \"speed\": \($0)}" })
      try railway.run(
        steps + """

            - from: fast.ndjson
              entity: Express
              match: [code]
              map: { code: code, color: color, speed: speed }
          """)
      railway.unchangedScan = settings
      // The entity of a destination is stored with its key.
      let codes = (0..<40).map { "l\($0)" } + (0..<40).map { "f\($0)" }
      try railway.write(
        "lines.ndjson",
        codes.enumerated().map { index, code in
          "{\"code\": \"\(code)\", \"color\": \"\(index % 3 == 0 ? "red" : "blue")\", "
            + "\"next\": \"\(["l3", "f4", "gone", "l\(index)"][index % 4])\"}"
        })
      results.append(try railway.run(steps))
      #expect(try railway.query("PRAGMA integrity_check") == ["ok"])
      rows.append(try railway.rows())
    }
    #expect(results[1].isSame(as: results[0]))
    #expect(rows[1] == rows[0])
    #expect(results[1].hasRewritten)
  }

  @Test(
    "a table that something hangs on changes through SQLite",
    arguments: [
      "CREATE INDEX OTHER ON ZHALT (ZNAME) WHERE ZARRIVAL > 7", "CREATE INDEX OTHER ON ZHALT (ZNAME COLLATE NOCASE)",
      "ALTER TABLE ZHALT ADD COLUMN ZOTHER VARCHAR",
    ])
  func dependents(change: String) throws {
    let results = try same(Self.halts(200) { $0 }, Self.halts(200) { $0 + 1 }, meanwhile: { try $0.execute(change) })
    #expect(!results.contains { $0.hasRewritten })
  }

  @Test("with a JSON document, and with rules under which nothing changes", arguments: ["", "on-match: keep"])
  func document(rules: String) throws {
    let steps = Self.steps(rules: rules).replacing("halts.ndjson", with: "halts.json")
    var results: [Railway.Result] = []
    var rows: [[String]] = []
    for settings in [Self.statements, Self.pages, Self.newAsWell] {
      let railway = try Railway()
      railway.recordsPerBatch = 20
      try railway.write("lines.ndjson", Self.lines)
      try railway.write("halts.json", ["[\(Self.halts(90) { $0 }.joined(separator: ", "))]"])
      try railway.run(steps)
      railway.unchangedScan = settings
      var after = Self.halts(95) { $0 * 2 }
      after[80] = after[80].replacing("\"arrival\": 160", with: "\"arrival\": \"late\"")
      try railway.write("halts.json", ["[\(after.joined(separator: ", "))]"])
      results.append(try railway.run(steps))
      rows.append(try railway.rows())
    }
    #expect(results.dropFirst().allSatisfy { $0.isSame(as: results[0]) })
    #expect(rows.dropFirst().allSatisfy { $0 == rows[0] })
    #expect(results[0].rejects.joined().contains("/80"))
    #expect(results[1].hasRewritten == rules.isEmpty)
  }

  @Test("a run that fails leaves the store as it was, byte for byte")
  func failure() throws {
    for settings in [Self.pages, Self.newAsWell] {
      let railway = try Railway()
      railway.recordsPerBatch = 20
      try railway.write("lines.ndjson", Self.lines)
      try railway.write("halts.ndjson", Self.halts(300) { $0 })
      try railway.run(Self.steps())
      let before = try railway.folder.bytes("Railway.sqlite")
      let names = try railway.folder.names()
      railway.unchangedScan = settings
      // The step after the one that writes pages is the one that fails.
      var after = Self.halts(310) { $0 + 1 }
      try railway.write("halts.ndjson", after)
      try railway.write("more.ndjson", ["{\"code\": 7}", "{\"code\": null}"])
      let failing =
        Self.steps() + """

            - from: more.ndjson
              entity: Line
              match: [code]
              map: { code: code }
          """
      #expect(throws: RunError.self) { try railway.run(failing, rejects: "limit: 0") }
      #expect(try railway.folder.bytes("Railway.sqlite") == before)
      // One of its own records does.
      after[250] = after[250].replacing("\"l0\"", with: "\"gone\"")
      try railway.write("halts.ndjson", after)
      #expect(throws: RunError.self) { try railway.run(Self.steps(), rejects: "limit: 0") }
      #expect(try railway.folder.bytes("Railway.sqlite") == before)
      #expect(try railway.folder.names().filter { !$0.hasPrefix("rejects") && $0 != "more.ndjson" } == names)
    }
  }
}
