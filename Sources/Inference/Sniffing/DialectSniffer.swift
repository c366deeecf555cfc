import ObjectModel
import Pipelines
import SeedFormats

/// Finds the dialect of a text of columns: the delimiter between fields and the quote around them.
///
/// Every dialect in question is tried on the text's beginning with the reader that imports use. The one wins under
/// which most records have as many fields as the first.
struct DialectSniffer {
  struct Dialect: Equatable {
    var delimiter: UInt8
    /// The characters of a longer delimiter after the first one.
    var delimiterRest: [UInt8] = []
    var quote: UInt8? = UInt8(ascii: "\"")
    var escape: UInt8?
    var comment: UInt8?

    /// Has a text read in this dialect.
    func apply(to options: inout FormatOptions) {
      options.delimiter = delimiter
      options.delimiterRest = delimiterRest
      options.quote = quote
      options.escape = escape
      options.comment = comment
    }
  }

  private struct Score {
    var dialect: Dialect
    var width = 0
    /// Records as wide as the first, of all.
    var good = 0
    var bad = 0
    /// The text cannot be read so at all.
    var isBroken = false
    /// The text ends inside a quoted field of its first records.
    var isCut = false

    var share: Double { good + bad == 0 ? 0 : Double(good) / Double(good + bad) }
  }

  /// Delimiters of several characters that exports have, those first that hold others.
  private static let longDelimiters = ["|||", "~|~", "^|^", "<|>", "||", "::"].map { Array($0.utf8) }

  static let singleFieldNote = "with it every record is one field"

  private let head: [UInt8]
  private static let recordLimit = 1000

  /// - Parameter head: UTF-8; where it is not the whole text, the last line is left out.
  init(head: [UInt8], isWhole: Bool) {
    if !isWhole, let end = head.lastIndex(of: 0x0A) {
      self.head = Array(head[...end])
    } else {
      self.head = head
    }
  }

  /// Whether the text ends inside a quoted field of its first records, so that it says too little.
  func isCut(named: UInt8) -> Bool { Self.delimiters(named).contains { score(Dialect(delimiter: $0)).isCut } }

  /// The delimiters of one character that are tried.
  private static func delimiters(_ named: UInt8) -> [UInt8] {
    let usual = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";"), UInt8(ascii: "|")]
    return [named] + usual.filter { $0 != named }
  }

  /// The dialect, and how sure that is.
  /// - Parameter named: the delimiter that the file's name stands for.
  func dialect(named: UInt8) -> (dialect: Dialect, note: String?) {
    let delimiters = Self.delimiters(named)
    var best: Score?
    for delimiter in delimiters {
      let score = bestForm(Dialect(delimiter: delimiter))
      guard !score.isBroken, score.width > 1 else { continue }
      guard let other = best else {
        if score.share >= (delimiter == named ? 0.5 : 0.9) { best = score }
        continue
      }
      if score.share > other.share + 0.02 && score.share >= 0.9
        || score.share >= 0.98 && other.share >= 0.98 && score.width > other.width && delimiter != named
          && other.dialect.delimiter != named
      {
        best = score
      }
    }
    best = bestLong(against: best) ?? best
    guard let best else {
      // With one column, the delimiter is a character that does not occur.
      let single = delimiters.map { bestForm(Dialect(delimiter: $0)) }.filter { !$0.isBroken && $0.width <= 1 }
      let whole = single.first { $0.dialect.delimiter == named && $0.bad == 0 } ?? single.max { $0.share < $1.share }
      let form = whole ?? bestForm(Dialect(delimiter: named))
      return (form.dialect, Self.singleFieldNote)
    }
    let total = best.good + best.bad
    return (
      best.dialect,
      "\(best.good.grouped) of the first \(total.grouped) records have \(best.width) fields with it"
    )
  }

  /// A delimiter of several characters that splits all records alike, where no other does but one of its characters:
  /// `|` makes columns that are always empty of `||`.
  private func bestLong(against best: Score?) -> Score? {
    for delimiter in Self.longDelimiters where occurs(delimiter) {
      if let best, best.share >= 0.98, !delimiter.contains(best.dialect.delimiter) { continue }
      var dialect = Dialect(delimiter: delimiter[0])
      dialect.delimiterRest = Array(delimiter.dropFirst())
      let score = bestForm(dialect)
      guard !score.isBroken, score.width > 1, score.good > 1, score.share >= 0.98 else { continue }
      if let best, best.share >= 0.98 {
        // Some of the single ones stand alone: two of them are around an empty field.
        let part = delimiter.count { $0 == best.dialect.delimiter }
        if best.width != (score.width - 1) * part + 1 { continue }
      }
      return score
    }
    return nil
  }

  /// Whether the bytes stand somewhere in the head. The library's `contains` took most of the time of `init` where a
  /// field is long.
  private func occurs(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return false }
    return head.indices.dropLast(bytes.count - 1).contains { start in
      head[start] == first && head[start..<(start + bytes.count)].elementsEqual(bytes)
    }
  }

  /// The dialect where the text states its delimiter itself.
  func dialect(stated: UInt8) -> Dialect { bestForm(Dialect(delimiter: stated)).dialect }

  /// How many fields the first record has under a dialect, how many records have as many, and their share of all.
  func measure(_ dialect: Dialect) -> (width: Int, good: Int, share: Double) {
    let score = score(dialect)
    return (score.width, score.good, score.isBroken ? 0 : score.share)
  }

  /// The first records of a text without a header; empty where it cannot be read.
  static func records(_ head: [UInt8], _ dialect: Dialect, isWhole: Bool) -> [[String]] {
    var options = FormatOptions.csv
    dialect.apply(to: &options)
    return records(head, options, isWhole: isWhole)
  }

  static func records(_ head: [UInt8], _ options: FormatOptions, isWhole: Bool) -> [[String]] {
    var bytes = head
    if !isWhole, let end = bytes.lastIndex(of: 0x0A) { bytes = Array(bytes[...end]) }
    var options = options
    options.hasHeader = false
    options.columns = nil
    options.encoding = .automatic
    options.skippedLines = 0
    guard let probe = try? RecordReader(source: MemorySource(bytes), options: options, projection: [], file: nil)
    else { return [] }
    let width = probe.columns.count
    guard width > 0,
      let reader = try? RecordReader(
        source: MemorySource(bytes), options: options, projection: (1...width).map { "#\($0)" }, file: nil)
    else { return [] }
    let batch = RecordBatch(fieldCount: width)
    guard (try? reader.next(batch, maximumRecords: 500)) == true else { return [] }
    return (0..<batch.count).map { record in
      (0..<width).map { batch.text(of: batch.field($0, ofRecord: record)) }
    }
  }

  /// The fields of most records, where the first one is of another width; nil where it is not.
  func widthBelow(_ dialect: Dialect) -> Int? {
    let whole = score(dialect)
    guard whole.share < 0.5, let end = head.firstIndex(of: 0x0A), end + 1 < head.count else { return nil }
    let below = DialectSniffer(head: Array(head[(end + 1)...]), isWhole: true).score(dialect)
    return below.share >= 0.9 && below.good > 2 ? below.width : nil
  }

  /// The best quote, escape and comment for a delimiter.
  private func bestForm(_ start: Dialect) -> Score {
    var best = score(start)
    func tryOut(_ change: (inout Dialect) -> Void) {
      var dialect = best.dialect
      change(&dialect)
      let score = score(dialect)
      if score.isBroken { return }
      if best.isBroken || score.share > best.share + 0.0001 { best = score }
    }
    if firstLineIsComment { tryOut { $0.comment = UInt8(ascii: "#") } }
    if contains([0x5C, 0x22]) { tryOut { $0.escape = 0x5C } }
    if start.delimiterRest.isEmpty, singleQuotesEnclose(start.delimiter) { tryOut { $0.quote = UInt8(ascii: "'") } }
    if best.isBroken || best.bad > 0 { tryOut { $0.quote = nil } }
    return best
  }

  private var firstLineIsComment: Bool {
    head.first { $0 != 0x0A && $0 != 0x0D && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } == UInt8(ascii: "#")
  }

  private func contains(_ bytes: [UInt8]) -> Bool {
    zip(head, head.dropFirst()).contains { $0 == bytes[0] && $1 == bytes[1] }
  }

  /// Whether fields begin and end with apostrophes, and hold delimiters or line ends there.
  private func singleQuotesEnclose(_ delimiter: UInt8) -> Bool {
    let mark = UInt8(ascii: "'")
    guard !head.contains(UInt8(ascii: "\"")) else { return false }
    var opened = 0
    var closed = 0
    for index in head.indices where head[index] == mark {
      let before = index == 0 ? 0x0A : head[index - 1]
      let after = index + 1 == head.count ? 0x0A : head[index + 1]
      if before == delimiter || before == 0x0A { opened += 1 }
      if after == delimiter || after == 0x0A || after == 0x0D { closed += 1 }
    }
    return opened > 1 && opened == closed
  }

  private func score(_ dialect: Dialect) -> Score {
    var score = Score(dialect: dialect)
    var options = FormatOptions.csv
    dialect.apply(to: &options)
    options.hasHeader = false
    do {
      let reader = try RecordReader(source: MemorySource(head), options: options, projection: [], file: nil)
      score.width = reader.columns.count
      let batch = RecordBatch(fieldCount: 0)
      while score.good + score.bad < Self.recordLimit, try reader.next(batch, maximumRecords: Self.recordLimit) {
        score.good += batch.count
        score.bad += batch.faults.count
      }
    } catch {
      // An end inside quotes is the head's end, unless little was read before.
      score.isCut = error.code == "csv.unterminated-quote" && score.good < 3
      score.isBroken = error.code != "csv.unterminated-quote" || score.isCut
      score.bad += 1
    }
    return score
  }
}
