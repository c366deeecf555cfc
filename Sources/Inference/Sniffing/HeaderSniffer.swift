import ImportEngine
import Pipelines

/// Tells whether the first record of a text of columns names them.
enum HeaderSniffer {
  /// - Parameter records: the first records, all of one width.
  /// - Returns: the answer, and the reason where it is not the usual one.
  static func hasHeader(_ records: [[String]]) -> (answer: Bool, note: String?) {
    guard let first = records.first else { return (true, nil) }
    let rest = records.dropFirst()
    if first.allSatisfy(\.isEmpty) { return (true, nil) }
    guard !rest.isEmpty else {
      let isData = first.contains(where: isTyped)
      return (!isData, isData ? "the only line has values" : nil)
    }
    let evidence = evidence(of: first, rest)
    if evidence > 0 { return (true, nil) }
    let typed = first.filter(isTyped)
    if typed.isEmpty {
      // Nothing but texts. A name does not stand among its own values.
      let isValue = first.indices.contains { column in
        !first[column].isEmpty && rest.count { $0[column] == first[column] } > 0
      }
      return isValue ? (false, "a field of the first line is found again below it") : (true, nil)
    }
    if isCount(typed), typed.count < first.count { return (true, nil) }
    return (false, "the first line has values: \(shown(typed))")
  }

  /// How many columns say that the first record names them, because numbers or dates stand below a name; those that
  /// say the contrary are taken away.
  private static func evidence(of first: [String], _ rest: ArraySlice<[String]>) -> Int {
    var evidence = 0
    // A header may stand again among its records.
    let others = rest.filter { $0 != first }
    for column in first.indices {
      let values = others.map { $0[column] }.filter { !$0.isEmpty && !NullMarker.texts.contains($0) }
      guard !values.isEmpty, values.allSatisfy(isLikeNumber) else { continue }
      // A name over a column of numbers or dates.
      if isTyped(first[column]) {
        evidence -= 1
      } else if !first[column].isEmpty, !isLikeNumber(first[column]), !NullMarker.texts.contains(first[column]) {
        evidence += 1
      }
    }
    return evidence
  }

  /// Whether the first record names the columns by what stands below it, and not only because nothing speaks against
  /// it.
  static func isHeaderByEvidence(_ records: [[String]]) -> Bool {
    records.first.map { evidence(of: $0, records.dropFirst()) > 0 } ?? false
  }

  /// Whether the first line may be a record like the others, although it is taken for names: a short code of capitals
  /// stands above nothing but such codes.
  static func mayBeRecord(_ records: [[String]]) -> Bool {
    guard let first = records.first, records.count > 3 else { return false }
    func isCode(_ text: String, _ length: Int) -> Bool {
      text.utf8.count == length && text.utf8.allSatisfy { (65...90).contains($0) }
    }
    return first.indices.contains { column in
      let length = first[column].utf8.count
      return (1...4).contains(length) && records.allSatisfy { isCode($0[column], length) }
    }
  }

  private static func shown(_ texts: [String]) -> String {
    texts.prefix(3).map { "\"\($0.prefix(20))\"" }.joined(separator: ", ")
  }

  /// Whole numbers that count up by one, such as years.
  static func isCount(_ texts: [String]) -> Bool {
    let numbers = texts.compactMap { text in Int(text.filter { $0 != " " }) }
    return numbers.count == texts.count && numbers.count > 1
      && zip(numbers, numbers.dropFirst()).allSatisfy { $0 &+ 1 == $1 }
  }

  /// Whether a text is a number, a date or a UUID.
  static func isTyped(_ text: String) -> Bool {
    guard let first = text.utf8.first(where: { $0 != 0x20 }), first < 0x80 else { return false }
    let trimmed = text.filter { $0 != " " }
    return Double(trimmed) != nil && !trimmed.lowercased().contains("n") && !trimmed.lowercased().hasPrefix("0x")
      || DateParser.iso8601.parse(trimmed) != nil || isUUID(trimmed)
  }

  /// Whether a text is typed, or nothing but digits and marks: a date in a country's form, a sum with a comma.
  static func isLikeNumber(_ text: String) -> Bool {
    if isTyped(text) { return true }
    var bytes = Array(text.utf8)
    if bytes.count > 3, [" AM", " PM", " am", " pm"].contains(String(text.suffix(3))) { bytes.removeLast(3) }
    guard bytes.count <= 32, bytes.contains(where: { (48...57).contains($0) }) else { return false }
    return bytes.allSatisfy { (48...57).contains($0) || " +-.,:/%$".utf8.contains($0) }
  }

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36 && text.utf8.count { $0 == UInt8(ascii: "-") } == 4
      && text.allSatisfy { $0 == "-" || $0.isHexDigit }
  }
}
