import PropertyLists

/// A comparison out of an archived predicate, taken apart.
struct ArchivedComparison {
  /// What a comparison does. Raw values are those of archives.
  enum Operation: Int {
    case less = 0
    case lessOrEqual = 1
    case greater = 2
    case greaterOrEqual = 3
    case equal = 4
    case notEqual = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case isIn = 10
    case contains = 99
    case between = 100

    /// The word of the predicate format language.
    var word: String {
      switch self {
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      case .equal: "=="
      case .notEqual: "!="
      case .matches: "MATCHES"
      case .like: "LIKE"
      case .beginsWith: "BEGINSWITH"
      case .endsWith: "ENDSWITH"
      case .isIn: "IN"
      case .contains: "CONTAINS"
      case .between: "BETWEEN"
      }
    }
  }

  let left: ArchivedValue
  let right: ArchivedValue
  let operation: Operation
  /// "", "ALL " or "ANY ".
  let modifier: String
  /// "" or options such as "[cd]".
  let options: String

  init(_ object: ArchivedObject) throws(ArchiveError) {
    guard let left = try object.value("NSLeftExpression"), let right = try object.value("NSRightExpression"),
      case .object(let operation)? = try object.value("NSPredicateOperator"),
      operation.kind?.isPredicateOperator == true
    else { throw ArchiveError("a comparison has no left side, no right side or no known operator") }
    self.left = left
    self.right = right
    guard let number = try operation.integer("NSOperatorType"), let known = Operation(rawValue: number) else {
      throw .unsupported("a comparison has an operator that the predicate language has no word for")
    }
    let isNegated = try operation.flag("NSNegate")
    self.operation = known == .equal && isNegated ? .notEqual : known
    switch try operation.integer("NSModifier") ?? 0 {
    case 0: modifier = ""
    case 1: modifier = "ALL "
    case 2: modifier = "ANY "
    default: throw ArchiveError("a comparison has an unknown modifier")
    }
    let bits = (try operation.integer("NSOptions") ?? 0) | (try operation.integer("NSFlags") ?? 0)
    let letters = zip([1, 2, 4, 8], ["c", "d", "n", "l"]).filter { bits & $0.0 != 0 }.map(\.1).joined()
    options = letters.isEmpty ? "" : "[\(letters)]"
  }

  /// Whether the left side is the value itself.
  var isOfSelf: Bool {
    if case .object(let object) = left { object.kind == .selfExpression } else { false }
  }

  /// Whether the left side is the value's length.
  func isOfLength() throws(ArchiveError) -> Bool {
    guard case .object(let object) = left, object.kind == .keyPathExpression else { return false }
    return try PredicateText.expression(left) == "length"
  }

  /// The right side when it is a constant.
  func constant() throws(ArchiveError) -> ArchivedValue? {
    guard case .object(let object) = right, object.kind == .constantExpression else { return nil }
    return try object.value("NSConstantValue")
  }
}
