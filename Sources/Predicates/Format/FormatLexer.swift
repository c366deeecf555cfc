/// Splits a format into tokens.
///
/// It reads scalars, since a mark that combines with a quotation mark must not hide it, and counts columns in
/// characters.
struct FormatLexer {
  private let scalars: [Unicode.Scalar]
  /// The column of each scalar, and of the end.
  private let columns: [Int]
  private var position = 0
  private var tokens: [FormatToken] = []

  /// The tokens of a text, the last one being the end.
  static func tokens(_ text: String) throws(PredicateFormatError) -> [FormatToken] {
    var lexer = FormatLexer(text)
    while let scalar = lexer.peek() { try lexer.lex(scalar) }
    lexer.add(.end, at: lexer.position)
    return lexer.tokens
  }

  private init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    var columns: [Int] = []
    columns.reserveCapacity(scalars.count + 1)
    for (index, character) in text.enumerated() {
      for _ in character.unicodeScalars { columns.append(index + 1) }
    }
    columns.append((columns.last ?? 0) + 1)
    self.columns = columns
  }

  private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
    position + distance < scalars.count ? scalars[position + distance] : nil
  }

  private func text(_ range: Range<Int>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[range.clamped(to: 0..<scalars.count)])
    return text
  }

  private mutating func add(_ kind: FormatToken.Kind, at start: Int) {
    tokens.append(FormatToken(kind: kind, column: columns[start]))
  }

  private mutating func lex(_ character: Unicode.Scalar) throws(PredicateFormatError) {
    let start = position
    switch character {
    case _ where character.properties.isWhitespace: position += 1
    case "\"", "'": add(.string(try string(character)), at: start)
    case "$", "#", "@":
      position += 1
      let name = consumeName()
      if name.isEmpty { throw failure(.syntax, "a name belongs after \"\(character)\"", at: start) }
      switch character {
      case "$": add(.variable(name), at: start)
      case "#": add(.word(name, isEscaped: true), at: start)
      default: add(.collector("@" + name), at: start)
      }
    case "%": try specifier()
    case _ where Self.isDigit(character) || beginsFraction: try number()
    case _ where Self.isNameStart(character): add(.word(consumeName(), isEscaped: false), at: start)
    default: try sign(character)
    }
  }

  // MARK: - Words and signs

  private static func isDigit(_ character: Unicode.Scalar) -> Bool { character >= "0" && character <= "9" }
  private static func isNameStart(_ character: Unicode.Scalar) -> Bool {
    character.properties.isAlphabetic || character == "_"
  }

  private mutating func consume(while condition: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while let scalar = peek(), condition(scalar) { position += 1 }
    return text(start..<position)
  }

  private mutating func consumeName() -> String {
    consume { scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .spacingMark, .decimalNumber, .letterNumber, .otherNumber: true
      default: Self.isNameStart(scalar)
      }
    }
  }

  private static let signs = [
    ":=", "**", "==", "=<", "=>", "!=", "<>", "<=", ">=", "<<", ">>", "&&", "||", "(", ")", "{", "}", "[", "]", ",",
    ".",
    ":", "=", "<", ">", "!", "+", "-", "*", "/", "&", "|", "^", "~",
  ]

  private mutating func sign(_ character: Unicode.Scalar) throws(PredicateFormatError) {
    let pair = text(position..<(position + 2))
    let candidates = [pair, String(character)]
    guard let sign = candidates.first(where: { Self.signs.contains($0) }) else {
      throw failure(
        .syntax, "\"\(character)\" has no meaning here", at: position, hint: "text stands between quotation marks")
    }
    add(.sign(sign), at: position)
    position += sign.count
  }

  /// `%@`, `%K` and C's specifiers of numbers, whose width and precision are ignored.
  private mutating func specifier() throws(PredicateFormatError) {
    let start = position
    position += 1
    _ = consume { Self.isDigit($0) || "+-.#".unicodeScalars.contains($0) }
    let length = consume { $0 == "l" || $0 == "h" || $0 == "q" || $0 == "z" }
    guard let letter = peek() else { throw failure(.argument, "a specifier belongs after %", at: start) }
    let isInteger = "dDiuUxXoOc".unicodeScalars.contains(letter)
    let isKnown =
      isInteger
      || (length.isEmpty
        ? "@Kfge".unicodeScalars.contains(letter) : length == "l" && "fge".unicodeScalars.contains(letter))
    if !isKnown {
      throw failure(
        .argument, "%\(length)\(letter) is no specifier", at: start, hint: "use %@ for values and %K for key paths")
    }
    position += 1
    add(.specifier(String(letter)), at: start)
  }

  // MARK: - Literals

  /// Whether a point here is that of a number such as `.5`, and not that of a key path.
  private var beginsFraction: Bool {
    guard peek() == ".", let next = peek(1), Self.isDigit(next) else { return false }
    switch tokens.last?.kind {
    case .none, .word(_, isEscaped: false): return tokens.last?.isReserved ?? true
    case .sign(let sign): return ![")", "]", "}"].contains(sign)
    default: return false
    }
  }

  /// Whether a property or a collection operator begins so far from here, as after the point of a key path.
  private func isComponent(after distance: Int) -> Bool {
    guard let scalar = peek(distance) else { return false }
    return Self.isNameStart(scalar) || "@#%".unicodeScalars.contains(scalar)
  }

  private mutating func number() throws(PredicateFormatError) {
    let start = position
    if peek() == "0", let mark = peek(1), let radix = ["x": 16, "o": 8, "b": 2][mark.properties.lowercaseMapping] {
      position += 2
      let digits = consumeName()
      guard let value = UInt64(digits, radix: radix) else {
        throw failure(.literal, "\"0\(mark)\(digits)\" is no number of 64 bits", at: start)
      }
      add(.number(String(value)), at: start)
      return
    }
    var text = consume { Self.isDigit($0) }
    if text.isEmpty { text = "0" }
    if peek() == ".", !isComponent(after: 1) {
      position += 1
      let fraction = consume { Self.isDigit($0) }
      text += "." + (fraction.isEmpty ? "0" : fraction)
    }
    if let mark = peek(), mark == "e" || mark == "E" {
      let hasSign = peek(1) == "+" || peek(1) == "-"
      if let digit = peek(hasSign ? 2 : 1), Self.isDigit(digit) {
        text += "e" + (peek(1) == "-" ? "-" : "")
        position += hasSign ? 2 : 1
        text += consume { Self.isDigit($0) }
      }
    }
    if let next = peek(), Self.isNameStart(next) {
      throw failure(.literal, "\"\(text)\(next)…\" is no number", at: start, hint: "names do not begin with a digit")
    }
    add(.number(text), at: start)
  }

  private mutating func string(_ quote: Unicode.Scalar) throws(PredicateFormatError) -> String {
    let start = position
    position += 1
    var text = ""
    while let character = peek() {
      position += 1
      if character == quote { return text }
      text.unicodeScalars.append(character == "\\" ? try escape() : character)
    }
    throw failure(.literal, "the string that begins here does not end", at: start, hint: "add a closing \(quote)")
  }

  /// What the backslash before the position means with what is after it.
  private mutating func escape() throws(PredicateFormatError) -> Unicode.Scalar {
    let start = position - 1
    guard let mark = peek() else { throw failure(.literal, "the text ends after a backslash", at: start) }
    position += 1
    switch mark {
    case "\"", "'", "\\": return mark
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "x", "u", "U":
      let length = mark == "x" ? 2 : mark == "u" ? 4 : 8
      let digits = text(position..<(position + length))
      guard digits.count == length, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else {
        throw failure(.literal, "\"\\\(mark)\" needs \(length) hexadecimal digits of a character", at: start)
      }
      position += length
      return scalar
    default:
      throw failure(
        .literal, "the escape \"\\\(mark)\" is not known", at: start, hint: "write \\\\ for a backslash in the text")
    }
  }

  private func failure(
    _ code: PredicateFormatError.Code, _ message: String, at start: Int, hint: String? = nil
  ) -> PredicateFormatError {
    PredicateFormatError(code: code, message: message, column: columns[start], hint: hint)
  }
}
