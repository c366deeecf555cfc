import SeedFormats
import TestSupport
import Testing

@Suite("JSON records of one shape")
struct ObjectShapeTwinTests {
  static let values = [
    "0", "-0", "12", "-1.5", "1e5", "2.25E-3", "\"\"", "\"text\"", "\"longer text, with é語😀\"", "true", "false", "null",
    "[1,\"]\",{\"x\":2}]", "{\"b\":{\"c\":3}}", "\"\\n\\u00e9\"",
  ]
  /// What only some records hold: what no number, string or value is.
  static let oddValues = [
    "01", "1.", "-", "+1", ".5", "1e", "\"a\tb\"", "tru", "\"\\ud800\"", "\"open", "[1,", "1 2", "",
  ]
  static let keys = ["a", "b", "b.c", "d", "", "other key that is long", "é"]
  static let projection = ["b", "a", "d", "b.c", "missing", "a", ""]

  /// Records with the same keys in the same order, and some that are otherwise in one way or another.
  static func randomLines(_ random: inout SeededGenerator) -> [String] {
    let colon = [":", ": ", " : "][Int.random(in: 0..<3, using: &random)]
    let comma = [",", ", ", " ,"][Int.random(in: 0..<3, using: &random)]
    var keys = Array(Self.keys.shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random)))
    return (0..<Int.random(in: 1...40, using: &random)).map { _ in
      var members = keys
      func isRare() -> Bool { Int.random(in: 0..<12, using: &random) == 0 }
      if isRare() { members.shuffle(using: &random) }
      if isRare() { members.append(members[0]) }
      if isRare() { members.remove(at: Int.random(in: 0..<members.count, using: &random)) }
      if isRare() { keys.append(Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)]) }
      let isOdd = isRare()
      let texts = members.map { key in
        let usable = isOdd && Bool.random(using: &random) ? oddValues : values
        return "\"\(key)\"\(colon)\(usable[Int.random(in: 0..<usable.count, using: &random)])"
      }
      return "{" + texts.joined(separator: comma) + (isRare() ? " }" : "}") + (isRare() ? " " : "")
        + (isRare() ? "\r" : "")
    }
  }

  /// A record alone has no record before it whose shape could be known.
  @Test("a record means the same after others of its shape as it does alone", arguments: 0..<6)
  func lines(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 1100)
    for round in 0..<60 {
      let lines = Self.randomLines(&random)
      var expected: [Event] = []
      var offset: UInt64 = 0
      for (index, line) in lines.enumerated() {
        let alone = events(Array(line.utf8), .ndjson, Self.projection)
        expected += alone.map { $0.moved(line: UInt64(index), byteOffset: offset) }
        offset += UInt64(line.utf8.count + 1)
      }
      let bytes = Array(lines.joined(separator: "\n").utf8)
      for blockSize in [Int.random(in: 1...40, using: &random), 1 << 16] {
        let found = eventsScannedApart(
          bytes, .ndjson, Self.projection, blockSize: blockSize, maximumRecords: Int.random(in: 1...40, using: &random))
        guard found != expected else { continue }
        let index = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, expected.count)
        Issue.record("seed \(seed), round \(round), block \(blockSize), event \(index):\n\(lines)\n\(found[index...])")
        return
      }
    }
  }

  @Test("records of a document likewise", arguments: 0..<4)
  func documents(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 1200)
    for round in 0..<60 {
      let values = Self.randomLines(&random).filter { line in
        if case .failure = events(Array(line.utf8), .json, Self.projection).last { false } else { true }
      }
      var expected: [Event] = []
      var offset: UInt64 = 2
      for (index, value) in values.enumerated() {
        let alone = events(Array(value.utf8), .json, Self.projection)
        expected += alone.map { $0.moved(line: UInt64(index) + 1, byteOffset: offset) }
        offset += UInt64(value.utf8.count + 2)
      }
      let bytes = Array("[\n\(values.joined(separator: ",\n"))]".utf8)
      for blockSize in [Int.random(in: 1...40, using: &random), 1 << 16] {
        let found = events(
          bytes, .json, Self.projection, blockSize: blockSize, maximumRecords: Int.random(in: 1...40, using: &random))
        guard found != expected else { continue }
        Issue.record("seed \(seed), round \(round), block \(blockSize): \(values)\n\(found)\n\(expected)")
        return
      }
    }
  }

  @Test("a value that goes on in the next line is no value of its line")
  func spanningLines() {
    let text = "{\"a\":[1]}\n{\"a\":[1]}\n{\"a\":[1\n]}\n{\"a\":[2]}"
    #expect(
      texts(text, .ndjson, ["a"]) == [["[1]"], ["[1]"], ["fault json.malformed"], ["fault json.malformed"], ["[2]"]])
  }
}

extension Event {
  /// The same further on in a source.
  fileprivate func moved(line: UInt64, byteOffset: UInt64) -> Event {
    switch self {
    case .record(let fields, let ownLine, let ownOffset, let raw):
      .record(fields, line: ownLine + line, byteOffset: ownOffset + byteOffset, raw: raw)
    case .fault(let code, let ownLine, let ownOffset, let raw):
      .fault(code, line: ownLine + line, byteOffset: ownOffset + byteOffset, raw: raw)
    case .failure: self
    }
  }
}
