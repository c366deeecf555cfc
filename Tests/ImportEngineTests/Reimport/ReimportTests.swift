import CoreDataLayout
import Foundation
import ModelFiles
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports
@testable import StoreModels

@Suite("A feed that is imported again")
struct ReimportTests {
  /// A feed: lines by code, halts by line and number, with the fields of each record.
  private struct Feed {
    var generator: SeededGenerator
    var lines: [[String: String]] = []
    var halts: [[String: String]] = []

    init(seed: UInt64, lines: Int, halts: Int) {
      generator = SeededGenerator(seed: seed)
      for line in 0..<lines { self.lines.append(newLine("l\(line)")) }
      for halt in 0..<halts { self.halts.append(newHalt("l\(halt * lines / halts)", halt)) }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
    mutating func pick(_ values: [String]) -> String { values[Int.random(in: 0..<values.count, using: &generator)] }

    private mutating func newLine(_ code: String) -> [String: String] {
      [
        "code": "\"\(code)\"", "color": pick(["\"red\"", "\"\"", "null", "\"Grün\""]),
        "next": pick(["null", "\"l1\""]),
      ]
    }

    mutating func newHalt(_ line: String, _ number: Int) -> [String: String] {
      [
        "line": "\"\(line)\"", "number": "\(number)", "name": pick(["\"Hauptplatz\"", "\"A\"", "\"\(long)\""]),
        "arrival": pick(["0", "1", "90000", "-5", "null"]), "day": pick(["\"2001-01-02\"", "\"1999-12-31\"", "null"]),
        "height": pick(["0.1", "-2", "16777217", "null"]), "latitude": pick(["48.5", "-0.0", "0", "3", "null"]),
        "key": pick(["\"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\"", "null"]), "onDemand": pick(["true", "false"]),
        "transfer": pick(["null", "\"l0\"", "\"l2\""]),
      ]
    }

    /// So long that its row goes to overflow pages.
    private var long: String { String(repeating: "Überlandbahnhof ", count: 150) }

    /// The feed of another day: of each hundred records some differ, are new, wrong, missing something, or repeated.
    mutating func change(percent: Int) {
      for index in halts.indices where chance(percent) {
        let fresh = newHalt("l0", 0)
        let name = pick(["name", "arrival", "day", "height", "latitude", "key", "onDemand", "transfer"])
        halts[index][name] = chance(20) ? nil : fresh[name]
        if chance(20) { halts[index]["name"] = pick(["null", "\"\""]) }
        if chance(10) { halts[index]["latitude"] = "\"north\"" }
        if chance(10) { halts[index]["line"] = pick(["\"l99\"", "null"]) }
        if chance(10) { halts[index]["transfer"] = "\"l99\"" }
        if chance(10) { halts[index]["skip"] = "true" }
        if chance(20) { halts[index] = newHalt("l\(index % 3)", 1000 + index) }
        if chance(5) { halts.append(halts[index]) }
      }
      for index in lines.indices where chance(percent) {
        let fresh = newLine("x\(index)")
        let name = pick(["color", "next"])
        lines[index][name] = fresh[name]
        if chance(20) { lines.append(fresh) }
        if chance(10) { lines[index]["next"] = "\"x\(index)\"" }
      }
    }

    func json(_ records: [[String: String]]) -> [String] {
      records.map { record in
        "{" + record.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
      }
    }

    func write(to railway: Railway) throws {
      try railway.write("lines.ndjson", json(lines))
      try railway.write("halts.ndjson", json(halts))
    }
  }

  private static func steps(_ settings: String = "", strategy: String = "automatic") -> String {
    """
      - from: lines.ndjson
        entity: Line
        match: [code]
        strategy: \(strategy)
        \(settings)
        map: { code: code, color: color, next: { match: code, from: next } }
      - from: halts.ndjson
        entity: Halt
        match: [line, number]
        strategy: \(strategy)
        where: "coalesce(skip, false) != true"
        \(settings)
        map:
          number: number
          name: name
          arrival: arrival
          day: day
          height: height
          latitude: latitude
          key: key
          onDemand: onDemand
          line: { match: code, from: line }
          transfer: { match: code, from: transfer, missing: "null" }
    """
  }

  /// How the same is done without recognising anything, and in ways that must not matter.
  static let settings: [UnchangedScanSettings] = {
    var off = UnchangedScanSettings()
    off.isOn = false
    var weak = UnchangedScanSettings()
    weak.hashMask = 0x300_0000_0000
    var narrow = UnchangedScanSettings()
    narrow.deferredBudget = 300
    var poor = UnchangedScanSettings()
    poor.memoryBudget = 100
    // New records as finished pages, the others from memory or read once more.
    var loading = UnchangedScanSettings()
    loading.leastNewRecords = 1
    loading.rowsPerNewRecord = 1000
    var loadingNarrowly = loading
    loadingNarrowly.deferredBudget = 300
    // Changed records as finished pages, the new ones as ever or as pages, too.
    var changing = UnchangedScanSettings()
    changing.leastChangedRecords = 1
    changing.rowsPerChangedRecord = 1000
    var changingNarrowly = changing
    changingNarrowly.deferredBudget = 300
    changingNarrowly.hashMask = weak.hashMask
    var bothNarrowly = loadingNarrowly
    bothNarrowly.leastChangedRecords = 1
    bothNarrowly.rowsPerChangedRecord = 1000
    return [
      off, UnchangedScanSettings(), weak, narrow, poor, loading, loadingNarrowly, changing, changingNarrowly,
      bothNarrowly,
    ]
  }()

  private func same(
    _ rules: String, strategy: String, seed: UInt64, shuffles: Bool = false,
    tracksHistory: Bool = false
  ) throws {
    var expected: [(Railway.Result, [String])] = []
    var loaded = 0
    var rewritten = 0
    for (number, settings) in Self.settings.enumerated() {
      let railway = try Railway()
      var feed = Feed(seed: seed, lines: 12, halts: 90)
      if tracksHistory {
        var options = SQLiteStore.Options()
        options.tracksHistory = true
        options.uuid = "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"
        let path = railway.folder.path("Railway.xcdatamodel")
        let model = try StoreModel.readFile(path: path, version: nil, templatePath: nil).model
        try SQLiteStore.create(path: railway.folder.path("Railway.sqlite"), model: model, options: options).close()
      }
      try feed.write(to: railway)
      railway.recordsPerBatch = number == 0 ? 8192 : 17
      railway.unchangedScan = Self.settings[0]
      railway.recordsPerBatch = 17
      try railway.run(Self.steps(), replace: "never")
      railway.unchangedScan = settings
      for (round, percent) in [0, 10, 60].enumerated() {
        feed.change(percent: percent)
        if shuffles {
          feed.halts.shuffle(using: &feed.generator)
          feed.lines.shuffle(using: &feed.generator)
        }
        try feed.write(to: railway)
        let result = try railway.run(Self.steps(rules, strategy: strategy))
        if percent == 0, rules.isEmpty { #expect(result.counts.allSatisfy { $0.unchanged > 0 && $0.updated == 0 }) }
        if number == 0 {
          expected.append((result, try railway.rows()))
          continue
        }
        #expect(result.isSame(as: expected[round].0), "setting \(number), round \(round)")
        #expect(try railway.rows() == expected[round].1, "setting \(number), round \(round)")
        #expect(try railway.query("PRAGMA integrity_check") == ["ok"], "setting \(number), round \(round)")
        if settings.leastNewRecords == 1, result.hasLoaded { loaded += 1 }
        if settings.leastChangedRecords == 1, result.hasRewritten { rewritten += 1 }
      }
    }
    let isLoadable = !tracksHistory && rules != "on-match: replace" && rules != "on-match: fail"
    #expect(isLoadable == (loaded > 0))
    // Objects are changed one by one.
    #expect((isLoadable && strategy == "upsert" && rules != "on-match: keep") == (rewritten > 0))
  }

  @Test(
    "changes the same, says the same and rejects the same as record by record",
    arguments: ["upsert", "find-or-create"],
    ["", "on-match: keep", "on-match: replace", "on-match: fail", "duplicates: first", "duplicates: reject"])
  func same(strategy: String, rules: String) throws {
    try same(rules, strategy: strategy, seed: UInt64(rules.utf8.count))
  }

  @Test("the order of the input does not matter", arguments: ["upsert", "find-or-create"])
  func shuffled(strategy: String) throws {
    try same("", strategy: strategy, seed: 77, shuffles: true)
  }

  @Test("history says the same", arguments: ["upsert", "find-or-create"])
  func history(strategy: String) throws {
    try same("", strategy: strategy, seed: 5, tracksHistory: true)
  }

  /// References to what comes later in the run, or never: their records wait, all others need not.
  private static let waitingSteps = """
      - from: lines.ndjson
        entity: Line
        match: [code]
        map: { code: code, color: color, next: { match: code, from: next } }
      - from: halts.ndjson
        entity: Halt
        match: [line, number]
        map:
          number: number
          name: name
          arrival: arrival
          line: { match: code, from: line }
          transfer: { match: code, from: transfer }
      - from: lines.ndjson
        entity: Line
        match: [code]
        map: { code: code, color: color }
      - from: more.ndjson
        entity: Line
        match: [code]
        map: { code: code, color: color, next: { match: code, from: next } }
      - from: again.ndjson
        entity: Halt
        match: [line, number]
        map: { number: number, name: name, line: { match: code, from: line }, transfer: { match: code, from: transfer } }
    """

  @Test("what waits for a later record goes its own way, whatever else is recognised", arguments: 0..<3)
  func waiting(seed: UInt64) throws {
    var expected: [(Railway.Result, [String])] = []
    for (number, settings) in Self.settings.enumerated() {
      let railway = try Railway()
      railway.recordsPerBatch = 13
      railway.unchangedScan = Self.settings[0]
      var feed = Feed(seed: seed, lines: 8, halts: 70)
      for round in 0..<3 {
        // Lines that only come with the second file, or never; and halts and lines that name them.
        var more = (0..<6).map {
          ["code": "\"m\(round)\($0)\"", "next": feed.pick(["\"m\(round)0\"", "\"gone\"", "null"])]
        }
        for index in feed.lines.indices where feed.chance(20) {
          feed.lines[index]["next"] = feed.pick(["\"m\(round)1\"", "\"m\(round)2\"", "\"gone\"", "\"l3\""])
        }
        feed.lines.append([
          "code": "\"n\(round)\"", "next": feed.pick(["\"m\(round)3\"", "\"gone\"", "\"n\(round)\""]),
        ])
        for index in feed.halts.indices where feed.chance(15) {
          feed.halts[index]["transfer"] = feed.pick(["\"m\(round)4\"", "\"gone\"", "\"n\(round)\"", "\"l1\""])
        }
        for extra in 0..<8 {
          feed.halts.append(
            feed.newHalt(feed.pick(["l2", "n\(round)", "m\(round)5", "gone"]), 2000 + round * 10 + extra))
        }
        var again = feed.halts
        for index in again.indices where feed.chance(10) { again[index]["name"] = "\"B\"" }
        if feed.chance(50) { more.append(feed.lines[2]) }
        try feed.write(to: railway)
        try railway.write("more.ndjson", feed.json(more))
        try railway.write("again.ndjson", feed.json(again))
        let result = try railway.run(Self.waitingSteps)
        railway.unchangedScan = settings
        if number == 0 {
          expected.append((result, try railway.rows()))
        } else {
          #expect(result.isSame(as: expected[round].0), "setting \(number), round \(round)")
          #expect(try railway.rows() == expected[round].1, "setting \(number), round \(round)")
          #expect(try railway.query("PRAGMA integrity_check") == ["ok"])
        }
      }
    }
    #expect(expected[2].0.counts[0].rejected > 0 || expected[2].0.counts[1].rejected > 0)
  }

  @Test("an unchanged feed leaves every row and every page of the tables as they are")
  func unchanged() throws {
    let railway = try Railway()
    try Feed(seed: 3, lines: 5, halts: 3000).write(to: railway)
    try railway.run(Self.steps())
    try railway.run(Self.steps())
    let before = try railway.folder.bytes("Railway.sqlite")
    func file() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: railway.folder.path("Railway.sqlite"))[.systemFileNumber]
        as? Int
    }
    let fileBefore = try file()
    let result = try railway.run(Self.steps())
    #expect(result.counts.map(\.unchanged) == [5, 3000])
    #expect(result.counts.map(\.total) == [5, 3000])
    #expect(try railway.folder.bytes("Railway.sqlite") == before)
    // Nothing was put in its place.
    #expect(try file() == fileBefore)
    // Nor is it for other bytes that say the same.
    let lines = String(decoding: try railway.folder.bytes("lines.ndjson"), as: UTF8.self)
    try railway.folder.write(lines.replacing("}", with: " }"), to: "lines.ndjson")
    #expect(try railway.run(Self.steps()).counts.map(\.unchanged) == [5, 3000])
    #expect(try railway.folder.bytes("Railway.sqlite") == before)
    #expect(try file() == fileBefore)
    try railway.execute("PRAGMA journal_mode = WAL")
    #expect(try railway.run(Self.steps()).counts.map(\.unchanged) == [5, 3000])
    #expect(try railway.query("PRAGMA journal_mode") == ["delete"])
  }

  @Test("one changed value is found wherever it is", arguments: 0..<8)
  func oneChange(field: Int) throws {
    let fields = ["name", "arrival", "day", "height", "latitude", "key", "onDemand", "transfer"]
    let others = ["\"B\"", "7", "\"2020-02-02\"", "0.2", "1e-9", "null", "true", "\"l3\""]
    let railway = try Railway()
    var feed = Feed(seed: 9, lines: 4, halts: 300)
    feed.halts[150] = feed.newHalt("l2", 7)
    feed.halts[150].merge(["key": "\"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\"", "onDemand": "false"]) { $1 }
    try feed.write(to: railway)
    try railway.run(Self.steps())
    feed.halts[150][fields[field]] = others[field]
    try feed.write(to: railway)
    let result = try railway.run(Self.steps())
    #expect(result.counts[1].updated == 1)
    #expect(result.counts[1].unchanged == 299)
    #expect(try railway.query("SELECT Z_PK FROM ZHALT WHERE Z_OPT = 2") == ["151"])
  }

  @Test(
    "an empty table of a store that is there is written as finished pages, if it is as this program makes it",
    arguments: ["", "CREATE INDEX OTHER ON ZHALT (ZNAME)", "ALTER TABLE ZHALT ADD COLUMN ZOTHER VARCHAR"])
  func emptyTable(change: String) throws {
    var results: [[String]] = []
    for strategy in ["automatic", "upsert"] {
      let railway = try Railway()
      var feed = Feed(seed: 21, lines: 9, halts: 400)
      feed.change(percent: 20)
      let halts = feed.halts
      feed.halts = []
      try feed.write(to: railway)
      try railway.run(Self.steps())
      if !change.isEmpty { try railway.execute(change) }
      feed.halts = halts
      try feed.write(to: railway)
      let result = try railway.run(Self.steps("duplicates: first", strategy: strategy))
      #expect(result.strategies[1].contains("written as finished pages") == (change.isEmpty && strategy == "automatic"))
      #expect(try railway.query("PRAGMA integrity_check") == ["ok"])
      results.append(try railway.rows())
      let again = try railway.run(Self.steps("duplicates: first", strategy: strategy))
      #expect(again.counts[1].unchanged == result.counts[1].inserted)
    }
    #expect(results[0] == results[1])
  }

  @Test("a row that another program has changed is compared as it is now")
  func changedElsewhere() throws {
    let railway = try Railway()
    try Feed(seed: 12, lines: 5, halts: 60).write(to: railway)
    try railway.run(Self.steps())
    try railway.execute("UPDATE ZHALT SET ZARRIVAL = 17 WHERE Z_PK = 40; DELETE FROM ZHALT WHERE Z_PK = 50")
    let result = try railway.run(Self.steps())
    #expect(result.counts[1].updated == 1)
    #expect(result.counts[1].inserted == 1)
    #expect(result.counts[1].unchanged == 58)
    #expect(try railway.query("SELECT Z_OPT FROM ZHALT WHERE Z_PK = 40") == ["2"])
  }
}
