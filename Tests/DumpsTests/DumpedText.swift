/// A value of a dump's record with its text as it was written, so that nothing is lost on the way into another dump.
indirect enum DumpedText: Equatable, Sendable {
  /// A number, a string with its quotes, `true`, `false` or `null`.
  case scalar(String)
  case list([DumpedText])
  case record([Member])

  struct Member: Equatable, Sendable {
    var name: String
    var value: DumpedText
  }

  static let null = DumpedText.scalar("null")

  subscript(name: String) -> DumpedText? {
    guard case .record(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// What a string without escapes says.
  var string: String? {
    guard case .scalar(let text) = self, text.hasPrefix("\""), !text.contains("\\") else { return nil }
    return String(text.dropFirst().dropLast())
  }

  var elements: [DumpedText] { if case .list(let elements) = self { elements } else { [] } }

  var text: String {
    switch self {
    case .scalar(let text): text
    case .list(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .record(let members): "{" + members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}"
    }
  }

  /// A record as dumps write it; nil for other text.
  init?(_ line: some StringProtocol) {
    var parser = Parser(bytes: Array(line.utf8)[...])
    guard let value = parser.value(), parser.bytes.isEmpty else { return nil }
    self = value
  }

  private struct Parser {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard bytes.first == UInt8(ascii: character) else { return false }
      bytes.removeFirst()
      return true
    }

    mutating func value() -> DumpedText? {
      if take("[") {
        var elements: [DumpedText] = []
        while !take("]") {
          if !elements.isEmpty, !take(",") { return nil }
          guard let element = value() else { return nil }
          elements.append(element)
        }
        return .list(elements)
      }
      if take("{") {
        var members: [Member] = []
        while !take("}") {
          if !members.isEmpty, !take(",") { return nil }
          guard let name = value()?.string, take(":"), let value = value() else { return nil }
          members.append(Member(name: name, value: value))
        }
        return .record(members)
      }
      return scalar()
    }

    private mutating func scalar() -> DumpedText? {
      var count = 0
      if bytes.first == UInt8(ascii: "\"") {
        count = 1
        while let byte = bytes.dropFirst(count).first, byte != UInt8(ascii: "\"") {
          count += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        count += 1
      } else {
        count = bytes.prefix { !",]}".utf8.contains($0) }.count
      }
      guard count > 0, count <= bytes.count else { return nil }
      let text = String(decoding: bytes.prefix(count), as: UTF8.self)
      bytes.removeFirst(count)
      return .scalar(text)
    }
  }
}
