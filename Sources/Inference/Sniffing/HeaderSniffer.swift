import ImportEngine
import Pipelines
import SeedFormats

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
    var evidence = 0
    for column in first.indices {
      let values = rest.map { $0[column] }.filter { !$0.isEmpty }
      guard !values.isEmpty, values.allSatisfy(isTyped) else { continue }
      // A name over a column of numbers or dates.
      if isTyped(first[column]) { evidence -= 1 } else if !first[column].isEmpty { evidence += 1 }
    }
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

  private static func shown(_ texts: [String]) -> String {
    texts.prefix(3).map { "\"\($0.prefix(20))\"" }.joined(separator: ", ")
  }

  /// Whole numbers that count up by one, such as years.
  private static func isCount(_ texts: [String]) -> Bool {
    let numbers = texts.compactMap { Int($0) }
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

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36 && text.utf8.count { $0 == UInt8(ascii: "-") } == 4
      && text.allSatisfy { $0 == "-" || $0.isHexDigit }
  }
}
