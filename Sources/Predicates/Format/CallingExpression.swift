import ObjectModel

/// An expression that may call methods of objects and fetch, as those of mapping models do.
///
/// The calls are lifted out of it. They are made in order, all of them (also those in a branch of `TERNARY` that is not
/// taken), and the result, like later calls, has each as a variable of the call's name.
package struct CallingExpression: Sendable, Hashable {
  /// A call, or a fetch.
  package struct Call: Sendable, Hashable {
    /// The variable that stands for what it gives; no text can spell it.
    package let name: String
    package let kind: Kind
    /// The receiver and the operands, or the request and the context.
    package let operands: [FetchExpression]
    /// The place in the text, in characters from 1.
    package let column: Int

    /// A call or a fetch with all its parts.
    package init(name: String, kind: Kind, operands: [FetchExpression], column: Int) {
      self.name = name
      self.kind = kind
      self.operands = operands
      self.column = column
    }
  }

  /// The kind of call.
  package enum Kind: Sendable, Hashable {
    /// `FUNCTION(receiver, "selector:", operands)`.
    case method(String)
    /// `FETCH(request, context, NO)`; with `YES` it gives the number of objects.
    case fetch(isCount: Bool)
  }

  /// The calls in the order in which they are made.
  package var calls: [Call]
  /// The expression of the result once the calls have been made.
  package var result: FetchExpression

  /// Parses an expression in the format language.
  /// - Throws: `PredicateFormatError` with the column of the mistake.
  package init(parsing text: String) throws(PredicateFormatError) {
    var parser = try PredicateParser(text, [])
    parser.calls = []
    result = try parser.parseExpression()
    calls = parser.calls ?? []
  }

  /// Variables whose methods are those of a program's object, whatever their names.
  private static let objects: Set<String> = ["manager", "entityPolicy"]

  /// Whether a method is not one of those that the language computes by itself.
  static func isCall(of receiver: FetchExpression, _ selector: String) -> Bool {
    if case .variable(let name) = receiver, objects.contains(name) { return true }
    return FetchExpression.Function(rawValue: selector) == nil && !PredicateParser.isMethod(selector)
  }

  /// The name of the call at a position.
  package static func name(ofCallAt position: Int) -> String { "call \(position + 1)" }
}

extension PredicateParser {
  /// A call of a method, lifted out.
  mutating func call(
    _ selector: String, _ operands: [FetchExpression], at column: Int
  ) throws(PredicateFormatError) -> FetchExpression {
    let count = selector.count { $0 == ":" }
    guard operands.count == count + 1 else {
      throw failure(
        .operandCount, "\"\(selector)\" takes \(count) operands, not \(operands.count - 1)", at: column,
        hint: "a selector has a colon for each operand")
    }
    return try lift(.method(selector), operands, at: column)
  }

  /// `FETCH(request, context, NO)`.
  mutating func fetch() throws(PredicateFormatError) -> FetchExpression {
    try enter(1)
    defer { depth -= 1 }
    let column = next.column
    advance()
    try expect("(")
    let request = try expression()
    var greatest = height
    try expect(",")
    let context = try expression()
    greatest = max(greatest, height)
    try expect(",")
    let flag = next
    let isCount: Bool
    switch try operand() {
    case .constant(.boolean(let value)): isCount = value
    case .constant(.integer(0)): isCount = false
    case .constant(.integer(1)): isCount = true
    default: throw failure(.syntax, "\(flag.shown) stands where YES or NO belongs", at: flag.column)
    }
    try expect(")")
    try nest(beside: greatest)
    return try lift(.fetch(isCount: isCount), [request, context], at: column)
  }

  private mutating func lift(
    _ kind: CallingExpression.Kind, _ operands: [FetchExpression], at column: Int
  ) throws(PredicateFormatError) -> FetchExpression {
    let name = CallingExpression.name(ofCallAt: calls?.count ?? 0)
    calls?.append(CallingExpression.Call(name: name, kind: kind, operands: operands, column: column))
    try nest()
    return .variable(name)
  }
}
