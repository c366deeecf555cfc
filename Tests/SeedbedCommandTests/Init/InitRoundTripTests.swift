import Foundation
import SeedFormats
import TestSupport
import Testing

/// Random tables through `init`, `run` and the export: every cell comes back, or is of a column that was told of.
@Suite("Random tables through init and run")
struct InitRoundTripTests {
  private static let headers = [
    "id", "Name", "name", "NAME ", "price", "description", "class", "2000", "a b", "x-y", "größe", "名前", "$total",
    "true",
    "null", "12", "a\"b", "a'b", "a:b", "#", "@", "%", "-", "self", "objectID", "a.b", "/p/q", "count(x)", "date",
    "a,b", "line\nbreak",
  ]
  private static let texts = [
    "x", "Zoë", " lead", "trail ", "a,b", "a;b", "a\tb", "a|b", "say \"hi\"", "\"", "'", "two\nlines", "\\", "NULL",
    "NA", "é", "1,5",
    "=1+1", "#c", "-", "😀", "yes", "2024-13-01", "0x10", "1e999", "١٢",
  ]

  private static func values(_ kind: Int, _ count: Int, _ random: inout SeededGenerator) -> [String] {
    let makes: [(inout SeededGenerator) -> String] = [
      { String($0.below(100)) }, { String($0.below(1 << 30) - 1 << 29) }, { String(Int64($0.below(1 << 30)) << 30) },
      { String(Double($0.below(1000)) / 8) }, { "\($0.below(100)).\($0.below(90) + 10)" },
      { $0.pick(["true", "false"]) },
      { $0.pick(["yes", "no", "TRUE"]) }, { "00" + String($0.below(50)) },
      { "2024-0\($0.below(9) + 1)-1\($0.below(9))" },
      { "\($0.below(18) + 10)/0\($0.below(9) + 1)/2023" }, { $0.pick(["+1", "2", "-0"]) },
      { $0.pick(["1e5", "2.5E-3", "7"]) },
      { "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B\($0.below(89) + 10)" },
      { "6e9a3e9c-3a0e-4b6e-9c55-0e6a5b0d9b\($0.below(89) + 10)" },
      { "https://example.org/\($0.below(9))?q=\($0.below(9))" },
      { $0.pick(["iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"]) },
      { $0.pick(texts) }, { $0.pick(texts) + $0.pick(texts) }, { $0.pick(["12345678901234567890", "1"]) },
      { $0.pick(["0.1", "0.30000000000000004"]) },
      { $0.pick(["2024-01-05T10:00:00Z", "2024-01-05T10:00:00.5Z"]) }, { "Jan \($0.below(18) + 10), 2024" },
      { _ in "" },
    ]
    let make = makes[kind % makes.count]
    let odd = random.below(6)
    return (0..<count).map { row in
      if odd == 0, row % 7 == 3 { return "" }
      if odd == 1, row == count - 1 { return random.pick(texts) }
      return make(&random)
    }
  }

  @Test("every cell comes back or was told of", arguments: 1...8)
  func roundTrip(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let workspace = try Workspace()
    let delimiter = random.pick([",", ";", "\t", "|"])
    let width = 2 + random.below(14)
    let count = 1 + random.below(60)
    var names: [String] = []
    for _ in 0..<width {
      let name = random.pick(Self.headers)
      names.append(names.contains(name) ? name + String(names.count) : name)
    }
    let columns = (0..<width).map { _ in Self.values(random.below(23), count, &random) }
    func field(_ text: String) -> String {
      let isSpecial = text.contains { "\",;\t|\n\r".contains($0) }
      return isSpecial ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
    var lines = [names.map(field).joined(separator: delimiter)]
    for row in 0..<count { lines.append(columns.map { field($0[row]) }.joined(separator: delimiter)) }
    try workspace.write("table.csv", lines.joined(separator: "\n") + "\n")

    let made = try await workspace.run("init", "table.csv", "--export")
    try #require(made.exitCode == 0, "\(made.talk)")
    let ran = try await workspace.run("run", "pipelines/table.yaml")
    try #require(ran.exitCode == 0, "\(ran.talk)")
    let lint = try await workspace.run("lint", "pipelines/table.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")

    let told = made.talk.split(separator: "\n").filter {
      $0.contains("an export writes") || $0.contains("in an export")
    }
    let (header, rows) = try Self.read(workspace.path("build/table.csv"))
    #expect(rows.count == count)
    for (index, name) in names.enumerated()
    where !told.contains(where: { $0.contains("table.csv: \(name.replacing("\n", with: " ")):") }) {
      let place = try #require(header.firstIndex(of: name), "\(name) is not in \(header)")
      #expect(rows.map { $0[place] } == columns[index], "\(name)")
    }
  }

  private static func read(_ path: String) throws -> (header: [String], rows: [[String]]) {
    var options = FormatOptions.csv
    options.hasHeader = false
    let probe = try RecordReader(source: SeedFile.open(path: path, options: options), options: options, projection: [])
    let width = probe.columns.count
    let reader = try RecordReader(
      source: SeedFile.open(path: path, options: options), options: options, projection: (1...width).map { "#\($0)" })
    let batch = RecordBatch(fieldCount: width)
    var rows: [[String]] = []
    while try reader.next(batch) {
      rows += (0..<batch.count).map { row in (0..<width).map { batch.text(of: batch.field($0, ofRecord: row)) } }
    }
    return (rows.first ?? [], Array(rows.dropFirst()))
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
