/// A name of a column or list, taken apart once.
struct NameInWords {
  let words: [String]
  /// The words, each in the singular.
  let singular: [String]
  /// Whether the name was made for a column without one, and so says nothing.
  let isMadeUp: Bool

  init(_ name: String) {
    words = NameWords.words(name)
    singular = words.map(NameWords.singular)
    isMadeUp = name.hasPrefix("column") && name.count > 6 && name.dropFirst(6).allSatisfy(\.isNumber)
  }
}
