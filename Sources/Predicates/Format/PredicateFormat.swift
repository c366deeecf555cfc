import ObjectModel

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the format language, compact cases as comparisons.
  ///
  /// `FetchPredicate(parsing:)` reads it back as `generalized`, unless an object or an infinite number occurs in it:
  /// these have no form as text and are only shown; `formatWithArguments` carries them.
  public var predicateFormat: String {
    var writer = PredicateWriter(usesArguments: false)
    writer.write(self)
    return writer.text
  }

  /// The predicate in the format language, with `%@` and an argument for what has no form as text.
  public var formatWithArguments: (format: String, arguments: [FetchExpression]) {
    var writer = PredicateWriter(usesArguments: true)
    writer.write(self)
    return (writer.text, writer.arguments)
  }

  /// The same as `predicateFormat`.
  public var description: String { predicateFormat }
}

extension FetchExpression: CustomStringConvertible {
  /// The expression in the format language; see `FetchPredicate.predicateFormat`.
  public var expressionFormat: String {
    var writer = PredicateWriter(usesArguments: false)
    writer.write(self)
    return writer.text
  }

  /// The same as `expressionFormat`.
  public var description: String { expressionFormat }
}

extension FetchPredicate.Comparison.Operator {
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

extension FetchPredicate.Comparison.Options {
  /// The letters of the options in brackets; empty for none.
  var letters: String {
    if isEmpty { return "" }
    let all: [(Self, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localized, "l"),
    ]
    return "[" + all.filter { contains($0.0) }.map(\.1).joined() + "]"
  }
}

extension FetchPredicate {
  /// A predicate in the format language of `NSPredicate`: for formats that are part of the program.
  ///
  /// A format that cannot be read is a mistake of the program and stops it with the column and the reason, where Core
  /// Data raises an exception. Text that users write goes to `init(parsing:_:)`.
  /// - Parameters:
  ///   - format: the text. `%@` stands for the next argument, `%K` for one that is a key path, `%d`, `%ld`, `%lu`, `%f`
  ///     and so on for numbers; not inside of quotation marks.
  ///   - arguments: as many as specifiers; nil is null.
  public init(format: String, _ arguments: (any PredicateArgument)?...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// As `init(format:_:)`, with the arguments as an array.
  public init(format: String, argumentArray arguments: [(any PredicateArgument)?]) {
    do {
      try self.init(parsing: format, arguments: arguments)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Always true, or always false.
  public init(value: Bool) { self = value ? .all : .none }

  /// Parses a predicate in the format language of `NSPredicate`.
  /// - Parameters: as for `init(format:_:)`.
  /// - Throws: `PredicateFormatError` with the column of the mistake.
  public init(parsing format: String, _ arguments: (any PredicateArgument)?...) throws(PredicateFormatError) {
    try self.init(parsing: format, arguments: arguments)
  }

  /// As `init(parsing:_:)`, with the arguments as an array.
  public init(parsing format: String, arguments: [(any PredicateArgument)?]) throws(PredicateFormatError) {
    var parser = try PredicateParser(format, arguments.map { $0?.predicateExpression ?? .constant(.null) })
    self = try parser.parsePredicate()
  }

  /// The names of a key path that is written with dots.
  public static func keyPath(_ text: String) -> KeyPath {
    text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }
}

extension FetchExpression {
  /// An expression in the format language, such as `count:(pages)` or `price * 1.2`, that is part of the program; see
  /// `FetchPredicate.init(format:_:)`.
  public init(format: String, _ arguments: (any PredicateArgument)?...) {
    do {
      try self.init(parsing: format, arguments: arguments)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Parses an expression in the format language.
  /// - Throws: `PredicateFormatError` with the column of the mistake; see `FetchPredicate.init(parsing:_:)`.
  public init(parsing format: String, _ arguments: (any PredicateArgument)?...) throws(PredicateFormatError) {
    try self.init(parsing: format, arguments: arguments)
  }

  /// As `init(parsing:_:)`, with the arguments as an array.
  public init(parsing format: String, arguments: [(any PredicateArgument)?]) throws(PredicateFormatError) {
    var parser = try PredicateParser(format, arguments.map { $0?.predicateExpression ?? .constant(.null) })
    self = try parser.parseExpression()
  }
}
