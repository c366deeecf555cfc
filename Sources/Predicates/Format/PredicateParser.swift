/// A recursive-descent parser for the predicate format language.
///
/// Operators bind in this order, the loosest first: OR, AND, NOT, comparisons, set operations, `|`, `^`, `&`, `<< >>`,
/// `+ -`, `* /`, `**` (to the right), `- + ~` before an operand, key paths and indexes. That is C's order, but
/// comparisons bind less than every operation here. Words of the language may have any letter case.
struct PredicateParser {
  /// The limit for parentheses and for the tree, where expressions count twice and functions more: small enough for the
  /// stack of a worker thread, in a debug build too, wherever the tree is walked.
  static let deepestNesting = 100

  let tokens: [FormatToken]
  /// The arguments for the specifiers, in order.
  let arguments: [FetchExpression]
  var position = 0
  var nextArgument = 0
  var depth = 0
  /// The height of the tree that was parsed last. Operators in a row nest as deeply as the row is long.
  var height = 0
  /// The calls of objects and the fetches that were lifted out of the expression; nil where none are allowed.
  var calls: [CallingExpression.Call]?
  /// Position of each opening parenthesis → position of its closing one.
  let closings: [Int: Int]

  init(_ format: String, _ arguments: [FetchExpression]) throws(PredicateFormatError) {
    tokens = try FormatTokenCache.tokens(format)
    self.arguments = arguments
    var open: [Int] = []
    var closings: [Int: Int] = [:]
    for (index, token) in tokens.enumerated() {
      if token.kind == .sign("(") { open.append(index) }
      if token.kind == .sign(")"), let start = open.popLast() { closings[start] = index }
    }
    self.closings = closings
  }

  /// The whole text as a predicate.
  mutating func parsePredicate() throws(PredicateFormatError) -> FetchPredicate {
    let predicate = try disjunction()
    try finish()
    return predicate
  }

  /// The whole text as an expression.
  mutating func parseExpression() throws(PredicateFormatError) -> FetchExpression {
    let result = try expression()
    try finish()
    return result
  }

  private func finish() throws(PredicateFormatError) {
    if next.kind != .end { throw unexpected("the end") }
    if nextArgument < arguments.count {
      throw failure(
        .argument, "\(arguments.count) arguments were given, and the format takes \(nextArgument)",
        hint: "every argument needs a %@ or another specifier outside of quotation marks")
    }
  }

  // MARK: - Tokens

  var next: FormatToken { tokens[position] }

  mutating func advance() { position = min(position + 1, tokens.count - 1) }

  mutating func skip(sign: String) -> Bool {
    if next.kind != .sign(sign) { return false }
    advance()
    return true
  }

  mutating func skip(word: String) -> Bool {
    if nextWord != word { return false }
    advance()
    return true
  }

  /// The next token when it is an unescaped word, in upper case.
  var nextWord: String? {
    if case .word(let text, isEscaped: false) = next.kind { return text.uppercased() }
    return nil
  }

  mutating func expect(_ sign: String) throws(PredicateFormatError) {
    if !skip(sign: sign) { throw unexpected("\"\(sign)\"") }
  }

  func unexpected(_ wanted: String, hint: String? = nil) -> PredicateFormatError {
    failure(.syntax, "\(next.shown) stands where \(wanted) belongs", hint: hint)
  }

  func failure(
    _ code: PredicateFormatError.Code, _ message: String, at column: Int? = nil, hint: String? = nil
  ) -> PredicateFormatError {
    PredicateFormatError(code: code, message: message, column: column ?? next.column, hint: hint)
  }

  /// - Parameter weight: what `depth` is to be lowered by afterwards.
  mutating func enter(_ weight: Int = 2) throws(PredicateFormatError) {
    depth += weight
    if depth > Self.deepestNesting { throw tooDeep }
  }

  /// Makes the node that was parsed last a part of another node.
  mutating func nest(beside other: Int = 0, weight: Int = 2) throws(PredicateFormatError) {
    height = max(height, other) + weight
    if height > Self.deepestNesting { throw tooDeep }
  }

  private var tooDeep: PredicateFormatError {
    failure(
      .complexity, "the predicate is nested too deeply", hint: "join parts in one row, or give lists as arguments")
  }

  // MARK: - Predicates

  mutating func disjunction() throws(PredicateFormatError) -> FetchPredicate {
    var parts = [try conjunction()]
    var greatest = height
    while skip(word: "OR") || skip(sign: "||") {
      parts.append(try conjunction())
      greatest = max(greatest, height)
    }
    if parts.count == 1 { return parts[0] }
    try nest(beside: greatest, weight: 1)
    return .or(parts)
  }

  private mutating func conjunction() throws(PredicateFormatError) -> FetchPredicate {
    var parts = [try negation()]
    var greatest = height
    while skip(word: "AND") || skip(sign: "&&") {
      parts.append(try negation())
      greatest = max(greatest, height)
    }
    if parts.count == 1 { return parts[0] }
    try nest(beside: greatest, weight: 1)
    return .and(parts)
  }

  private mutating func negation() throws(PredicateFormatError) -> FetchPredicate {
    try enter(1)
    defer { depth -= 1 }
    if skip(word: "NOT") || skip(sign: "!") {
      let part = try negation()
      try nest(weight: 1)
      return .not(part)
    }
    height = 0
    if skip(word: "TRUEPREDICATE") { return .all }
    if skip(word: "FALSEPREDICATE") { return .none }
    if next.kind == .sign("("), isPredicateInParentheses {
      advance()
      let predicate = try disjunction()
      try expect(")")
      return predicate
    }
    return try comparison()
  }

  /// Whether the parentheses that begin here are around a predicate: they are around an operand when a sign or word
  /// that stands after operands follows them.
  private var isPredicateInParentheses: Bool {
    guard let closing = closings[position] else { return true }
    switch tokens[closing + 1].kind {
    case .sign(let sign): return [")", ",", "&&", "||"].contains(sign)
    case .word(let word, isEscaped: false): return ["AND", "OR"].contains(word.uppercased())
    case .end: return true
    default: return false
    }
  }
}
