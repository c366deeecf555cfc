import ObjectModel
import Predicates

extension FetchPredicate {
  /// Refuses comparisons of values that are never equal, because one is text and the other none: such a predicate would
  /// count nothing, whatever the data.
  func checkKinds(in scope: ExpressionScope) throws(PredicateCheckError) {
    switch self {
    case .and(let parts), .or(let parts): for part in parts { try part.checkKinds(in: scope) }
    case .not(let part): try part.checkKinds(in: scope)
    case .compare(let comparison):
      // Every kind of value may be null, a whole composite too.
      if case .constant(.null) = comparison.left { return }
      if case .constant(.null) = comparison.right { return }
      let left = try comparison.left.type(in: scope).element
      let right = try comparison.right.type(in: scope).element
      let isOfTexts: Bool
      switch comparison.comparisonOperator {
      case .beginsWith, .endsWith, .like, .matches: isOfTexts = true
      default: isOfTexts = false
      }
      for side in [left, right] where isOfTexts && side.isText == false {
        throw PredicateCheckError("\(comparison.comparisonOperator.word) compares texts, and \(side.words) is none")
      }
      try comparison.refuseObjects(left, right)
      if left.isDate && comparison.right.isMiswrittenDate || right.isDate && comparison.left.isMiswrittenDate {
        throw PredicateCheckError("a Date is compared with a number that is no time")
      }
      guard let first = left.isText, let second = right.isText, first != second else { return }
      throw PredicateCheckError("\(left.words) is never equal to \(right.words)")
    default: break
    }
  }
}

extension FetchPredicate.Comparison {
  /// Refuses an object beside a value: an object equals objects alone.
  fileprivate func refuseObjects(
    _ left: OperandType.Element, _ right: OperandType.Element
  ) throws(PredicateCheckError) {
    for (operand, side, other) in [(self.left, left, right), (self.right, right, left)] {
      guard case .object(let entity) = side, case .attribute(let type) = other,
        type != .objectID, type != .undefined
      else { continue }
      throw PredicateCheckError("\(operand) is an object of \(entity.name), and \(other.words) is none")
    }
  }
}

extension FetchExpression {
  /// Whether it is a number where a date was meant: one computed from constants alone, as `2025-12-01` is 2012, or a
  /// year.
  fileprivate var isMiswrittenDate: Bool {
    switch self {
    case .constant(.integer(let number)): (1900...2200).contains(number)
    case .function(let function, let operands):
      [.subtract, .divide, .add, .multiply].contains(function) && operands.allSatisfy(\.isPlainNumber)
    case .aggregate(let elements): elements.contains(where: \.isMiswrittenDate)
    default: false
    }
  }

  private var isPlainNumber: Bool {
    switch self {
    case .constant(.integer), .constant(.double), .constant(.decimal): true
    case .function(_, let operands): operands.allSatisfy(\.isPlainNumber)
    default: false
    }
  }

  /// The text of a day that is written as a difference or a quotient, such as `2025-12-01`.
  var writtenDay: String? {
    guard case .function(let outer, let last) = self, last.count == 2, [.subtract, .divide].contains(outer),
      case .function(outer, let first) = last[0], first.count == 2
    else { return nil }
    let numbers = [first[0], first[1], last[1]].compactMap { operand -> Int64? in
      guard case .constant(.integer(let number)) = operand else { return nil }
      return number
    }
    guard numbers.count == 3, (1000...9999).contains(numbers[0]) else { return nil }
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(numbers[0])-\(two(numbers[1]))-\(two(numbers[2]))"
  }
}

extension OperandType.Element {
  fileprivate var isDate: Bool { self == .attribute(.date) }

  /// Whether it is text; nil where that is not known.
  fileprivate var isText: Bool? {
    guard case .attribute(let type) = self else { return nil }
    switch type {
    case .string: return true
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date, .binary, .uuid: return false
    case .uri, .transformable, .undefined, .objectID, .composite: return nil
    }
  }

  fileprivate var words: String {
    guard case .attribute(let type) = self else { return "an object" }
    return type.title.article
  }
}
