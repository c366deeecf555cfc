import ObjectModel

extension FetchExpression.Position {
  /// The element at this position; nil where the list has none.
  /// - Parameters:
  ///   - index: gives the value of the expression that says which.
  ///   - count: makes an element of the number of elements.
  func element<Element>(
    of elements: [Element], index: (FetchExpression) -> ExpressionValue, count: (Int) -> Element
  ) -> Element? {
    switch self {
    case .first: return elements.first
    case .last: return elements.last
    case .size: return count(elements.count)
    case .at(let expression):
      guard case .value(.integer(let number)) = index(expression), let place = Int(exactly: number),
        elements.indices.contains(place)
      else { return nil }
      return elements[place]
    }
  }
}
