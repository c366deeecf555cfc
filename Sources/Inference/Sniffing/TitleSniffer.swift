/// Finds lines above the header, such as a report's title: lines that have not as many fields as all that follow them.
///
/// Nothing is taken for a title unless what follows is a header without doubt: different names over columns of numbers
/// or dates, or at least three names where each line above is one text.
struct TitleSniffer {
  struct Finding {
    /// Lines above the header.
    var count: Int
    var dialect: DialectSniffer.Dialect
    /// What the first one says.
    var first: String
    /// The text from the header on.
    var rest: [UInt8]
  }

  /// So many lines may stand above the header.
  private static let limit = 20

  let head: [UInt8]
  let isWhole: Bool
  /// The delimiter that the file's name stands for.
  let named: UInt8

  /// - Parameter records: the first records under the dialect of the whole text; empty where it has one field in each.
  func titles(_ records: [[String]], share: Double) -> Finding? {
    let isPadded = records.first.map { $0.count > 2 && Self.filled($0) <= 1 } ?? false
    guard share < 0.9 || (records.first?.count ?? 0) < 2 || isPadded else { return nil }
    var rest = head[...]
    var lines: [ArraySlice<UInt8>] = []
    while lines.count < Self.limit, let cut = Self.lineEnd(rest) {
      lines.append(rest[rest.startIndex..<cut])
      rest = rest[cut...]
      if let found = finding(lines, Array(rest)) { return found }
    }
    return nil
  }

  private func finding(_ lines: [ArraySlice<UInt8>], _ rest: [UInt8]) -> Finding? {
    let sniffer = DialectSniffer(head: rest, isWhole: isWhole)
    let (dialect, _) = sniffer.dialect(named: named)
    let measure = sniffer.measure(dialect)
    guard measure.width > 1, measure.share >= 0.98,
      measure.good > (dialect.delimiter == named ? 2 : 3)
    else { return nil }
    let records = DialectSniffer.records(rest, dialect, isWhole: isWhole)
    guard var names = records.first else { return nil }
    // A delimiter at the end of every line.
    if names.count > 2, names.last?.isEmpty ?? false, records.allSatisfy({ $0.last?.isEmpty ?? false }) {
      names.removeLast()
    }
    guard Set(names).count == names.count, !names.contains(where: { $0.isEmpty || $0.first == " " || $0.last == " " }),
      Self.areNames(names)
    else { return nil }
    let width = records.first?.count ?? 0
    let titles = lines.map { DialectSniffer.records(Array($0), dialect, isWhole: true).first ?? [] }
    guard titles.allSatisfy({ $0.count != width || Self.filled($0) <= 1 }) else { return nil }
    let isNamed = names.indices.contains { column in
      let values = records.dropFirst().map { $0[column] }.filter { !$0.isEmpty && !NullMarker.texts.contains($0) }
      return !values.isEmpty && values.allSatisfy(HeaderSniffer.isLikeNumber)
    }
    let isAbove =
      names.count > 2 && titles.allSatisfy { Self.filled($0) <= 1 } && HeaderSniffer.hasHeader(records).answer
    guard isNamed || isAbove else { return nil }
    let first = titles.lazy.compactMap { $0.first { !$0.isEmpty } }.first ?? ""
    return Finding(count: lines.count, dialect: dialect, first: first, rest: rest)
  }

  /// Whether no name is a value, unless some are years that count up.
  private static func areNames(_ names: [String]) -> Bool {
    let typed = names.filter(HeaderSniffer.isLikeNumber)
    return typed.isEmpty
      || HeaderSniffer.isCount(typed) && typed.count < names.count && typed.allSatisfy { $0.utf8.count == 4 }
  }

  private static func filled(_ fields: [String]) -> Int { fields.count { !$0.isEmpty } }

  /// What follows the first line's end; nil where nothing does.
  static func lineEnd(_ text: ArraySlice<UInt8>) -> Int? {
    guard let end = text.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    let next = text.index(after: end)
    let cut = next < text.endIndex && text[end] == 0x0D && text[next] == 0x0A ? next + 1 : next
    return cut < text.endIndex ? cut : nil
  }
}
