import Foundation
import ImportEngine
import Pipelines
import SeedFormats

/// Reads a file from its first byte to its last, as an import would, and notes what its fields hold.
struct FileProfiler {
  let path: String
  let inflation: InflationLimit
  let budget: ColumnHashes.Budget
  let cancellation: Cancellation

  /// The lists of records in the file: one, or several arrays of a JSON document.
  func lists() throws -> [RecordList] {
    var form = try sniffedForm()
    // Faults that only show later in the file: a byte that is no UTF-8, a quote that does not open a field.
    for _ in 0..<3 {
      let lists = try lists(form)
      guard let other = corrected(form, after: lists) else { return lists }
      form = other
    }
    return try lists(form)
  }

  // MARK: The form

  func open(_ options: FormatOptions) throws(SeedFormatError) -> any BlockSource {
    var options = options
    options.limits.inflation = inflation
    return try SeedFile.open(path: path, options: options)
  }

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

  private func sniffedForm() throws -> SourceForm {
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
      encoding = FileFormatSniffer.byteEncoding(of: raw.bytes, isWhole: raw.isWhole)
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
    let records = DialectSniffer.records(head.bytes, dialect, isWhole: head.isWhole)
    let titles = TitleSniffer(head: head.bytes, isWhole: head.isWhole, named: named)
      .titles(records, share: sniffer.measure(dialect).share)
    if let titles {
      note(titles.dialect, in: &form)
      form.options.skippedLines = titles.count
      let shown = titles.first.isEmpty ? "" : ": \(QuotedSample.text(of: titles.first))"
      form.notes.append("skip-lines: what stands above the header\(shown)")
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
    let header = HeaderSniffer.hasHeader(records)
    // Above names stands what was passed over.
    form.options.hasHeader = header.answer || form.options.skippedLines > 0
    if !form.options.hasHeader {
      form.options.columns = (1...first.count).map { "column\($0)" }
      form.notes.append("header: \(header.note ?? "the first line is a record")")
      return
    }
    let (names, note) = Self.usable(first)
    if let note {
      form.options.columns = names
      form.notes.append("columns: \(note)")
    }
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

  private func corrected(_ form: SourceForm, after lists: [RecordList]) -> SourceForm? {
    guard form.options.format == .csv || form.options.encoding == .automatic,
      let list = lists.first(where: { $0.faultCount > 0 }), let fault = list.firstFault
    else { return nil }
    var other = form
    if fault.message.contains("UTF-8"), form.options.encoding == .automatic {
      // Its records were not looked at byte by byte: Windows-1252 has all characters of Latin-1.
      other.options.encoding = .windows1252
      other.notes.append("encoding: line \(fault.line) is not UTF-8; every byte is a character of it")
      return other
    }
    return nil
  }

  // MARK: The records

  private func lists(_ form: SourceForm) throws -> [RecordList] {
    switch form.options.format {
    case .csv: return [try columnList(form)]
    case .ndjson: return [try objectList(form, name: baseName)]
    case .json: return try documentLists(form)
    }
  }

  private var baseName: String { FileStem.stem(of: path) }

  private func columnList(_ form: SourceForm) throws -> RecordList {
    do {
      return try readColumns(form)
    } catch let error as SeedFormatError
      where error.code == "csv.unterminated-quote" && form.options.quote != nil
    {
      var other = form
      other.options.quote = nil
      other.notes.append("quote: the one in line \(error.line ?? 1) is never closed, so quotes enclose nothing")
      return try readColumns(other)
    }
  }

  private func readColumns(_ form: SourceForm) throws -> RecordList {
    let list = RecordList(path: path, form: form, name: baseName)
    let probe = try RecordReader(source: open(form.options), options: form.options, projection: [], file: path)
    let names = probe.columns
    list.columns = names.map { ColumnProfile(name: $0, budget: budget) }
    let reader = try RecordReader(
      source: open(form.options), options: form.options, projection: names.indices.map { names[$0] },
      file: path)
    let batch = RecordBatch(fieldCount: names.count)
    while try reader.next(batch) {
      try stopIfCancelled()
      for record in 0..<batch.count {
        let line = batch.place(ofRecord: record).line
        for (index, column) in list.columns.enumerated() {
          let slice = batch.field(index, ofRecord: record)
          // Safety: a profile keeps no bytes, so that the batch may be filled again.
          unsafe column.observe(
            batch.bytes(of: slice), slice.kind, isQuoted: slice.isQuoted, emptyIsNull: true, line: line)
        }
      }
      list.count += batch.count
      for fault in batch.faults { list.note(fault, in: batch) }
    }
    return list
  }

  private func objectList(_ form: SourceForm, name: String) throws -> RecordList {
    let list = RecordList(path: path, form: form, name: name)
    let objects = ObjectProfile(budget: budget)
    list.objects = objects
    let reader = try RecordReader(
      source: open(form.options), options: form.options, projection: [""], file: path)
    let fields = try JSONFields(projection: [])
    let batch = RecordBatch(fieldCount: 1)
    while try reader.next(batch) {
      try stopIfCancelled()
      for record in 0..<batch.count {
        try objects.observe(
          batch.field(0, ofRecord: record), in: batch, fields: fields, line: batch.place(ofRecord: record).line)
      }
      list.count += batch.count
      for fault in batch.faults { list.note(fault, in: batch) }
    }
    return list
  }

  private func documentLists(_ form: SourceForm) throws -> [RecordList] {
    var outline = JSONOutline()
    let source = try open(form.options)
    while let block = try source.next() {
      try stopIfCancelled()
      unsafe outline.scan(block.bytes)
    }
    if outline.isArray { return [try objectList(form, name: baseName)] }
    // Without an array of objects the document itself is the record.
    guard !outline.arrays.isEmpty else {
      var whole = form
      whole.options.pointer = ""
      whole.notes.append("pointer: the document holds no array of objects, so it is one record itself")
      let list = try objectList(whole, name: baseName)
      list.isWholeDocument = true
      return [list]
    }
    var lists: [RecordList] = []
    for pointer in outline.arrays {
      var inside = form
      inside.options.pointer = pointer
      let name = pointer.split(separator: "/").last.map { JSONPointer.unescaped(String($0)) }
      lists.append(try objectList(inside, name: outline.arrays.count == 1 ? baseName : name ?? baseName))
    }
    if !outline.others.isEmpty {
      let shown = outline.others.prefix(5).joined(separator: ", ")
      let rest = outline.others.count > 5 ? " and \((outline.others.count - 5).grouped) more" : ""
      lists[0].leftOut.append("\(shown)\(rest): they stand beside the records and belong to none")
    }
    return lists
  }

  func stopIfCancelled() throws {
    if cancellation.isCancelled { throw RunError(.interrupted, code: "interrupted", "interrupted") }
  }
}
