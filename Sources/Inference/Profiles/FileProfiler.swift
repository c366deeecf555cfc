import Foundation
import ImportPipeline
import SeedFormats

/// Reads a file from its first byte to its last, as an import would, and notes what its fields hold.
struct FileProfiler {
  let path: String
  let inflation: InflationLimit
  let budget: KeySet.Budget
  let cancellation: Cancellation

  /// The lists of records in the file: one, or several arrays of a JSON document.
  func lists() throws -> [RecordList] {
    var form = try sniffedForm()
    // What is only found further on: a byte that is no UTF-8, a quote that is none.
    for _ in 0..<3 {
      let lists = try lists(form)
      guard let other = corrected(form, after: lists) else { return lists }
      form = other
    }
    return try lists(form)
  }

  // MARK: The form

  private func open(_ encoding: FormatOptions.Encoding) throws(SeedFormatError) -> any BlockSource {
    var options = FormatOptions.csv
    options.encoding = encoding
    options.limits.inflation = inflation
    return try SeedFile.open(path: path, options: options)
  }

  private func sniffedForm() throws -> SourceForm {
    let raw = try MemorySource.head(of: open(.utf8), count: FileFormatSniffer.headCount)
    var encoding = FileFormatSniffer.encoding(of: raw.bytes)
    if encoding == nil, !FileFormatSniffer.isUTF8(raw.bytes, isWhole: raw.isWhole) { encoding = .latin1 }
    let head =
      try encoding == nil ? raw : MemorySource.head(of: open(encoding ?? .utf8), count: FileFormatSniffer.headCount)
    let named = FileFormatSniffer.format(named: path)
    let found = FileFormatSniffer.format(of: head.bytes, isWhole: head.isWhole)
    // JSON begins with a bracket; where the name says JSON and the text does not, reading it says why.
    let format = found == .csv && (named?.format == .json || named?.format == .ndjson) ? named?.format ?? .csv : found
    var form = SourceForm(format)
    form.options.limits.inflation = inflation
    form.options.requiresObjects = format != .csv
    if let encoding {
      form.options.encoding = encoding
      let reason =
        encoding == .utf16
        ? "it begins with a byte order mark"
        : encoding == .latin1 ? "it is not UTF-8; every byte is a character of Latin-1" : "every other byte is zero"
      form.notes.append("encoding: " + reason)
    }
    if named?.format != format {
      form.notes.append(
        "format: \(named == nil ? "its name does not tell" : "its name says \(named?.format.word ?? "")"), its text is \(format.word)"
      )
    }
    if format == .csv { sniffColumns(&form, head: head, named: named?.delimiter ?? UInt8(ascii: ",")) }
    return form
  }

  private func sniffColumns(
    _ form: inout SourceForm, head: (bytes: [UInt8], isWhole: Bool), named: UInt8
  ) {
    let sniffer = DialectSniffer(head: head.bytes, isWhole: head.isWhole)
    let (dialect, note) = sniffer.dialect(named: named)
    form.options.delimiter = dialect.delimiter
    form.options.quote = dialect.quote
    form.options.escape = dialect.escape
    form.options.comment = dialect.comment
    if dialect.delimiter != named, let note { form.notes.append("delimiter: \(note)") }
    if dialect.quote == nil { form.notes.append("quote: its quotes do not enclose fields") }
    if dialect.quote == UInt8(ascii: "'") { form.notes.append("quote: fields begin and end with apostrophes") }
    if dialect.escape != nil { form.notes.append("escape: a backslash stands before quotes") }
    if dialect.comment != nil { form.notes.append("comment: lines with # in front are no records") }
    if let width = sniffer.widthBelow(dialect) {
      form.options.hasHeader = false
      form.options.columns = (1...width).map { "column\($0)" }
      form.notes.append("header: the first line has not as many fields as the others, which have \(width)")
    } else {
      sniffHeader(&form, head: head)
    }
  }

  private func sniffHeader(_ form: inout SourceForm, head: (bytes: [UInt8], isWhole: Bool)) {
    var bytes = head.bytes
    if !head.isWhole, let end = bytes.lastIndex(of: 0x0A) { bytes = Array(bytes[...end]) }
    let records = Self.firstRecords(bytes, form.options)
    guard let first = records.first else { return }
    let header = HeaderSniffer.hasHeader(records)
    form.options.hasHeader = header.answer
    if !header.answer {
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

  private static func firstRecords(_ bytes: [UInt8], _ options: FormatOptions) -> [[String]] {
    var options = options
    options.hasHeader = false
    options.encoding = .automatic
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

  /// The names of a header, repeated and empty ones and those that no expression can have replaced.
  private static func usable(_ header: [String]) -> (names: [String], note: String?) {
    var names: [String] = []
    var seen: Set<String> = []
    var reasons: Set<String> = []
    for (index, name) in header.enumerated() {
      var usable = name
      if name.isEmpty || YAMLText.field(name) == nil {
        reasons.insert(name.isEmpty ? "a column without a name" : "a name with a backtick")
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
    return (names, reasons.isEmpty ? nil : "the header has \(reasons.sorted().joined(separator: ", "))")
  }

  private func corrected(_ form: SourceForm, after lists: [RecordList]) -> SourceForm? {
    guard form.options.format == .csv || form.options.encoding == .automatic,
      let list = lists.first(where: { $0.faultCount > 0 }), let fault = list.firstFault
    else { return nil }
    var other = form
    if fault.message.contains("UTF-8"), form.options.encoding == .automatic {
      other.options.encoding = .latin1
      other.notes.append("encoding: line \(fault.line) is not UTF-8; every byte is a character of Latin-1")
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

  /// The file's name without folder and extensions.
  private var baseName: String {
    let name = path.split { $0 == "/" || $0 == "!" }.last.map(String.init) ?? path
    return name.split(separator: ".").first.map(String.init) ?? name
  }

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
    let probe = try RecordReader(source: open(form.options.encoding), options: form.options, projection: [], file: path)
    let names = probe.columns
    list.columns = names.map { ColumnProfile(name: $0, budget: budget) }
    let reader = try RecordReader(
      source: open(form.options.encoding), options: form.options, projection: names.indices.map { names[$0] },
      file: path)
    let batch = RecordBatch(fieldCount: names.count)
    while try reader.next(batch) {
      try stopIfCancelled()
      for record in 0..<batch.count {
        let line = batch.place(ofRecord: record).line
        for (index, column) in list.columns.enumerated() {
          let slice = batch.field(index, ofRecord: record)
          unsafe column.take(
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
      source: open(form.options.encoding), options: form.options, projection: [""], file: path)
    let fields = try JSONFields(projection: [])
    let batch = RecordBatch(fieldCount: 1)
    while try reader.next(batch) {
      try stopIfCancelled()
      for record in 0..<batch.count {
        try objects.take(
          batch.field(0, ofRecord: record), in: batch, fields: fields, line: batch.place(ofRecord: record).line)
      }
      list.count += batch.count
      for fault in batch.faults { list.note(fault, in: batch) }
    }
    return list
  }

  private func documentLists(_ form: SourceForm) throws -> [RecordList] {
    var outline = JSONOutline()
    let source = try open(form.options.encoding)
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
      let name = pointer.split(separator: "/").last.map {
        String($0).replacing("~1", with: "/").replacing("~0", with: "~")
      }
      lists.append(try objectList(inside, name: outline.arrays.count == 1 ? baseName : name ?? baseName))
    }
    if !outline.others.isEmpty {
      let shown = outline.others.prefix(5).joined(separator: ", ")
      let rest = outline.others.count > 5 ? " and \((outline.others.count - 5).grouped) more" : ""
      lists[0].leftOut.append("\(shown)\(rest): they stand beside the records and belong to none")
    }
    return lists
  }

  private func stopIfCancelled() throws {
    if cancellation.isCancelled { throw RunError(.interrupted, code: "interrupted", "interrupted") }
  }
}
