/// Finds a header that has one field less or more than all records below it, because lines end with a delimiter and
/// the header does not, or the other way round.
struct TrailingDelimiter {
  /// The dialect of the records.
  let dialect: DialectSniffer.Dialect
  /// The header's own names.
  let names: [String]
  /// Whether the records end with the delimiter, so that they have a field without a name.
  let isInRecords: Bool

  /// - Parameters:
  ///   - head: the first bytes of the text, from the header on.
  ///   - named: the delimiter that the file's name stands for.
  /// - Returns: nil where header and records are of one width, or differ by more than an empty field at the end.
  init?(head: [UInt8], isWhole: Bool, named: UInt8) {
    guard let cut = TitleSniffer.lineEnd(head[...]) else { return nil }
    let rest = Array(head[cut...])
    let sniffer = DialectSniffer(head: rest, isWhole: isWhole)
    let (dialect, _) = sniffer.dialect(named: named)
    let measure = sniffer.measure(dialect)
    guard measure.width > 1, measure.share >= 0.98 else { return nil }
    let records = DialectSniffer.records(rest, dialect, isWhole: isWhole)
    guard let header = DialectSniffer.records(Array(head[..<cut]), dialect, isWhole: true).first else { return nil }
    if header.count + 1 == measure.width, records.allSatisfy({ $0.last?.isEmpty ?? false }) {
      (names, isInRecords) = (header, true)
    } else if header.count == measure.width + 1, header.last?.isEmpty ?? false {
      (names, isInRecords) = (Array(header.dropLast()), false)
    } else {
      return nil
    }
    let below = isInRecords ? records.map { Array($0.dropLast()) } : records
    guard !names.contains(where: \.isEmpty), HeaderSniffer.hasHeader([names] + below).answer else { return nil }
    self.dialect = dialect
  }
}
