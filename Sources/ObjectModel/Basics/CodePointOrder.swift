extension String {
  /// Whether the string comes before `other` by code point, the order in which Core Data sorts names.
  ///
  /// Swift's own `<` compares canonically equivalent text as equal and so may order other letters differently.
  /// Comparing UTF-8 bytes gives exactly code point order.
  public func precedesByCodePoint(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension Sequence {
  /// The elements sorted by a name, by code point.
  package func sortedByCodePoint(_ name: (Element) -> String) -> [Element] {
    sorted { name($0).precedesByCodePoint(name($1)) }
  }
}
