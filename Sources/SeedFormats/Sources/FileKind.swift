/// Kinds of files that are no text of a seed, told by their first bytes.
public struct FileKind: Sendable {
  /// The name of the kind, with its article: `a zip archive`.
  public let name: String
  /// What to do with it.
  public let hint: String
  /// Kinds that are read as plain files, but not inside compressed data: the name there, and a hint.
  private var inside: (name: String, hint: String)?

  /// The number of bytes by which every kind is recognised; a shorter file is recognised by all of its bytes.
  public static let prefixLength = 512

  /// The kind of a file that begins with these bytes; nil for text, and for what is not known.
  /// - Parameter allowsWideText: UTF-16 and UTF-32 are text, because the encoding is stated.
  public init?(_ prefix: [UInt8], allowsWideText: Bool = false) {
    let wide = allowsWideText ? nil : Self.wideText(prefix)
    guard let kind = wide ?? Self.archive(prefix) ?? Self.signed(prefix) ?? Self.marked(prefix) else { return nil }
    self = kind
  }

  /// The kind of the file at a path; contents inside gzip are not read.
  /// - Returns: nil also where there is no file that can be read.
  public init?(path: String) {
    guard let source = try? FileBlockSource(path: path) else { return nil }
    let held = ByteBuffer()
    while held.count < Self.prefixLength {
      guard (try? held.append(from: source, maximum: Self.prefixLength)) == true else { break }
    }
    self.init(unsafe Array(UnsafeRawBufferPointer(start: held.base, count: held.count)))
  }

  init(_ name: String, hint: String, inside: (name: String, hint: String)? = nil) {
    self.name = name
    self.hint = hint
    self.inside = inside
  }

  /// The error of a source that should be text once it is inflated.
  func error(file: String?) -> SeedFormatError {
    SeedFormatError(
      code: "source.kind", kind: .malformed, message: "this is \(inside?.name ?? name)", hint: inside?.hint ?? hint,
      file: file)
  }

  private static func archive(_ bytes: [UInt8]) -> FileKind? {
    guard bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6]) else { return nil }
    // A workbook is an archive whose first member lists the types of the others.
    let member = bytes.dropFirst(30)
    if member.starts(with: Array("[Content_Types].xml".utf8)) || member.starts(with: Array("_rels/".utf8)) {
      return FileKind("an Office document, such as an Excel workbook", hint: saveAsText)
    }
    if member.starts(with: Array("mimetypeapplication/vnd.oasis.opendocument".utf8)) {
      return FileKind("an OpenDocument file, such as a spreadsheet", hint: saveAsText)
    }
    return FileKind(
      "a zip archive", hint: "as a source it is read in place: FEED.zip!MEMBER.csv names a file inside",
      inside: (
        "a zip archive inside another or inside compressed data",
        "unpack the outer one; then FEED.zip!MEMBER.csv names a file inside, with no more unpacking"
      ))
  }

  /// A compression that is read.
  private static func packed(_ name: String, _ program: String, inside: String) -> FileKind {
    FileKind(
      "packed with \(name)", hint: "as a source it is read as it is, whatever its name",
      inside: (inside, "unpack it once (\(program) -dc FILE > OTHER); what is left is read as it is"))
  }

  private static let saveAsText = "save the sheet as CSV in UTF-8, and name that file"

  private static func unpack(_ program: String, _ suffix: String) -> String {
    "unpack it (\(program) -dc FILE.\(suffix) > FILE) or pack it with gzip, which is read"
  }

  /// Kinds by the bytes that they begin with. Those that could begin a text have a byte after them that could not.
  private static let signatures: [(bytes: [UInt8], kind: FileKind)] = [
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], FileKind("packed with xz", hint: unpack("xz", "xz"))),
    ([0x28, 0xB5, 0x2F, 0xFD], packed("zstd", "zstd", inside: "packed with zstd inside another compression")),
    ([0x04, 0x22, 0x4D, 0x18], FileKind("packed with LZ4", hint: unpack("lz4", "lz4"))),
    ([0x1F, 0x9D], FileKind("packed with compress (.Z)", hint: unpack("uncompress", "Z"))),
    ([0x1F, 0x8B, 8], packed("gzip", "gzip", inside: "packed with gzip twice")),
    (
      [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C],
      FileKind("a 7-Zip archive", hint: "unpack it (7z x) and name the file inside")
    ),
    (Array("Rar!".utf8) + [0x1A, 7], FileKind("a RAR archive", hint: "unpack it (unrar x) and name the file inside")),
    (
      Array("SQLite format 3".utf8) + [0],
      FileKind(
        "an SQLite database",
        hint: "write its table as text first: seedbed export for a Core Data store, sqlite3 -csv -header for another")
    ),
    (
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
      FileKind("an old Office document, such as .xls", hint: saveAsText)
    ),
    (Array("%PDF-".utf8), FileKind("a PDF document", hint: "ask for the data as CSV or JSON")),
    (Array("bplist0".utf8), FileKind("a binary property list", hint: propertyList)),
    ([0x7F] + Array("ELF".utf8) + [1, 1], program), ([0x7F] + Array("ELF".utf8) + [2, 1], program),
    ([0xCF, 0xFA, 0xED, 0xFE], program), ([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0], program),
    (Array("MZ".utf8) + [0x90, 0, 3, 0], program),
    ([0x89] + Array("PNG\r\n".utf8) + [0x1A], FileKind("a PNG picture", hint: dataFile)),
    ([0xFF, 0xD8, 0xFF], FileKind("a JPEG picture", hint: dataFile)),
    (Array("GIF89a".utf8), FileKind("a GIF picture", hint: dataFile)),
    (Array("Obj".utf8) + [1], FileKind("an Avro file", hint: columnar)),
    (Array("ARROW1".utf8) + [0], FileKind("an Arrow file", hint: columnar)),
  ]

  private static let propertyList = "an array of dictionaries is read with from: { path: FILE, format: plist }"
  private static let program = FileKind("a program, not text", hint: dataFile)
  private static let dataFile = "name the file with the data"
  private static let columnar = "write it as CSV or NDJSON first, such as with DuckDB: COPY (FROM 'FILE') TO 'FILE.csv'"

  private static func signed(_ bytes: [UInt8]) -> FileKind? {
    if let match = signatures.first(where: { bytes.starts(with: $0.bytes) }) { return match.kind }
    if bytes.starts(with: Array("PAR1".utf8)), bytes.count > 4, bytes[4] > 0x0D ? bytes[4] < 0x20 : bytes[4] < 9 {
      return FileKind("a Parquet file", hint: columnar)
    }
    let isBlock = bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
    if bytes.starts(with: Array("BZh".utf8)), isBlock {
      return FileKind("packed with bzip2", hint: unpack("bzip2", "bz2"))
    }
    if bytes.dropFirst(257).starts(with: Array("ustar".utf8)) {
      return FileKind("a tar archive", hint: "unpack it (tar -xf) and name the file that was inside")
    }
    return nil
  }

  /// Markup: text without records.
  private static func marked(_ bytes: [UInt8]) -> FileKind? {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let text = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.prefix(64)
    let lower = String(decoding: text, as: UTF8.self).lowercased()
    if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") {
      return FileKind(
        "a web page (HTML)",
        hint: "a server may have answered with a page instead of the data: look into it, and download the file again")
    }
    if lower.hasPrefix("<?xml ") || lower.hasPrefix("<plist "),
      String(decoding: start.prefix(400), as: UTF8.self).lowercased().contains("<plist ")
    {
      return FileKind("an XML property list", hint: propertyList)
    }
    if lower.hasPrefix("<?xml ") {
      return FileKind("XML", hint: "convert it to CSV, JSON or NDJSON")
    }
    if lower.hasPrefix("{\\rtf") { return FileKind("formatted text (RTF)", hint: "save it as plain text in UTF-8") }
    return nil
  }

  /// UTF-32, or UTF-16 without a byte order mark: every other byte is NUL, and none of the rest is.
  private static func wideText(_ bytes: [UInt8]) -> FileKind? {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return FileKind("UTF-32 text", hint: "convert it (iconv -f UTF-32 -t UTF-8 FILE)")
    }
    let units = bytes.prefix(64)
    guard units.count >= 4 else { return nil }
    let even = stride(from: 0, to: units.count, by: 2).map { units[$0] }
    let odd = stride(from: 1, to: units.count, by: 2).map { units[$0] }
    func isText(_ part: [UInt8]) -> Bool { part.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) } }
    func isEmpty(_ part: [UInt8]) -> Bool { part.allSatisfy { $0 == 0 } }
    let order = isEmpty(odd) && isText(even) ? "utf-16le" : isEmpty(even) && isText(odd) ? "utf-16be" : nil
    guard let order else { return nil }
    return FileKind("UTF-16 text without a byte order mark", hint: "state it: encoding: \(order)")
  }
}
