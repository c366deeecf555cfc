import SeedFormats

/// Finds out how a text of columns is written: what stands above its records, its delimiter and quotes, and the names
/// of its columns.
struct ColumnSniffer {
  /// What is known of the text, with the reasons.
  private(set) var form: SourceForm
  /// Whether blanks that stand before all values may be left out.
  let mayTrim: Bool

  /// - Parameter named: the delimiter that the file's name stands for.
  mutating func sniff(_ head: (bytes: [UInt8], isWhole: Bool), named: UInt8) {
    var head = head
    if head.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { head.bytes.removeFirst(3) }
    if let stated = TextColumns.statedDelimiter(head.bytes), let end = TitleSniffer.lineEnd(head.bytes[...]) {
      head.bytes.removeFirst(end)
      form.options.honorsSeparatorLine = true
      let dialect = DialectSniffer(head: head.bytes, isWhole: head.isWhole).dialect(stated: stated[0])
      adopt(dialect)
      form.options.delimiterRest = Array(stated.dropFirst())
      form.notes.append("file: its first line states the delimiter, as spreadsheets do")
      sniffHeader(head)
      return
    }
    let sniffer = DialectSniffer(head: head.bytes, isWhole: head.isWhole)
    let (dialect, reason) = sniffer.dialect(named: named)
    let measure = sniffer.measure(dialect)
    if measure.share < 0.5 || measure.width < 2,
      let trailing = TrailingDelimiter(head: head.bytes, isWhole: head.isWhole, named: named)
    {
      adopt(trailing, named: named)
      return
    }
    let records = DialectSniffer.records(head.bytes, dialect, isWhole: head.isWhole)
    let titles = TitleSniffer(head: head.bytes, isWhole: head.isWhole, named: named)
      .titles(records, share: measure.share)
    if let titles {
      adopt(titles.dialect)
      form.options.skippedLines = titles.count
      let shown = titles.first.isEmpty ? "" : ": \(QuotedSample.text(of: titles.first))"
      form.notes.append("skip-lines: \(SourceForm.titleNote)\(shown)")
      if titles.dialect.delimiter != named { form.notes.append("delimiter: records have as many fields as the header") }
      sniffHeader((titles.rest, head.isWhole))
      return
    }
    adopt(dialect)
    if dialect.delimiter != named, let reason { form.notes.append("delimiter: \(reason)") }
    if let width = sniffer.widthBelow(dialect) {
      form.options.hasHeader = false
      form.options.columns = (1...width).map { "column\($0)" }
      form.notes.append("header: the first line has not as many fields as the others, which have \(width)")
    } else {
      sniffHeader(head)
    }
  }

  /// Names the columns after a header of another width, which is passed over itself.
  private mutating func adopt(_ trailing: TrailingDelimiter, named: UInt8) {
    adopt(trailing.dialect)
    if trailing.dialect.delimiter != named { form.notes.append("delimiter: it splits all records alike") }
    form.options.skippedLines = 1
    form.options.hasHeader = false
    form.options.columns =
      HeaderNames.usable(trailing.names).names + (trailing.isInRecords ? ["column\(trailing.names.count + 1)"] : [])
    form.isLastNameless = trailing.isInRecords
    form.notes.append(
      "skip-lines: the header has one field \(trailing.isInRecords ? "less" : "more") than the records")
    form.notes.append("header: its names are those of `columns`")
    form.notes.append(
      "columns: "
        + (trailing.isInRecords
          ? "records have one field more than the header" : "the header ends with a delimiter, and the records do not"))
  }

  private mutating func adopt(_ dialect: DialectSniffer.Dialect) {
    dialect.apply(to: &form.options)
    if dialect.quote == nil { form.notes.append("quote: its quotes do not enclose fields") }
    if dialect.quote == UInt8(ascii: "'") { form.notes.append("quote: fields begin and end with apostrophes") }
    if dialect.escape != nil { form.notes.append("escape: a backslash stands before quotes") }
    if dialect.comment != nil { form.notes.append("comment: lines with # in front are no records") }
  }

  private mutating func sniffHeader(_ head: (bytes: [UInt8], isWhole: Bool)) {
    let records = DialectSniffer.records(head.bytes, form.options, isWhole: head.isWhole)
    guard let first = records.first else { return }
    if !HeaderSniffer.isHeaderByEvidence(records),
      let names = commentedNames(head.bytes, count: first.count)
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
    form.trims = mayTrim && HeaderNames.arePadded(records)
    let (names, note) = HeaderNames.usable(form.trims ? first.map(HeaderNames.trimmed) : first)
    if let note {
      form.options.columns = names
      form.notes.append("columns: \(note)")
      form.isLastNameless = first.count > 1 && first.last?.isEmpty ?? false
    } else if names != first {
      form.options.columns = names
      form.notes.append("columns: in the header blanks stand before names")
    }
    if form.options.columns != nil, !form.options.honorsSeparatorLine { passBlankLines(head.bytes[...]) }
  }

  /// The names of the columns where the last comment above the records has them, as tables of time zones have it.
  private func commentedNames(_ head: [UInt8], count: Int) -> [String]? {
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
    return HeaderNames.usable(names).names
  }

  /// Where names are given, an empty first line would be the header that they stand for.
  private mutating func passBlankLines(_ head: ArraySlice<UInt8>) {
    var head = head
    let skipped = form.options.skippedLines
    while let first = head.first, first == 0x0A || first == 0x0D, let end = TitleSniffer.lineEnd(head) {
      head = head[end...]
      form.options.skippedLines += 1
    }
    if skipped == 0, form.options.skippedLines > 0 { form.notes.append("skip-lines: empty lines above the header") }
  }
}
