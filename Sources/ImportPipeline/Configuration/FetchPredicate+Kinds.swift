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
      guard let first = left.isText, let second = right.isText, first != second else { return }
      throw PredicateCheckError("\(left.words) is never equal to \(right.words)")
    default: break
    }
  }
}

extension ExpressionType.Element {
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
