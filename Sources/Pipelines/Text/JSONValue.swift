/// JSON to be written, with the members of objects in the order they were given.
public indirect enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case double(Double)
  /// A number as it is to be written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  /// A text, or null.
  package static func orNull(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  /// A text, or null where it is empty.
  package static func orNullIfEmpty(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }
  /// A number, or null.
  package static func orNull(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }
  /// A flag, or null.
  package static func orNull(_ flag: Bool?) -> JSONValue { flag.map { .boolean($0) } ?? .null }
  /// An array of texts.
  package static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// The value as text: on one line, or indented by two blanks a level.
  public func text(isIndented: Bool) -> String {
    var output = ""
    write(to: &output, indent: isIndented ? 0 : nil)
    return output
  }

  private func write(to output: inout String, indent: Int?) {
    switch self {
    case .null: output += "null"
    case .boolean(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    case .double(let value): output += value.isFinite ? "\(value)" : "null"
    case .number(let digits): output += digits
    case .string(let value): Self.quote(value, to: &output)
    case .array(let elements):
      Self.list(elements, "[", "]", to: &output, indent: indent) { $0.write(to: &$1, indent: $2) }
    case .object(let members):
      Self.list(members, "{", "}", to: &output, indent: indent) { member, output, indent in
        Self.quote(member.0, to: &output)
        output += indent == nil ? ":" : ": "
        member.1.write(to: &output, indent: indent)
      }
    }
  }

  private static func list<Element>(
    _ elements: [Element], _ open: String, _ close: String, to output: inout String, indent: Int?,
    _ body: (Element, inout String, Int?) -> Void
  ) {
    output += open
    let inner = indent.map { $0 + 2 }
    for (index, element) in elements.enumerated() {
      if index > 0 { output += "," }
      if let inner { output += "\n" + String(repeating: " ", count: inner) }
      body(element, &output, inner)
    }
    if let indent, !elements.isEmpty { output += "\n" + String(repeating: " ", count: indent) }
    output += close
  }

  private static func quote(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case _ where HarmlessText.isHarmful(scalar): output += HarmlessText.jsonEscape(scalar)
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }
}
