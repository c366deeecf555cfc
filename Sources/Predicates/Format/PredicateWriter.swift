import Foundation
import ObjectModel

/// Writes predicates and expressions in the format language.
struct PredicateWriter {
  private(set) var text = ""
  /// The values that have no text form, in the order of their `%@`.
  private(set) var arguments: [FetchExpression] = []
  /// Whether such things are written as `%@`, or described for people.
  let usesArguments: Bool

  init(usesArguments: Bool) {
    self.usesArguments = usesArguments
  }

  // MARK: - Predicates

  mutating func write(_ predicate: FetchPredicate) {
    switch predicate {
    case .all: text += "TRUEPREDICATE"
    case .none: text += "FALSEPREDICATE"
    case .and(let parts): join(parts, " AND ", empty: "TRUEPREDICATE")
    case .or(let parts): join(parts, " OR ", empty: "FALSEPREDICATE")
    case .not(let part):
      text += "NOT "
      writePart(part)
    case .compare(let comparison): write(comparison)
    case .block: text += "BLOCKPREDICATE"
    case .comparison, .isIn, .tupleIsIn, .refersTo, .selfIsIn: write(predicate.generalized)
    }
  }

  private mutating func join(_ parts: [FetchPredicate], _ word: String, empty: String) {
    if parts.isEmpty { text += empty }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += word }
      writePart(part)
    }
  }

  private mutating func writePart(_ part: FetchPredicate) {
    switch part {
    case .and, .or, .tupleIsIn:
      text += "("
      write(part)
      text += ")"
    default: write(part)
    }
  }

  private mutating func write(_ comparison: FetchPredicate.Comparison) {
    switch comparison.modifier {
    case .direct: break
    case .any: text += "ANY "
    case .all: text += "ALL "
    }
    write(comparison.left)
    text += " " + comparison.comparisonOperator.word + comparison.options.letters + " "
    write(comparison.right)
  }

  // MARK: - Expressions

  mutating func write(_ expression: FetchExpression) {
    switch expression {
    case .constant(let value): write(value)
    case .object(let objectID): writeArgument(expression, shown: "<\(objectID.shown)>")
    case .aggregate(let elements): write(elements, "{", "}")
    case .selfObject: text += "SELF"
    case .variable(let name): text += "$" + name
    case .keyPath(let path): text += PredicateWords.keyPath(path)
    case .path(let base, let path):
      writeBase(base)
      text += "." + PredicateWords.keyPath(path)
    case .collection(let collector, let base, let path):
      writeBase(base)
      text += "." + collector.rawValue
      if !path.isEmpty { text += "." + PredicateWords.keyPath(path) }
    case .element(let base, let position):
      writeBase(base)
      write(position)
    case .function(let function, let operands): write(function, operands)
    case .subquery(let base, let variable, let predicate):
      text += "SUBQUERY("
      write(base)
      text += ", $\(variable), "
      write(predicate)
      text += ")"
    case .conditional(let predicate, let first, let second):
      text += "TERNARY("
      write(predicate)
      text += ", "
      write(first)
      text += ", "
      write(second)
      text += ")"
    case .cast(let operand, let type):
      // A cast of a literal reads as a constant.
      if case .constant = operand { text += "castObject:toType:(" } else { text += "CAST(" }
      write(operand)
      text += ", \"\(type.rawValue)\")"
    case .set(let operation, let left, let right): writeOperation(left, operation.rawValue, right)
    }
  }

  /// What a path or an index follows: in parentheses where it would read as part of it.
  private mutating func writeBase(_ base: FetchExpression) {
    if case .collection = base { text += "(" }
    write(base)
    if case .collection = base { text += ")" }
  }

  private mutating func write(_ position: FetchExpression.Position) {
    switch position {
    case .first: text += "[FIRST]"
    case .last: text += "[LAST]"
    case .size: text += "[SIZE]"
    case .at(let index):
      text += "["
      write(index)
      text += "]"
    }
  }

  private mutating func write(_ function: FetchExpression.Function, _ operands: [FetchExpression]) {
    if let sign = function.sign, operands.count == 2 {
      writeOperation(operands[0], sign, operands[1])
    } else {
      text += function.rawValue
      write(operands, "(", ")")
    }
  }

  private mutating func writeOperation(_ left: FetchExpression, _ sign: String, _ right: FetchExpression) {
    text += "("
    write(left)
    text += " \(sign) "
    write(right)
    text += ")"
  }

  private mutating func write(_ parts: [FetchExpression], _ opening: String, _ closing: String) {
    text += opening
    for (index, part) in parts.enumerated() {
      if index > 0 { text += ", " }
      write(part)
    }
    text += closing
  }

  private mutating func write(_ value: Value) {
    switch value {
    case .null: text += "nil"
    case .integer(let integer): text += String(integer)
    case .boolean(let flag): text += flag ? "YES" : "NO"
    case .double(let number) where number.isFinite: text += number.description
    case .string(let string): text += PredicateWords.quoted(string)
    case .date(let date) where date.timeIntervalSinceReferenceDate.isFinite:
      text += "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    case .decimal(let number) where !number.isNaN: text += "CAST(\"\(number)\", \"NSDecimalNumber\")"
    case .data(let data): text += "CAST(\"\(data.base64EncodedString())\", \"NSData\")"
    case .uuid(let uuid): text += "CAST(\"\(uuid.uuidString)\", \"NSUUID\")"
    case .uri(let url): text += "CAST(\(PredicateWords.quoted(url.absoluteString)), \"NSURL\")"
    // A date that is no number has no description.
    case .date(let date): writeArgument(.constant(value), shown: "<date \(date.timeIntervalSinceReferenceDate)>")
    case .double, .decimal: writeArgument(.constant(value), shown: "<\(value)>")
    case .composite(let elements):
      let names = elements.keys.sorted { $0.precedesByCodePoint($1) }.joined(separator: ", ")
      writeArgument(.constant(value), shown: "<composite: \(names)>")
    }
  }

  private mutating func writeArgument(_ expression: FetchExpression, shown: String) {
    text += usesArguments ? "%@" : shown
    arguments.append(expression)
  }

}

extension ObjectID {
  /// The entity's name and the key, for messages.
  fileprivate var shown: String { entity.name + (primaryKey.map { "/p\($0)" } ?? "/new") }
}

extension FetchExpression.Function {
  /// The sign between the operands, for those that are written with one.
  var sign: String? {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .power: "**"
    case .bitwiseAnd: "&"
    case .bitwiseOr: "|"
    case .bitwiseXor: "^"
    case .leftShift: "<<"
    case .rightShift: ">>"
    default: nil
    }
  }
}
