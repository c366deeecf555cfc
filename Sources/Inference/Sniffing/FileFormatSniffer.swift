import SeedFormats

/// Tells format and encoding of a file from its name and its first bytes.
enum FileFormatSniffer {
  /// Bytes that are looked at.
  static let headCount = 256 << 10

  /// What a name says, in the words of pipeline files, TSV being CSV: `.csv` and `.txt`, `.tsv` and `.tab`, `.json`,
  /// `.ndjson` and `.jsonl`, `.plist`, each also compressed.
  static func format(named path: String) -> (word: String, delimiter: UInt8)? {
    switch extensions(of: path).last {
    case "csv", "txt": ("csv", UInt8(ascii: ","))
    case "tsv", "tab": ("csv", UInt8(ascii: "\t"))
    case "json": ("json", UInt8(ascii: ","))
    case "ndjson", "jsonl": ("ndjson", UInt8(ascii: ","))
    case "plist": ("plist", UInt8(ascii: ","))
    default: nil
    }
  }

  /// The name's extensions in small letters without those of a compression.
  private static func extensions(of path: String) -> [String] {
    let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
    var parts = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map(String.init)
    while let last = parts.last, ["gz", "zip", "zst"].contains(last) { parts.removeLast() }
    return parts
  }

  /// The encoding that a file's first bytes tell; nil for UTF-8, and for what only reading on can tell from it.
  static func encoding(of head: [UInt8]) -> FormatOptions.Encoding? {
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return .utf16 }
    let sample = head.prefix(4096)
    guard sample.count >= 4 else { return nil }
    let zeros = sample.indices.filter { sample[$0] == 0 }
    guard zeros.count * 4 > sample.count else { return nil }
    // Text has hardly a zero in the other half of its units, and programs have many.
    let even = zeros.count { $0 % 2 == 0 }
    guard min(even, zeros.count - even) * 20 <= zeros.count else { return nil }
    return even * 2 > zeros.count ? .utf16BigEndian : .utf16LittleEndian
  }

  /// The encoding of text that is not UTF-8: one character a byte. The part that is not in the head may have characters
  /// of Windows alone.
  static func byteEncoding(of head: [UInt8], isWhole: Bool) -> FormatOptions.Encoding {
    !isWhole || head.contains(where: Windows1252.isOwn) ? .windows1252 : .latin1
  }

  /// Whether bytes are UTF-8, but for a character that the end may have cut.
  static func isUTF8(_ head: [UInt8], isWhole: Bool) -> Bool {
    var bytes = head[...]
    if !isWhole, let end = bytes.lastIndex(where: { $0 < 0x80 }) { bytes = bytes[...end] }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  /// JSON, NDJSON or CSV by the text itself.
  static func format(of text: [UInt8]) -> FormatOptions.Format {
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...]
    guard let start = text.firstIndex(where: { !isBlank($0) }) else { return .csv }
    switch text[start] {
    case UInt8(ascii: "["): return startsJSON(text[start...]) ? .json : .csv
    case UInt8(ascii: "{"):
      // One object a line, or one object over all lines.
      let line = text[start...].prefix { $0 != 0x0A }
      let next = text[(start + line.count)...].first { !isBlank($0) }
      return JSONOutline.isWholeObject(Array(line)) && next == UInt8(ascii: "{") ? .ndjson : .json
    default: return .csv
    }
  }

  /// Whether what follows the bracket may begin a value; `[x],y` is CSV.
  private static func startsJSON(_ text: ArraySlice<UInt8>) -> Bool {
    guard let next = text.dropFirst().first(where: { !isBlank($0) }) else { return true }
    return "{[\"]-0123456789tfn".utf8.contains(next)
  }

  /// Whether bytes begin a property list, in XML or binary.
  static func isPropertyList(_ head: [UInt8]) -> Bool {
    if head.starts(with: Array("bplist0".utf8)) { return true }
    let text = head.prefix(1024).drop { isBlank($0) || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    guard text.first == UInt8(ascii: "<") else { return false }
    let start = String(decoding: text, as: UTF8.self)
    return start.contains("<plist") || start.contains("<!DOCTYPE plist")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
