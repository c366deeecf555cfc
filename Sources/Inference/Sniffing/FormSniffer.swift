import SeedFormats

/// Finds out how a file is written: its encoding, its format, and how its records are told apart, as its first bytes
/// tell.
struct FormSniffer {
  let file: DataFile
  /// Whether blanks that stand before all values may be left out.
  let mayTrim: Bool

  func form() throws -> SourceForm {
    let raw = try file.head(.utf8)
    let named = FileFormatSniffer.format(named: file.path)
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
      // A header cannot be rejected as a record can, so all of it has to be UTF-8.
      let isMeant = try FileFormatSniffer.isUTF8(Array(first), isWhole: true) && file.isMeantAsUTF8()
      if !isMeant { encoding = FileFormatSniffer.byteEncoding(of: raw.bytes, isWhole: raw.isWhole) }
    }
    let head = try encoding == nil ? raw : file.head(encoding ?? .utf8)
    let found = FileFormatSniffer.format(of: head.bytes)
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
    guard format == .csv else { return form }
    var columns = ColumnSniffer(form: form, mayTrim: mayTrim)
    let delimiter = named?.delimiter ?? UInt8(ascii: ",")
    columns.sniff(try withFirstRecords(head, encoding ?? .utf8, named: delimiter), named: delimiter)
    return columns.form
  }

  /// More of the file where a quoted field of the first records is longer than what is looked at otherwise, as far as a
  /// record may go; `head` itself where more does not end it either, because its quote encloses nothing.
  private func withFirstRecords(
    _ head: (bytes: [UInt8], isWhole: Bool), _ encoding: FormatOptions.Encoding, named: UInt8
  ) throws -> (bytes: [UInt8], isWhole: Bool) {
    func isCut(_ head: (bytes: [UInt8], isWhole: Bool)) -> Bool {
      let bytes = head.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(head.bytes.dropFirst(3)) : head.bytes
      return DialectSniffer(head: bytes, isWhole: head.isWhole).isCut(named: named)
    }
    if head.isWhole { return head }
    var (longer, count) = (head, FileFormatSniffer.headCount)
    while isCut(longer) {
      count *= 16
      if longer.isWhole || count > FormatOptions.Limits().recordBytes { return head }
      longer = try file.head(encoding, count: count)
      try file.stopIfCancelled()
    }
    return longer
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
}
