import ObjectModel

extension Sequence {
  /// The elements in the order that Xcode keeps them in: by their names, without regard to case.
  func sortedByName(_ name: (Element) -> String) -> [Element] {
    sorted { first, second in
      let (left, right) = (name(first), name(second))
      let (small, other) = (left.lowercased(), right.lowercased())
      return small == other ? left.precedesByCodePoint(right) : small.precedesByCodePoint(other)
    }
  }
}
