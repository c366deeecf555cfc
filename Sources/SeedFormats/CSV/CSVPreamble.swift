/// The lines before the header of a CSV source: lines to skip, and a line that states the delimiter.
@safe struct CSVPreamble {
  let splitter: RecordSplitter
  let file: String?

  /// Passes over these lines.
  /// - Returns: the delimiter that the source states itself; empty where it states none.
  /// - Throws: `csv.empty` when there are not so many lines, and errors of the source.
  func pass(_ options: FormatOptions) throws(SeedFormatError) -> [UInt8] {
    if options.skippedLines > 0, try annotationDelimiter(options) == nil {
      for line in 0..<options.skippedLines {
        guard try dropLine(limit: options.limits.recordBytes) else {
          throw SeedFormatError(
            code: "csv.empty", kind: .malformed,
            message: "the file has \(line) lines, and \(options.skippedLines) are to be skipped",
            hint: "correct skip-lines", file: file, line: splitter.line, column: 1, byteOffset: splitter.byteOffset)
        }
      }
    }
    guard options.honorsSeparatorLine else { return [] }
    if let delimiter = Self.statedDelimiter(try firstBytes(64)) {
      _ = try dropLine(limit: 64)
      return delimiter
    }
    return try annotationDelimiter(options) ?? []
  }

  /// The delimiter between the columns of an annotation, such as that of a file of rejects; nil where there is none.
  /// Such a file has neither the lines that are skipped in its source nor the one that states the delimiter.
  private func annotationDelimiter(_ options: FormatOptions) throws(SeedFormatError) -> [UInt8]? {
    let names = options.annotationColumns
    guard !names.isEmpty else { return nil }
    let count = names.reduce(0) { $0 + $1.utf8.count } + names.count * CSVPreamble.maximumDelimiter
    return CSVPreamble.delimiter(joining: names, in: try firstBytes(count))
  }

  private static let maximumDelimiter = 8

  /// The delimiter between given names at the start of a line; nil where the names are not there.
  static func delimiter(joining names: [String], in line: [UInt8]) -> [UInt8]? {
    guard names.count > 1, line.starts(with: names[0].utf8) else { return nil }
    let rest = line.dropFirst(names[0].utf8.count)
    for length in 1...maximumDelimiter {
      let joined = names.dropFirst().flatMap { Array(rest.prefix(length)) + Array($0.utf8) }
      if rest.starts(with: joined) { return Array(rest.prefix(length)) }
    }
    return nil
  }

  /// The delimiter of a line such as `sep=;`, be it in quotes.
  static func statedDelimiter(_ bytes: [UInt8]) -> [UInt8]? {
    guard let end = bytes.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
    var line = bytes[..<end]
    if line.first == 0x22, line.last == 0x22, line.count > 1 { line = line.dropFirst().dropLast() }
    guard String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep=" else { return nil }
    let delimiter = Array(line.dropFirst(4))
    let isUsable = delimiter.allSatisfy { $0 > 0 && $0 < 0x80 && $0 != 0x22 }
    return (1...maximumDelimiter).contains(delimiter.count) && isUsable ? delimiter : nil
  }

  /// The first bytes that are left, fewer at the end of the source.
  private func firstBytes(_ count: Int) throws(SeedFormatError) -> [UInt8] {
    while splitter.carry.count < count, !splitter.isAtEnd { try splitter.readMore() }
    let carry = splitter.carry
    return unsafe Array(UnsafeBufferPointer(start: carry.base, count: min(count, carry.count)))
  }

  /// Passes over the first line that is left.
  /// - Returns: false when nothing is left.
  private func dropLine(limit: Int) throws(SeedFormatError) -> Bool {
    var looked = 0
    while true {
      let carry = splitter.carry
      // Safety: taken anew for each look, since reading on may move the carry.
      let base = unsafe UnsafePointer(carry.base)
      while looked < carry.count, unsafe base[looked] != 0x0A && base[looked] != 0x0D { looked += 1 }
      // A CR may have its LF in the next block.
      let isWhole = looked + 1 < carry.count || splitter.isAtEnd
      if isWhole {
        guard carry.count > 0 else { return false }
        var end = min(looked + 1, carry.count)
        if end < carry.count, unsafe base[end - 1] == 0x0D && base[end] == 0x0A { end += 1 }
        splitter.drop(end, lines: 1)
        return true
      }
      if looked > limit {
        throw SeedFormatError(
          code: "csv.record-too-long", kind: .malformed, message: "a line to be skipped is longer than \(limit) bytes",
          file: file, line: splitter.line)
      }
      try splitter.readMore()
    }
  }
}

extension FormatOptions {
  /// Takes a delimiter that is not empty.
  mutating func delimit(by delimiter: [UInt8]) {
    guard let first = delimiter.first else { return }
    self.delimiter = first
    delimiterRest = Array(delimiter.dropFirst())
  }
}

extension TextColumns {
  /// The delimiter between given names at the start of a line; nil where the names are not there.
  public static func delimiter(joining names: [String], in line: [UInt8]) -> [UInt8]? {
    CSVPreamble.delimiter(joining: names, in: line)
  }

  /// The delimiter that a first line such as `sep=;` states; nil where it states none.
  public static func statedDelimiter(_ text: [UInt8]) -> [UInt8]? {
    CSVPreamble.statedDelimiter(Array(text.prefix(64)))
  }
}

/// Looks at the first lines of a text of columns.
public enum TextColumns {}
