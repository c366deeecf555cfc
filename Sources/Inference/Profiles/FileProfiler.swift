import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import SeedFormats

/// Reads a file from its first byte to its last, as an import would, and notes what its fields hold.
struct FileProfiler {
  let file: DataFile
  let budget: ColumnHashes.Budget
  /// Whether blanks that stand before all values may be left out.
  var mayTrim = false

  /// The lists of records in the file: one, or several arrays of a JSON document.
  func lists() throws -> [RecordList] {
    var form = try FormSniffer(file: file, mayTrim: mayTrim).form()
    // Faults that only show later in the file: a byte that is no UTF-8, a comment in JSON.
    for _ in 0..<3 {
      do {
        let lists = try lists(form)
        guard let other = try corrected(form, after: lists) else { return lists }
        form = other
      } catch let error as SeedFormatError where Self.isLenientJSON(error) && !form.options.isLenient {
        form.options.isLenient = true
        form.notes.append("lenient: line \(error.line ?? 1) has a comment, or a comma before a closing bracket")
      }
    }
    return try lists(form)
  }

  private func corrected(_ form: SourceForm, after lists: [RecordList]) throws -> SourceForm? {
    guard form.options.format == .csv || form.options.encoding == .automatic,
      let list = lists.first(where: { $0.faultCount > 0 }), let fault = list.firstFault
    else { return nil }
    var other = form
    if fault.message.contains("UTF-8"), form.options.encoding == .automatic,
      try !file.isMeantAsUTF8()
    {
      // Its records were not looked at byte by byte: Windows-1252 has all characters of Latin-1.
      other.options.encoding = .windows1252
      other.notes.append("encoding: line \(fault.line) is not UTF-8; every byte is a character of it")
      return other
    }
    return nil
  }

  /// Whether a document cannot be read because of something that is no JSON and that `lenient` passes over.
  private static func isLenientJSON(_ error: SeedFormatError) -> Bool {
    error.code == "json.malformed" && error.hint?.contains("lenient: true") ?? false
  }

  // MARK: The records

  private func lists(_ form: SourceForm) throws -> [RecordList] {
    switch form.options.format {
    case .csv: return [try columnList(form)]
    case .ndjson: return [try objectList(form, name: baseName)]
    case .json: return try documentLists(form)
    }
  }

  private var baseName: String { FileStem.stem(of: file.path) }

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
    let list = RecordList(path: file.path, form: form, name: baseName)
    let probe = try RecordReader(
      source: file.open(form.options), options: form.options, projection: [], file: file.path)
    let names = probe.columns
    list.columns = names.map { ColumnProfile(name: $0, budget: budget) }
    let reader = try RecordReader(
      source: file.open(form.options), options: form.options, projection: names.indices.map { names[$0] },
      file: file.path)
    let batch = RecordBatch(fieldCount: names.count)
    while try reader.next(batch) {
      try file.stopIfCancelled()
      for record in 0..<batch.count {
        let line = batch.place(ofRecord: record).line
        for (index, column) in list.columns.enumerated() {
          let slice = batch.field(index, ofRecord: record)
          // Safety: a profile keeps no bytes, so that the batch may be filled again.
          unsafe column.observe(
            batch.bytes(of: slice), slice.kind, isQuoted: slice.isQuoted, emptyIsNull: true, line: line,
            trims: form.trims)
        }
        if form.options.hasHeader, isHeader(record, in: batch, names) { list.noteHeader(line: line) }
      }
      list.count += batch.count
      for fault in batch.faults { list.note(fault, in: batch) }
    }
    list.leaveOutNamelessColumn()
    if let note = form.notes.first(where: { $0.hasPrefix("skip-lines: " + SourceForm.titleNote) }) {
      list.leftOut.append(
        form.options.skippedLines.counted("line") + note.dropFirst("skip-lines: what stands".count))
    }
    try noteComments(in: list)
    return list
  }

  private func noteComments(in list: RecordList) throws {
    guard let mark = list.form.options.comment else { return }
    var lines = CommentedLines(mark: mark, quote: list.form.options.quote)
    let source = try file.open(list.form.options)
    while let block = try source.next() {
      try file.stopIfCancelled()
      unsafe lines.scan(block.bytes)
    }
    guard lines.count > 0 else { return }
    list.leftOut.append(
      "\(lines.count.counted("line")) with \(Character(UnicodeScalar(mark))) in front among the records "
        + "(first in line \(lines.firstLine)): write `comment: null` where they are records")
  }

  /// Whether a record has the names of the columns in its fields.
  private func isHeader(_ record: Int, in batch: RecordBatch, _ names: [String]) -> Bool {
    names.indices.allSatisfy { index in
      // Safety: the bytes are compared before the batch is filled again.
      unsafe batch.bytes(of: batch.field(index, ofRecord: record)).elementsEqual(names[index].utf8)
    }
  }

  private func objectList(_ form: SourceForm, name: String) throws -> RecordList {
    let list = RecordList(path: file.path, form: form, name: name)
    let objects = ObjectProfile(budget: budget)
    list.objects = objects
    let reader = try RecordReader(
      source: file.open(form.options), options: form.options, projection: [""], file: file.path)
    let fields = try JSONFields(projection: [])
    let batch = RecordBatch(fieldCount: 1)
    while try reader.next(batch) {
      try file.stopIfCancelled()
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
    let source = try file.open(form.options)
    while let block = try source.next() {
      try file.stopIfCancelled()
      unsafe outline.scan(block.bytes)
    }
    if outline.isArray { return [try objectList(form, name: baseName)] }
    // Without an array of objects the document itself is the record.
    guard !outline.arrays.isEmpty || !outline.keyedObjects.isEmpty else {
      var whole = form
      whole.options.pointer = ""
      whole.notes.append("pointer: the document holds no array of objects, so it is one record itself")
      let list = try objectList(whole, name: baseName)
      list.isWholeDocument = true
      return [list]
    }
    var lists: [RecordList] = []
    let isOne = outline.arrays.count + outline.keyedObjects.count == 1
    func add(_ form: SourceForm) throws {
      let name = form.options.pointer.split(separator: "/").last.map { JSONPointer.unescaped(String($0)) }
      lists.append(try objectList(form, name: isOne ? baseName : name ?? baseName))
    }
    for pointer in outline.arrays {
      var inside = form
      inside.options.pointer = pointer
      try add(inside)
    }
    for object in outline.keyedObjects {
      var inside = form
      inside.options.pointer = object.pointer
      inside.options.keyedBy = object.field
      inside.notes.append("keyed-by: the members of the object are records with the same keys")
      try add(inside)
    }
    if !outline.others.isEmpty {
      let shown = outline.others.prefix(5).joined(separator: ", ")
      let rest = outline.others.count > 5 ? " and \((outline.others.count - 5).grouped) more" : ""
      lists[0].leftOut.append("\(shown)\(rest): they stand beside the records and belong to none")
    }
    return lists
  }
}
