import ObjectModel
import PropertyLists

/// Writes archived predicates and expressions as text of the predicate format language.
///
/// The text of key paths and of `count:(…)` is what Apple's `predicateFormat` gives, and enters version hashes; other
/// text means the same and may differ in parentheses and blanks. Nesting and size are bounded, since shared objects
/// let a small archive describe an endless text.
struct PredicateText {
  static let maximumDepth = 64
  static let maximumPartCount = 10_000

  private var partsLeft = PredicateText.maximumPartCount

  static func predicate(_ value: ArchivedValue) throws(ArchiveError) -> String {
    var writer = PredicateText()
    return try writer.predicate(value, 0)
  }

  static func expression(_ value: ArchivedValue) throws(ArchiveError) -> String {
    var writer = PredicateText()
    return try writer.expression(value, 0)
  }

  /// An expression of a mapping model, which may also call objects and fetch.
  static func mappingExpression(_ value: ArchivedValue) throws(ArchiveError) -> String {
    var writer = PredicateText()
    writer.allowsCalls = true
    return try writer.expression(value, 0)
  }

  /// Whether functions of objects and fetches have a text.
  private var allowsCalls = false

  private mutating func enter(_ depth: Int) throws(ArchiveError) {
    partsLeft -= 1
    guard depth < Self.maximumDepth, partsLeft >= 0 else {
      throw ArchiveError("a predicate is nested too deeply or has too many parts")
    }
  }

  // MARK: - Predicates

  private mutating func predicate(_ value: ArchivedValue, _ depth: Int) throws(ArchiveError) -> String {
    try enter(depth)
    guard case .object(let object) = value else {
      throw ArchiveError("\(value.shownKind) stands where a predicate belongs")
    }
    switch object.kind {
    case .truePredicate: return "TRUEPREDICATE"
    case .falsePredicate: return "FALSEPREDICATE"
    case .compoundPredicate: return try compound(object, depth)
    case .comparisonPredicate:
      let comparison = try ArchivedComparison(object)
      let left = try expression(comparison.left, depth + 1)
      let right = try expression(comparison.right, depth + 1)
      return "\(comparison.modifier)\(left) \(comparison.operation.word)\(comparison.options) \(right)"
    default: throw .unsupported("a predicate of the class \(object.shownClass) has no text")
    }
  }

  private mutating func compound(_ object: ArchivedObject, _ depth: Int) throws(ArchiveError) -> String {
    var parts: [String] = []
    for value in try object.list("NSSubpredicates") ?? [] {
      let text = try predicate(value, depth + 1)
      if case .object(let inner) = value, inner.kind == .compoundPredicate {
        parts.append("(\(text))")
      } else {
        parts.append(text)
      }
    }
    switch try object.integer("NSCompoundPredicateType") {
    case 0 where parts.count == 1: return "NOT \(parts[0])"
    case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
    case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
    default: throw ArchiveError("a compound predicate is neither AND nor OR nor NOT")
    }
  }

  // MARK: - Expressions

  private mutating func expression(_ value: ArchivedValue, _ depth: Int) throws(ArchiveError) -> String {
    try enter(depth)
    guard case .object(let object) = value else {
      throw ArchiveError("\(value.shownKind) stands where an expression belongs")
    }
    switch object.kind {
    case .selfExpression: return "SELF"
    case .variableExpression: return "$" + (try object.requiredString("NSVariable"))
    case .constantExpression: return try constant(object.value("NSConstantValue") ?? .null, depth + 1)
    case .fetchExpression where allowsCalls: return try fetch(object, depth)
    case .keyPathSpecifier: return Self.escaped(keyPath: try object.requiredString("NSKeyPath"))
    case .keyPathExpression: return try keyPath(object, depth)
    case .functionExpression: return try function(object, depth)
    case .aggregateExpression: return try aggregate(object.list("NSCollection") ?? [], depth)
    default: throw .unsupported("an expression of the class \(object.shownClass) has no text")
    }
  }

  private mutating func keyPath(_ object: ArchivedObject, _ depth: Int) throws(ArchiveError) -> String {
    guard let operand = try object.value("NSOperand"), let argument = try object.list("NSArguments")?.first else {
      throw ArchiveError("a key path expression has no operand or no key path")
    }
    let path = try expression(argument, depth + 1)
    if case .object(let object) = operand, object.kind == .selfExpression { return path }
    return try expression(operand, depth + 1) + "." + path
  }

  private mutating func function(_ object: ArchivedObject, _ depth: Int) throws(ArchiveError) -> String {
    let selector = try object.requiredString("NSSelectorName")
    var arguments: [String] = []
    for value in try object.list("NSArguments") ?? [] { arguments.append(try expression(value, depth + 1)) }
    guard case .object(let operand)? = try object.value("NSOperand") else {
      throw ArchiveError("a function has no operand")
    }
    guard operand.kind == .constantExpression, try object.archive.isPredicateUtilities(operand) else {
      guard allowsCalls else { throw .unsupported("a function of an object has no text: \(selector.prefix(64))") }
      let parts = [try expression(.object(operand), depth + 1), PredicateWords.quoted(selector)] + arguments
      return "FUNCTION(\(parts.joined(separator: ", ")))"
    }
    if arguments.count == 2, let sign = Self.arithmetic[selector] {
      return "(\(arguments[0]) \(sign) \(arguments[1]))"
    }
    return "\(selector)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func fetch(_ object: ArchivedObject, _ depth: Int) throws(ArchiveError) -> String {
    guard let request = try object.value("NSFRExpression"), let context = try object.value("NSMOCExpression") else {
      throw ArchiveError("a fetch expression has no request or no context")
    }
    let isCount = try object.flag("NSCountOnlyFlag")
    let parts = [try expression(request, depth + 1), try expression(context, depth + 1), isCount ? "YES" : "NO"]
    return "FETCH(\(parts.joined(separator: ", ")))"
  }

  private static let arithmetic = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
  ]

  private mutating func aggregate(_ values: [ArchivedValue], _ depth: Int) throws(ArchiveError) -> String {
    var parts: [String] = []
    for value in values {
      if case .object(let object) = value, object.kind?.rawValue.hasSuffix("Expression") == true {
        parts.append(try expression(value, depth + 1))
      } else {
        parts.append(try constant(value, depth + 1))
      }
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  private mutating func constant(_ value: ArchivedValue, _ depth: Int) throws(ArchiveError) -> String {
    try enter(depth)
    switch value {
    case .null: return "nil"
    case .boolean(let flag): return flag ? "1" : "0"
    case .integer(let number): return String(number)
    case .real(let number): return Int64(exactly: number).map(String.init) ?? String(number)
    case .date(let seconds): return "CAST(\(seconds), \"NSDate\")"
    case .string(let text): return PredicateWords.quoted(text)
    case .data: throw .unsupported("a constant of data has no text")
    case .object(let object):
      if let elements = try value.elements() { return try aggregate(elements, depth) }
      if let number = try object.decimal() { return "\(number)" }
      throw .unsupported("a constant of the class \(object.shownClass) has no text")
    }
  }

  private static func escaped(keyPath: String) -> String {
    PredicateWords.keyPath(keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
  }
}

extension KeyedArchive {
  /// Whether an expression stands for the class that holds the language's own functions.
  func isPredicateUtilities(_ operand: ArchivedObject) throws(ArchiveError) -> Bool {
    try operand.string("NSConstantValueClassName") == "_NSPredicateUtilities"
  }
}
