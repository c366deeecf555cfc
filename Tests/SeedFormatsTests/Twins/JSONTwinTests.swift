import SeedFormats
import TestSupport
import Testing

@Suite("The JSON scanner and its slow twin")
struct JSONTwinTests {
  static let projection = ["a", "b.c", "", "/d/1", "a.b", "d.0.a", "/", "x~y"]
  /// Per projected path: the token paths in order of preference.
  static let tokenPaths: [[[String]]] = [
    [["a"]], [["b.c"], ["b", "c"]], [[]], [["d", "1"]], [["a.b"], ["a", "b"]], [["d.0.a"], ["d", "0", "a"]], [[""]],
    [["x~y"]],
  ]

  static let keys = ["a", "b", "c", "d", "b.c", "\\u0061", "", "x~y", "0", "1", "other key that is long", "é"]
  static let scalars = [
    "0", "-1", "12.5e-3", "1E+9", "true", "false", "null", "\"\"", "\"text\"", "\"a longer text, é語😀, of many bytes\"",
    "\"\\n\\\"\\u00e9\\ud83d\\ude00\"", "\"tab\\tand \\/\"", "123456789012345678901234567890",
  ]
  static let damage: [[UInt8]] =
    [
      "\"", "{", "}", "[", "]", ",", ":", "0", ".", "e", "-", "\\", "\\ud800", "\\udc00x", "\\u12", "tru", " ", "\t",
      "\u{1}",
    ]
    .map { Array($0.utf8) } + [[0], [0xFF], [0xE8, 0xAA]]

  static func randomValue(_ random: inout SeededGenerator, depth: Int) -> String {
    let space = [" ", "", "", "\t"][Int.random(in: 0..<4, using: &random)]
    switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
    case 3, 4:
      let members = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        let key = keys[Int.random(in: 0..<keys.count, using: &random)]
        return "\(space)\"\(key)\"\(space):\(space)\(randomValue(&random, depth: depth - 1))"
      }
      return "{" + members.joined(separator: ",") + space + "}"
    case 5:
      let elements = (0..<Int.random(in: 0...4, using: &random)).map { _ in randomValue(&random, depth: depth - 1) }
      return "[" + space + elements.joined(separator: space + ",") + space + "]"
    default: return scalars[Int.random(in: 0..<scalars.count, using: &random)]
    }
  }

  /// A value's text, sometimes damaged at one or two places; without line ends.
  static func randomText(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(randomValue(&random, depth: 4).utf8)
    guard Int.random(in: 0..<3, using: &random) == 0 else { return bytes }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let at = Int.random(in: 0...bytes.count, using: &random)
      let length = min(bytes.count - at, Int.random(in: 0...2, using: &random))
      bytes.replaceSubrange(at..<at + length, with: damage[Int.random(in: 0..<damage.count, using: &random)])
    }
    return bytes
  }

  /// The fields of a value, or the codes of what is wrong with it, any of which may be reported.
  static func fields(_ value: SlowJSON, _ flaws: Set<String>, _ raw: [UInt8]) -> (fields: [Field], flaws: Set<String>) {
    var flaws = flaws
    if String(validating: raw, as: UTF8.self) == nil { flaws = ["text.invalid-utf8"] }
    var isDuplicate = false
    let fields = tokenPaths.map { candidates in
      let found = candidates.map { path in
        value.value(at: path.map { Array($0.utf8) }[...], isDuplicate: &isDuplicate)
      }
      return found.compactMap { $0 }.first?.field ?? Field(kind: .absent, bytes: [])
    }
    if isDuplicate && flaws != ["text.invalid-utf8"] { flaws.insert("json.duplicate-key") }
    return (fields, flaws)
  }

  @Test("both make the same of random lines", arguments: 0..<6)
  func lines(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 100)
    for round in 0..<200 {
      let texts = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.randomText(&random) }
      let bytes = Array(texts.joined(separator: [0x0A]))
      let blockSize = Int.random(in: 1...17, using: &random)
      var found = events(bytes, .ndjson, Self.projection, blockSize: blockSize, maximumRecords: 3)[...]
      var offset = 0
      for (index, text) in texts.enumerated() {
        defer { offset += text.count + 1 }
        guard text.contains(where: { ![0x20, 0x09].contains($0) }) else { continue }
        let event = found.popFirst()
        guard !Self.matches(event, text, line: index + 1, offset: offset) else { continue }
        let shown = String(decoding: text, as: UTF8.self).debugDescription
        Issue.record("seed \(seed), round \(round), block \(blockSize): \(shown)\n\(event.debugDescription)")
        return
      }
      #expect(found.isEmpty)
    }
  }

  static func matches(_ event: Event?, _ text: [UInt8], line: Int, offset: Int) -> Bool {
    var parser = SlowJSONParser(text)
    parser.skipWhitespace()
    var value = try? parser.value(depth: 0)
    parser.skipWhitespace()
    if parser.position < text.count { value = nil }
    switch event {
    case .record(let fields, let foundLine, let foundOffset, let raw):
      guard let value else { return false }
      let expected = Self.fields(value, parser.flaws, text)
      return expected.flaws.isEmpty && fields == expected.fields && raw == text && foundLine == line
        && foundOffset == offset
    case .fault(let code, let foundLine, let foundOffset, let raw):
      guard raw == text, foundLine == line, foundOffset == offset else { return false }
      guard let value else {
        return text.contains(0)
          ? code == "text.nul"
          : code == (String(validating: text, as: UTF8.self) == nil ? "text.invalid-utf8" : "json.malformed")
      }
      return Self.fields(value, parser.flaws, text).flaws.contains(code)
    case .failure, nil: return false
    }
  }

  @Test("both make the same of random documents", arguments: 0..<6)
  func documents(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 200)
    for round in 0..<200 {
      let texts = (0..<Int.random(in: 0...6, using: &random)).map { _ in Self.randomText(&random) }
      let separators: [[UInt8]] = [[0x2C], [0x2C, 0x0A], [0x20, 0x2C]]
      let separator = separators[Int.random(in: 0..<3, using: &random)]
      let bytes = [0x5B, 0x0A] + texts.joined(separator: separator) + [0x5D]
      let blockSize = Int.random(in: 1...17, using: &random)
      let found = events(bytes, .json, Self.projection, blockSize: blockSize, maximumRecords: 3)
      guard !Self.documentMatches(found, bytes) else { continue }
      let shown = String(decoding: bytes, as: UTF8.self).debugDescription
      Issue.record("seed \(seed), round \(round), block \(blockSize): \(shown)\n\(found)")
      return
    }
  }

  static func documentMatches(_ events: [Event], _ bytes: [UInt8]) -> Bool {
    var events = events[...]
    var parser = SlowJSONParser(bytes)
    _ = parser.take(0x5B)
    parser.skipWhitespace()
    let isEmpty = parser.take(0x5D)
    var isMalformed = false
    while !isEmpty {
      parser.skipWhitespace()
      let start = parser.position
      parser.flaws = []
      guard let value = try? parser.value(depth: 1) else {
        isMalformed = true
        break
      }
      let raw = Array(bytes[start..<parser.position])
      let expected = Self.fields(value, parser.flaws, raw)
      let line = UInt64(1 + bytes[..<start].count { $0 == 0x0A })
      switch events.popFirst() {
      case .record(let fields, line, UInt64(start), raw) where expected.flaws.isEmpty && fields == expected.fields:
        break
      case .fault(let code, line, UInt64(start), raw) where expected.flaws.contains(code): break
      default: return false
      }
      parser.skipWhitespace()
      if parser.take(0x2C) { continue }
      isMalformed = !parser.take(0x5D)
      break
    }
    parser.skipWhitespace()
    if isMalformed || parser.position < bytes.count {
      guard case .failure(let code) = events.popFirst(), code == "json.malformed" else { return false }
    }
    return events.isEmpty
  }
}
