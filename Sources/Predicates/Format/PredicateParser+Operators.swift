import ObjectModel

extension PredicateParser {
  /// An operand with operators of any closeness in it.
  mutating func expression() throws(PredicateFormatError) -> FetchExpression {
    try enter()
    defer { depth -= 2 }
    var left = try operation(Self.loosest)
    while let word = nextWord, let combination = FetchExpression.SetOperation(rawValue: word) {
      advance()
      let leftHeight = height
      left = .set(combination, left, try operation(Self.loosest))
      try nest(beside: leftHeight)
    }
    return left
  }

  /// The functions that are written as signs between operands, and how closely they bind.
  private static let operators: [String: (function: FetchExpression.Function, closeness: Int)] = [
    "|": (.bitwiseOr, 1), "^": (.bitwiseXor, 2), "&": (.bitwiseAnd, 3), "<<": (.leftShift, 4), ">>": (.rightShift, 4),
    "+": (.add, 5), "-": (.subtract, 5), "*": (.multiply, 6), "/": (.divide, 6),
  ]
  private static let loosest = 1

  /// Operands with signs between them that bind at least so closely.
  private mutating func operation(_ closeness: Int) throws(PredicateFormatError) -> FetchExpression {
    var left = try power()
    while case .sign(let sign) = next.kind, let found = Self.operators[sign], found.closeness >= closeness {
      advance()
      let leftHeight = height
      left = .function(found.function, [left, try operation(found.closeness + 1)])
      try nest(beside: leftHeight)
    }
    return left
  }

  private mutating func power() throws(PredicateFormatError) -> FetchExpression {
    let base = try signed()
    guard skip(sign: "**") else { return base }
    // Parentheses count themselves.
    let weight = next.kind == .sign("(") ? 0 : 2
    try enter(weight)
    defer { depth -= weight }
    let baseHeight = height
    let exponent = try power()
    // In the text that is written back, the last operand of a row adds its own depth to that of its parentheses.
    try nest(beside: max(baseHeight, 2))
    return .function(.power, [base, exponent])
  }

  /// A minus belongs to a number; before anything else it subtracts from zero.
  private mutating func signed() throws(PredicateFormatError) -> FetchExpression {
    guard case .sign(let sign) = next.kind, ["-", "+", "~"].contains(sign) else { return try postfix() }
    advance()
    // As much as the function or the parentheses that it is written back with.
    try enter(3)
    defer { depth -= 3 }
    if sign == "+" { return try signed() }
    if sign == "~" {
      let operand = try signed()
      try nest()
      return .function(.onesComplement, [operand])
    }
    if case .number(let text) = next.kind {
      let number = try self.number("-" + text)
      advance()
      height = 0
      return try suffixes(of: .constant(number))
    }
    let operand = try signed()
    try nest()
    return .function(.subtract, [.constant(.integer(0)), operand])
  }

  // MARK: - Key paths and indexes

  private mutating func postfix() throws(PredicateFormatError) -> FetchExpression {
    let isParenthesis = next.kind == .sign("(")
    let start = try operand()
    return try suffixes(of: start, isClosed: isParenthesis)
  }

  /// What follows an operand: `.name`, `.@operator`, `[index]`.
  /// - Parameter isClosed: whether the operand stands in parentheses, so that a key path does not become part of it.
  private mutating func suffixes(of start: FetchExpression, isClosed: Bool = false) throws(PredicateFormatError)
    -> FetchExpression
  {
    var result = start
    var isClosed = isClosed
    while true {
      let baseHeight = height
      if skip(sign: ".") {
        result = try component(after: result, isClosed: isClosed)
      } else if skip(sign: "[") {
        result = .element(of: result, try index())
        try expect("]")
      } else {
        return result
      }
      isClosed = false
      try nest(beside: baseHeight)
    }
  }

  /// A property name, a collection operator or a `%K` after an expression.
  mutating func component(
    after base: FetchExpression, isClosed: Bool
  ) throws(PredicateFormatError) -> FetchExpression {
    switch next.kind {
    case .collector(let name):
      guard let collector = FetchExpression.CollectionOperator(name: name) else {
        let known = FetchExpression.CollectionOperator.allCases.map(\.rawValue).joined(separator: ", ")
        throw failure(.unknownName, "\(name) is no collection operator", hint: "known are \(known)")
      }
      advance()
      return .collection(collector, of: base, [])
    case .word(let name, _):
      advance()
      return base.appending([name], isClosed: isClosed)
    case .specifier("K"):
      let column = next.column
      return try base.appending(keyPath: keyPathArgument(), isClosed: isClosed).get(or: failure, at: column)
    default: throw unexpected("a property")
    }
  }

  private mutating func index() throws(PredicateFormatError) -> FetchExpression.Position {
    let positions: [String: FetchExpression.Position] = ["FIRST": .first, "LAST": .last, "SIZE": .size]
    if let word = nextWord, let found = positions[word], tokens[position + 1].kind == .sign("]") {
      advance()
      return found
    }
    return .at(try expression())
  }
}

extension FetchExpression {
  /// The expression with more property names after it. What a collection operator is followed by is what it works on,
  /// unless the operator is closed by parentheses.
  func appending(_ path: FetchPredicate.KeyPath, isClosed: Bool = false) -> FetchExpression {
    if path.isEmpty { return self }
    switch self {
    case .selfObject: return .keyPath(path)
    case .keyPath(let start): return .keyPath(start + path)
    case .path(let base, let start): return .path(of: base, start + path)
    case .collection(let collector, let base, let start) where !isClosed:
      return .collection(collector, of: base, start + path)
    default: return .path(of: self, path)
    }
  }

  /// The same with a key path as text, collection operators and a `SELF` at its beginning included; nil when it is
  /// none.
  func appending(keyPath text: String, isClosed: Bool = false) -> FetchExpression? {
    var result = self
    var isClosed = isClosed
    var isFirst = true
    for name in text.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      if name.hasPrefix("@") {
        guard let collector = CollectionOperator(name: name) else { return nil }
        result = .collection(collector, of: result, [])
      } else if !isFirst || name.uppercased() != "SELF" {
        if name.isEmpty || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) { return nil }
        result = result.appending([name], isClosed: isClosed)
      }
      isClosed = false
      isFirst = false
    }
    return result
  }
}
