import ImportEngine
import Pipelines
import SeedFormats

/// How a file is written, as its first bytes tell.
extension FileProfiler {
  private func head(_ encoding: FormatOptions.Encoding) throws(SeedFormatError) -> (bytes: [UInt8], isWhole: Bool) {
    var options = FormatOptions.csv
    options.encoding = encoding
    do {
      return try open(options).head(count: FileFormatSniffer.headCount)
    } catch  where error.code == "source.kind" {
      // Two kinds that a run refuses unless they are stated: they will be.
      options.isPropertyList = true
      let raw = try open(options).head(count: FileFormatSniffer.headCount)
      // UTF-16 is text when its encoding is stated; other kinds of files are not.
      let isWideText = FileKind(Array(raw.bytes.prefix(FileKind.prefixLength)), allowsWideText: true) == nil
      let encoding = FileFormatSniffer.encoding(of: raw.bytes)
      guard isWideText && encoding != nil || FileFormatSniffer.isPropertyList(raw.bytes) else { throw error }
      return raw
    }
  }

  func sniffedForm() throws -> SourceForm {
    let raw = try head(.utf8)
    let named = FileFormatSniffer.format(named: path)
    if FileFormatSniffer.isPropertyList(raw.bytes) {
      var form = SourceForm(.json)
      form.options.isPropertyList = true
      form.options.requiresObjects = true
      noteFormat(&form, named?.word)
      return form
    }
    var encoding = FileFormatSniffer.encoding(of: raw.bytes)
    if encoding == nil, !FileFormatSniffer.isUTF8(raw.bytes, isWhole: raw.isWhole) {
      let first = raw.bytes.prefix { $0 != 0x0A && $0 != 0x0D }
      // A header is not rejected, so all of it is read.
      let isMeant = try FileFormatSniffer.isUTF8(Array(first), isWhole: true) && isMeantAsUTF8()
      if !isMeant { encoding = FileFormatSniffer.byteEncoding(of: raw.bytes, isWhole: raw.isWhole) }
    }
    let head = try encoding == nil ? raw : head(encoding ?? .utf8)
    let found = FileFormatSniffer.format(of: head.bytes, isWhole: head.isWhole)
    // JSON begins with a bracket; where the name says JSON and the text does not, reading it says why.
    let format = found == .csv ? Self.jsonFormats[named?.word ?? ""] ?? .csv : found
    var form = SourceForm(format)
    form.options.requiresObjects = format != .csv
    if let encoding {
      form.options.encoding = encoding
      let reason =
        encoding == .utf16
        ? "it begins with a byte order mark"
        : encoding == .latin1 || encoding == .windows1252 ? Self.reason(encoding) : "every other byte is zero"
      form.notes.append("encoding: " + reason)
    }
    noteFormat(&form, named?.word)
    if format == .csv { sniffColumns(&form, head: head, named: named?.delimiter ?? UInt8(ascii: ",")) }
    return form
  }

  /// Whether most characters beyond ASCII are UTF-8, in the whole file, so that some bytes are faults.
  func isMeantAsUTF8() throws -> Bool {
    var options = FormatOptions.csv
    options.encoding = .utf8
    return try EncodingCensus(open(options), check: stopIfCancelled).isMeantAsUTF8
  }

  private static func reason(_ encoding: FormatOptions.Encoding) -> String {
    encoding == .latin1
      ? "it is not UTF-8; every byte is a character of Latin-1"
      : "it is not UTF-8; every byte is a character as Windows has them, such as quotes and dashes"
  }

  private static let jsonFormats: [String: FormatOptions.Format] = ["json": .json, "ndjson": .ndjson]

  private func noteFormat(_ form: inout SourceForm, _ named: String?) {
    guard named != form.word else { return }
    let reason = named.map { "its name says \($0)" } ?? "its name does not tell"
    form.notes.append("format: \(reason), its text is \(form.word)")
  }

  private func sniffColumns(
    _ form: inout SourceForm, head: (bytes: [UInt8], isWhole: Bool), named: UInt8
  ) {
    var head = head
    if head.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { head.bytes.removeFirst(3) }
    if let stated = TextColumns.statedDelimiter(head.bytes), let end = TitleSniffer.lineEnd(head.bytes[...]) {
      head.bytes.removeFirst(end)
      form.options.honorsSeparatorLine = true
      let dialect = DialectSniffer(head: head.bytes, isWhole: head.isWhole).dialect(stated: stated[0])
      note(dialect, in: &form)
      form.options.delimiterRest = Array(stated.dropFirst())
      form.notes.append("file: its first line states the delimiter, as spreadsheets do")
      sniffHeader(&form, head: head)
      return
    }
    let sniffer = DialectSniffer(head: head.bytes, isWhole: head.isWhole)
    let (dialect, reason) = sniffer.dialect(named: named)
    let measure = sniffer.measure(dialect)
    if measure.share < 0.5 || measure.width < 2,
      let trailing = TrailingDelimiter(head: head.bytes, isWhole: head.isWhole, named: named)
    {
      adopt(trailing, named: named, in: &form)
      return
    }
    let records = DialectSniffer.records(head.bytes, dialect, isWhole: head.isWhole)
    let titles = TitleSniffer(head: head.bytes, isWhole: head.isWhole, named: named)
      .titles(records, share: measure.share)
    if let titles {
      note(titles.dialect, in: &form)
      form.options.skippedLines = titles.count
      let shown = titles.first.isEmpty ? "" : ": \(QuotedSample.text(of: titles.first))"
      form.notes.append("skip-lines: \(SourceForm.titleNote)\(shown)")
      if titles.dialect.delimiter != named { form.notes.append("delimiter: records have as many fields as the header") }
      sniffHeader(&form, head: (titles.rest, head.isWhole))
      return
    }
    note(dialect, in: &form)
    if dialect.delimiter != named, let reason { form.notes.append("delimiter: \(reason)") }
    if let width = sniffer.widthBelow(dialect) {
      form.options.hasHeader = false
      form.options.columns = (1...width).map { "column\($0)" }
      form.notes.append("header: the first line has not as many fields as the others, which have \(width)")
    } else {
      sniffHeader(&form, head: head)
    }
  }

  /// Names the columns after a header of another width, which is passed over itself.
  private func adopt(_ trailing: TrailingDelimiter, named: UInt8, in form: inout SourceForm) {
    note(trailing.dialect, in: &form)
    if trailing.dialect.delimiter != named { form.notes.append("delimiter: it splits all records alike") }
    form.options.skippedLines = 1
    form.options.hasHeader = false
    form.options.columns =
      Self.usable(trailing.names).names + (trailing.isInRecords ? ["column\(trailing.names.count + 1)"] : [])
    form.isLastNameless = trailing.isInRecords
    form.notes.append(
      "skip-lines: the header has one field \(trailing.isInRecords ? "less" : "more") than the records")
    form.notes.append("header: its names are those of `columns`")
    form.notes.append(
      "columns: "
        + (trailing.isInRecords
          ? "records have one field more than the header" : "the header ends with a delimiter, and the records do not"))
  }

  private func note(_ dialect: DialectSniffer.Dialect, in form: inout SourceForm) {
    form.options.delimiter = dialect.delimiter
    form.options.delimiterRest = dialect.delimiterRest
    form.options.quote = dialect.quote
    form.options.escape = dialect.escape
    form.options.comment = dialect.comment
    if dialect.quote == nil { form.notes.append("quote: its quotes do not enclose fields") }
    if dialect.quote == UInt8(ascii: "'") { form.notes.append("quote: fields begin and end with apostrophes") }
    if dialect.escape != nil { form.notes.append("escape: a backslash stands before quotes") }
    if dialect.comment != nil { form.notes.append("comment: lines with # in front are no records") }
  }

  private func sniffHeader(_ form: inout SourceForm, head: (bytes: [UInt8], isWhole: Bool)) {
    let records = DialectSniffer.records(head.bytes, form.options, isWhole: head.isWhole)
    guard let first = records.first else { return }
    if !HeaderSniffer.isHeaderByEvidence(records),
      let names = commentedNames(form, head.bytes, count: first.count)
    {
      form.options.hasHeader = false
      form.options.columns = names
      form.notes.append("header: a comment above the records names the columns")
      return
    }
    let header = HeaderSniffer.hasHeader(records)
    // Above names stands what was passed over.
    form.options.hasHeader = header.answer || form.options.skippedLines > 0
    if !form.options.hasHeader {
      form.options.columns = (1...first.count).map { "column\($0)" }
      form.notes.append("header: \(header.note ?? "the first line is a record")")
      return
    }
    if HeaderSniffer.mayBeRecord(records) || HeaderSigns.areMissing(in: records) {
      let shown = first.prefix(3).map { QuotedSample.text(of: $0) }.joined(separator: ", ")
      form.notes.append(
        "names: the first line is taken for names, \(shown): where it is a record, write `header: false` and `columns`")
    }
    form.trims = mayTrim && Self.arePadded(records)
    let (names, note) = Self.usable(form.trims ? first.map(Self.trimmed) : first)
    if let note {
      form.options.columns = names
      form.notes.append("columns: \(note)")
      form.isLastNameless = first.count > 1 && first.last?.isEmpty ?? false
    } else if names != first {
      form.options.columns = names
      form.notes.append("columns: in the header blanks stand before names")
    }
    if form.options.columns != nil, !form.options.honorsSeparatorLine { passBlankLines(&form, head.bytes[...]) }
  }

  /// The names of the columns where the last comment above the records has them, as tables of time zones have it.
  private func commentedNames(_ form: SourceForm, _ head: [UInt8], count: Int) -> [String]? {
    guard let mark = form.options.comment, count > 1 else { return nil }
    let lines = head.split { $0 == 0x0A || $0 == 0x0D }.prefix { $0.first == mark }
    guard let last = lines.last else { return nil }
    var options = form.options
    options.comment = nil
    let text = Array(last.drop { $0 == mark || $0 == 0x20 })
    let names = DialectSniffer.records(text, options, isWhole: true).first ?? []
    guard names.count == count, Set(names).count == count,
      !names.contains(where: { $0.isEmpty || $0.first == " " || $0.last == " " || HeaderSniffer.isLikeNumber($0) })
    else { return nil }
    return Self.usable(names).names
  }

  /// Where names are given, an empty first line would be the header that they stand for.
  private func passBlankLines(_ form: inout SourceForm, _ head: ArraySlice<UInt8>) {
    var head = head
    let skipped = form.options.skippedLines
    while let first = head.first, first == 0x0A || first == 0x0D, let end = TitleSniffer.lineEnd(head) {
      head = head[end...]
      form.options.skippedLines += 1
    }
    if skipped == 0, form.options.skippedLines > 0 { form.notes.append("skip-lines: empty lines above the header") }
  }

  /// Whether a blank follows each delimiter, as people write lists.
  private static func arePadded(_ records: [[String]]) -> Bool {
    guard let width = records.first?.count, width > 1, records.count > 1 else { return false }
    return records.allSatisfy { $0.dropFirst().allSatisfy { $0.isEmpty || $0.first == " " } }
      && records.dropFirst().contains { $0.dropFirst().contains { $0.first == " " } }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// The names of a header, repeated and empty ones and those that no expression can have replaced.
  private static func usable(_ header: [String]) -> (names: [String], note: String?) {
    var names: [String] = []
    var seen: Set<String> = []
    var reasons: Set<String> = []
    for (index, name) in header.enumerated() {
      var usable = name
      if name.isEmpty || YAMLText.field(name) == nil {
        reasons.insert(name.isEmpty ? "a column has no name" : "a name has a backtick")
        usable = "column\(index + 1)"
      }
      // Names that differ in case are two columns to the reader, as are those that differ in accents' form.
      if seen.contains(usable) {
        reasons.insert("\"\(usable)\" stands twice")
        var number = 2
        while seen.contains("\(usable)_\(number)") || header.contains("\(usable)_\(number)") { number += 1 }
        usable += "_\(number)"
      }
      seen.insert(usable)
      names.append(usable)
    }
    return (names, reasons.isEmpty ? nil : "in the header \(reasons.sorted().joined(separator: ", "))")
  }
}
