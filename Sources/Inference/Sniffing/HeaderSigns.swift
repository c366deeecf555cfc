/// What speaks for a first line of texts as the names of columns, where texts alone stand below it too.
enum HeaderSigns {
  /// Whether no field of the first record is written as names are, so that it may be a record like the others.
  static func areMissing(in records: [[String]]) -> Bool {
    guard let first = records.first, records.count > 1, !HeaderSniffer.isHeaderByEvidence(records) else { return false }
    return !first.indices.contains { column in
      isLikeName(first[column], above: records.dropFirst().map { $0[column] }.filter { !$0.isEmpty })
    }
  }

  private static func isLikeName(_ text: String, above values: [String]) -> Bool {
    guard !text.isEmpty, !values.isEmpty else { return false }
    let parts = NameWords.words(text)
    if parts.count < 4, let last = parts.last, ColumnWords.contain(last) { return true }
    if isJoined(text), !values.contains(where: isJoined) { return true }
    if isSmall(text), values.count(where: { !isSmall($0) }) * 5 > values.count * 4 { return true }
    // A form that all values share and the first line has not: `@` in addresses, digits in codes.
    let isOdd = ["@", "://", "/", "."].contains { mark in
      !text.contains(mark) && values.allSatisfy { $0.contains(mark) }
    }
    if values.count > 1,
      isOdd || !text.contains(where: \.isNumber) && values.allSatisfy({ $0.contains(where: \.isNumber) })
    {
      return true
    }
    // Values that come again and again, and a first one that does not.
    let counts = values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return values.count >= 8 && counts[text] == nil && counts.values.allSatisfy { $0 > 1 }
  }

  /// Whether words are joined as programs do: `stop_name`, `stopName`.
  private static func isJoined(_ text: String) -> Bool {
    text.contains("_") || zip(text, text.dropFirst()).contains { $0.isLowercase && $1.isUppercase }
  }

  /// Whether a text is one word of small letters.
  private static func isSmall(_ text: String) -> Bool { text.allSatisfy(\.isLowercase) }
}
