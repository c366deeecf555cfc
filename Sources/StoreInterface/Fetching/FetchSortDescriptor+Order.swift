public import ObjectModel
import Predicates

extension FetchSortDescriptor.Comparison {
  /// The order of two values, ascending: negative, zero or positive.
  public func order(_ left: Value, _ right: Value) -> Int {
    switch self {
    case .binary: return Value.sortOrder(left, right)
    case .localizedStandard:
      guard let leftText = left.text, let rightText = right.text else { return Value.sortOrder(left, right) }
      return LocalizedOrder.compare(leftText, rightText)
    case .caseInsensitive:
      guard let leftText = left.text, let rightText = right.text else { return Value.sortOrder(left, right) }
      return Value.sortOrder(
        .string(TextFolding.fold(leftText, options: .caseInsensitive)),
        .string(TextFolding.fold(rightText, options: .caseInsensitive)))
    }
  }
}
