extension Predicate: CustomStringConvertible {
  /// The predicate in the format language, compact cases as comparisons.
  ///
  /// `Predicate(format:)` reads it back as `generalized`, unless an object or a number that is infinite occurs in it:
  /// these stand in no text and are only shown; `formatWithArguments` carries them.
  public var predicateFormat: String {
    var writer = PredicateWriter(usesArguments: false)
    writer.write(self)
    return writer.text
  }

  /// The predicate in the format language, with `%@` and an argument for what stands in no text.
  public var formatWithArguments: (format: String, arguments: [Expression]) {
    var writer = PredicateWriter(usesArguments: true)
    writer.write(self)
    return (writer.text, writer.arguments)
  }

  /// The same as `predicateFormat`.
  public var description: String { predicateFormat }
}

extension Expression: CustomStringConvertible {
  /// The expression in the format language; see `Predicate.predicateFormat`.
  public var expressionFormat: String {
    var writer = PredicateWriter(usesArguments: false)
    writer.write(self)
    return writer.text
  }

  /// The same as `expressionFormat`.
  public var description: String { expressionFormat }
}

extension Predicate.Comparison.Operator {
  /// The operator in the format language.
  public var word: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .between: "BETWEEN"
    case .isIn: "IN"
    case .contains: "CONTAINS"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .like: "LIKE"
    case .matches: "MATCHES"
    }
  }
}

extension Predicate.Comparison.Options {
  /// The letters of the options in brackets; empty for none.
  var letters: String {
    if isEmpty { return "" }
    let all: [(Self, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localized, "l"),
    ]
    return "[" + all.filter { contains($0.0) }.map(\.1).joined() + "]"
  }
}
