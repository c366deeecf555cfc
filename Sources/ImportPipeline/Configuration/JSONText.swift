/// JSON with keys in a stated order, to be written as text.
indirect enum JSONText {
  case string(String)
  case number(String)
  case boolean(Bool)
  case null
  case array([JSONText])
  case object([(String, JSONText)])

  /// The value as indented text.
  func text(indentation: Int = 0) -> String {
    let inner = String(repeating: " ", count: indentation + 2)
    let outer = String(repeating: " ", count: indentation)
    switch self {
    case .string(let text): return Self.quoted(text)
    case .number(let digits): return digits
    case .boolean(let flag): return String(flag)
    case .null: return "null"
    case .array(let items):
      if items.isEmpty { return "[]" }
      let lines = items.map { inner + $0.text(indentation: indentation + 2) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let pairs):
      if pairs.isEmpty { return "{}" }
      let lines = pairs.map { key, value in inner + Self.quoted(key) + ": " + value.text(indentation: indentation + 2) }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
