import SeedFormats

/// The records of a file, or of one array in a JSON document, and what is known of their fields.
final class RecordList {
  /// The file's path as it was given.
  let path: String
  private(set) var form: SourceForm
  /// The name from which the entity's name is made.
  let name: String
  /// The file's name in notes: its name, or its path where another file has the same name.
  private(set) var title: String
  /// Records that can be read.
  var count = 0
  /// The columns of a CSV file.
  var columns: [ColumnProfile] = []
  /// The members of the objects in a JSON file.
  var objects: ObjectProfile?
  /// Records that cannot be read: how many, and the first one.
  var faultCount = 0
  var firstFault: (line: UInt64, message: String)?
  /// The parts of the file that belong to no record.
  var leftOut: [String] = []
  /// Records that have the names of the columns in them: how many, and the first one's line.
  private(set) var repeatedHeaders: (count: Int, line: UInt64) = (0, 0)
  /// Columns that tell records apart together.
  private(set) var compoundKey: [ColumnProfile] = []
  /// The document is the only record.
  var isWholeDocument = false

  init(path: String, form: SourceForm, name: String) {
    self.path = path
    title = path.lastPathPart
    self.form = form
    self.name = name
  }

  /// The columns, or the scalars of the records' own keys.
  var fields: [ColumnProfile] {
    objects?.members.filter { $0.objectCount == 0 && $0.arrayCount == 0 }.map(\.scalars) ?? columns
  }

  /// The most records that a run will reject.
  var rejectCount: Int { faultCount + (objects?.rejectCount ?? 0) }

  var isJSON: Bool { form.options.format != .csv }

  /// Another file is called the same: notes call this one by its path.
  func titleByPath() { title = path }

  /// States the columns that tell records apart together.
  func noteCompoundKey(_ columns: [ColumnProfile]) { compoundKey = columns }

  /// Counts a record that is the header again.
  func noteHeader(line: UInt64) {
    if repeatedHeaders.count == 0 { repeatedHeaders.line = line }
    repeatedHeaders.count += 1
  }

  /// Takes the last column away where the file does not name it and nothing stands in it: lines end with a delimiter.
  func leaveOutNamelessColumn() {
    guard form.isLastNameless, columns.count > 1, let last = columns.last, count > 0,
      last.values == 0, last.emptyTexts == 0, var names = form.options.columns, names.count == columns.count
    else { return }
    names[names.count - 1] = ""
    columns.removeLast()
    form.options.columns = names
    form.notes.removeAll { $0 == "columns: " + SourceForm.namelessNote }
    form.notes.append("columns: a delimiter ends every line, with nothing behind it")
  }

  func note(_ fault: UnreadableRecord, in batch: RecordBatch) {
    faultCount += 1
    if firstFault == nil { firstFault = (batch.position(of: fault.rawOffset, in: fault.place).line, fault.message) }
  }
}

extension String {
  /// What follows the last slash.
  var lastPathPart: String { split(separator: "/").last.map(String.init) ?? self }
}
