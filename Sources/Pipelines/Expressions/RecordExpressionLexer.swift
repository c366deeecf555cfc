/// A piece of an expression's text.
struct RecordExpressionToken: Equatable {
  enum Kind: Equatable {
    case identifier(String)
    /// A JSON Pointer, or a name in backticks: a field, whatever it looks like.
    case field(String)
    case text(String)
    /// Digits as written; the parser reads them once it knows the sign.
    case number(String)
    case symbol(String)
    case end
  }
  var kind: Kind
  /// 1-based.
  var column: Int

  /// The token as a message names it.
  var description: String {
    switch kind {
    case .identifier(let name), .number(let name): "\"\(name)\""
    case .field(RecordExpression.elementPath): "\".\""
    case .field(let name): "field \"\(name)\""
    case .text: "a text constant"
    case .symbol(let symbol): "\"\(symbol)\""
    case .end: "the end"
    }
  }
}

/// Cuts the text of an expression into tokens.
struct RecordExpressionLexer {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  /// Whether a `/` here divides: it does after an operand, elsewhere it starts a JSON Pointer.
  private var isAfterOperand = false

  private static let twoScalarSymbols: Set<String> = ["==", "!=", "<=", ">=", "&&", "||", "??"]
  private static let oneScalarSymbols: Set<Unicode.Scalar> = [
    "+", "-", "*", "/", "%", "&", "<", ">", "!", "?", ":", "(", ")", ",",
  ]

  init(_ source: String) {
    scalars = Array(source.unicodeScalars)
  }

  /// Every token, the last being `.end`.
  mutating func tokens() throws(RecordExpressionError) -> [RecordExpressionToken] {
    var tokens: [RecordExpressionToken] = []
    while true {
      let token = try next()
      tokens.append(token)
      switch token.kind {
      case .identifier, .field, .text, .number, .symbol(")"): isAfterOperand = true
      case .symbol: isAfterOperand = false
      case .end: return tokens
      }
    }
  }

  private mutating func next() throws(RecordExpressionError) -> RecordExpressionToken {
    while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
    let column = index + 1
    guard index < scalars.count else { return RecordExpressionToken(kind: .end, column: column) }
    let scalar = scalars[index]
    if scalar == "\"" || scalar == "'" {
      return RecordExpressionToken(kind: .text(try text(until: scalar)), column: column)
    }
    if scalar == "`" { return RecordExpressionToken(kind: .field(try backticked()), column: column) }
    if Self.isDigit(scalar) || (scalar == "." && index + 1 < scalars.count && Self.isDigit(scalars[index + 1])) {
      return RecordExpressionToken(kind: .number(try number()), column: column)
    }
    if scalar == ".", index + 1 == scalars.count || !Self.continuesName(scalars[index + 1]) {
      index += 1
      return RecordExpressionToken(kind: .field(RecordExpression.elementPath), column: column)
    }
    if Self.startsName(scalar) { return RecordExpressionToken(kind: .identifier(try identifier()), column: column) }
    if scalar == "/" && !isAfterOperand { return RecordExpressionToken(kind: .field(try pointer()), column: column) }
    if index + 1 < scalars.count {
      let pair = String(String.UnicodeScalarView([scalar, scalars[index + 1]]))
      if Self.twoScalarSymbols.contains(pair) {
        index += 2
        return RecordExpressionToken(kind: .symbol(pair), column: column)
      }
    }
    if Self.oneScalarSymbols.contains(scalar) {
      index += 1
      return RecordExpressionToken(kind: .symbol(String(scalar)), column: column)
    }
    if scalar == "=" {
      throw RecordExpressionError(column: column, message: "\"=\" is no operator here", hint: "write == to compare")
    }
    if scalar == "|" {
      throw RecordExpressionError(column: column, message: "\"|\" is no operator here", hint: "write || for \"or\"")
    }
    throw RecordExpressionError(
      column: column, message: "unexpected character \"\(scalar)\"",
      hint: "put the name of a field with such characters in backticks")
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
    startsName(scalar) || isDigit(scalar) || scalar.properties.generalCategory == .nonspacingMark
      || scalar.properties.generalCategory == .decimalNumber
  }

  private mutating func identifier() throws(RecordExpressionError) -> String {
    let start = index
    while index < scalars.count {
      if Self.continuesName(scalars[index]) {
        index += 1
      } else if scalars[index] == "." {
        guard index + 1 < scalars.count, Self.continuesName(scalars[index + 1]) else {
          throw RecordExpressionError(column: index + 2, message: "expected a name after \".\"")
        }
        index += 1
      } else {
        break
      }
    }
    return slice(start..<index)
  }

  private mutating func pointer() throws(RecordExpressionError) -> String {
    let start = index
    while index < scalars.count,
      Self.continuesName(scalars[index]) || scalars[index] == "/" || scalars[index] == "." || scalars[index] == "~"
    {
      if scalars[index] == "~" {
        guard index + 1 < scalars.count, scalars[index + 1] == "0" || scalars[index + 1] == "1" else {
          throw RecordExpressionError(column: index + 1, message: "expected ~0 or ~1 in a JSON Pointer")
        }
      }
      index += 1
    }
    guard index > start + 1 else {
      throw RecordExpressionError(column: start + 1, message: "expected a value, found \"/\"")
    }
    return slice(start..<index)
  }

  /// A name in backticks; a backtick in it is doubled.
  private mutating func backticked() throws(RecordExpressionError) -> String {
    let start = index
    var name = String.UnicodeScalarView()
    index += 1
    while index < scalars.count {
      if scalars[index] == "`" {
        guard index + 1 < scalars.count, scalars[index + 1] == "`" else { break }
        index += 1
      }
      name.append(scalars[index])
      index += 1
    }
    guard index < scalars.count else {
      throw RecordExpressionError(column: start + 1, message: "the name in backticks is not closed")
    }
    guard !name.isEmpty else {
      throw RecordExpressionError(column: start + 1, message: "expected a name between the backticks")
    }
    index += 1
    return String(name)
  }

  private mutating func number() throws(RecordExpressionError) -> String {
    let start = index
    while index < scalars.count, Self.isDigit(scalars[index]) || scalars[index] == "." { index += 1 }
    if index < scalars.count, scalars[index] == "e" || scalars[index] == "E" {
      index += 1
      if index < scalars.count, scalars[index] == "+" || scalars[index] == "-" { index += 1 }
      while index < scalars.count, Self.isDigit(scalars[index]) { index += 1 }
    }
    let isFollowedByName = index < scalars.count && Self.continuesName(scalars[index])
    if isFollowedByName || ParsedNumber.read(slice(start..<index)) == .notANumber {
      throw RecordExpressionError(
        column: start + 1, message: "malformed number",
        hint: "put the name of a field that starts with a digit in backticks")
    }
    return slice(start..<index)
  }

  private mutating func text(until quote: Unicode.Scalar) throws(RecordExpressionError) -> String {
    let start = index
    var result = String.UnicodeScalarView()
    index += 1
    while index < scalars.count, scalars[index] != quote {
      if scalars[index] == "\\" {
        result.append(try escape())
      } else {
        result.append(scalars[index])
        index += 1
      }
    }
    guard index < scalars.count else {
      throw RecordExpressionError(column: start + 1, message: "the text is not closed: expected \(quote)")
    }
    index += 1
    return String(result)
  }

  /// Reads `\n`, `\t`, `\r`, `\\`, `\"`, `\'` or `\u{…}` at the current position.
  private mutating func escape() throws(RecordExpressionError) -> Unicode.Scalar {
    let start = index
    defer { index += 1 }
    index += 1
    switch index < scalars.count ? scalars[index] : nil {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "\\": return "\\"
    case "\"": return "\""
    case "'": return "'"
    case "u":
      let open = index + 1
      guard open < scalars.count, scalars[open] == "{", let close = scalars[open...].firstIndex(of: "}"),
        close - open <= 9, let code = UInt32(slice(open + 1..<close), radix: 16), let scalar = Unicode.Scalar(code)
      else { throw RecordExpressionError(column: start + 1, message: "expected \\u{hexadecimal code point}") }
      if code == 0 {
        throw RecordExpressionError(column: start + 1, message: "no store takes a text with the NUL character")
      }
      index = close
      return scalar
    default:
      throw RecordExpressionError(
        column: start + 1, message: "unknown escape: expected \\n, \\t, \\r, \\\\, \\\", \\' or \\u{...}")
    }
  }

  private func slice(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }
}
