/// A derivation expression, taken apart without a model.
package enum DerivationFormula: Hashable, Sendable {
  /// The moment of the save: `now()`.
  case now
  /// An attribute, reached through to-one relationships: `customer.name`; with a function: `canonical:(name)`.
  case value(path: [String], function: TextFunction?)
  /// The number of members of a to-many relationship: `count:(pages)`, `pages.@count`.
  case count(relationship: String)
  /// The sum of an attribute of the members: `lines.@sum.price`, `sum:(lines.price)`.
  case sum(relationship: String, attribute: [String])

  /// A function of one text.
  package enum TextFunction: String, CaseIterable, Sendable {
    case canonical, uppercase, lowercase

    /// `canonical` takes case, diacritics and width away, without regard to a language.
    package func apply(to text: String) -> String {
      switch self {
      case .canonical: TextFolding.canonical(text)
      case .uppercase: text.uppercased()
      case .lowercase: text.lowercased()
      }
    }
  }

  /// Parses an expression.
  /// - Throws: `ModelPredicate.Refusal` for anything but the forms above.
  package init(parsing text: String) throws(ModelPredicate.Refusal) {
    let expression = String(text.filter { !$0.isWhitespace })
    if expression == "now()" {
      self = .now
    } else if let colon = expression.firstRange(of: ":("), expression.last == ")" {
      let name = String(expression[..<colon.lowerBound])
      let path = try Self.path(expression[colon.upperBound...].dropLast())
      try self.init(function: name, of: path)
    } else if expression.contains("@") {
      try self.init(collectionOperator: expression)
    } else {
      self = .value(path: try Self.path(expression[...]), function: nil)
    }
  }

  private init(function name: String, of path: [String]) throws(ModelPredicate.Refusal) {
    if let function = TextFunction(rawValue: name) {
      self = .value(path: path, function: function)
    } else if name == "count", path.count == 1 {
      self = .count(relationship: path[0])
    } else if name == "sum", path.count > 1 {
      self = .sum(relationship: path[0], attribute: Array(path.dropFirst()))
    } else {
      throw ModelPredicate.Refusal(message: "the function \(name) of \(path.joined(separator: ".")) is not known")
    }
  }

  /// `pages.@count`, `lines.@sum.price`.
  private init(collectionOperator expression: String) throws(ModelPredicate.Refusal) {
    let parts = expression.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1 else { throw ModelPredicate.Refusal(message: "\(expression) is of no relationship") }
    let relationship = try Self.path(parts[0][...])[0]
    switch parts[1] {
    case "@count" where parts.count == 2: self = .count(relationship: relationship)
    case "@sum" where parts.count > 2:
      self = .sum(relationship: relationship, attribute: try Self.path(parts[2...].joined(separator: ".")[...]))
    default: throw ModelPredicate.Refusal(message: "the collection operator in \(expression) is not known")
    }
  }

  /// Names with dots between them; `#` before one says that it is a name and no word of the language.
  private static func path(_ text: Substring) throws(ModelPredicate.Refusal) -> [String] {
    let names = text.split(separator: ".", omittingEmptySubsequences: false).map {
      String($0.first == "#" ? $0.dropFirst() : $0)
    }
    for name in names where name.isEmpty || !name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
      throw ModelPredicate.Refusal(message: "\(text) is no key path")
    }
    return names
  }
}
