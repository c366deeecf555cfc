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

extension [FetchSortDescriptor] {
  /// Whether something sorts before something else; nil where no descriptor tells them apart.
  /// - Parameters:
  ///   - left: its value at a descriptor, by the descriptor's position.
  ///   - right: that of the other one.
  @inlinable package func precedes(_ left: (Int) -> Value, _ right: (Int) -> Value) -> Bool? {
    for (index, descriptor) in enumerated() {
      let order = descriptor.comparison.order(left(index), right(index))
      if order != 0 { return (order < 0) == descriptor.isAscending }
    }
    return nil
  }
}
