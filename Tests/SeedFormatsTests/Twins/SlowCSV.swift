import SeedFormats

/// The CSV reader once more, byte by byte and to be read: what the fast one must agree with.
struct SlowCSV {
  let bytes: [UInt8]
  let options: FormatOptions
  let columnCount: Int

  private struct Record {
    var fields: [Field] = []
    var hasNUL = false
    var hasTextAfterQuote = false
    var end = 0
    var next = 0
  }

  func events(projection: [Int]) -> [Event] {
    var events: [Event] = []
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while position < bytes.count {
      if bytes[position] == options.comment || isLineEnd(position) && columnCount != 1 {
        while position < bytes.count, !isLineEnd(position) { position += 1 }
        position = afterLineEnd(position)
        continue
      }
      guard let record = readRecord(position) else {
        events.append(.failure("csv.unterminated-quote"))
        return events
      }
      let raw = Array(bytes[position..<record.end])
      let line = lineNumber(position)
      let offset = UInt64(position)
      if let code = fault(record, raw) {
        events.append(.fault(code, line: line, byteOffset: offset, raw: raw))
      } else {
        let fields = projection.map { $0 < 0 ? Field(kind: .string, bytes: raw) : record.fields[$0] }
        events.append(.record(fields, line: line, byteOffset: offset, raw: raw))
      }
      position = record.next
    }
    return events
  }

  private func fault(_ record: Record, _ raw: [UInt8]) -> String? {
    if record.hasNUL { return "text.nul" }
    if String(validating: raw, as: UTF8.self) == nil { return "text.invalid-utf8" }
    if record.hasTextAfterQuote { return "csv.text-after-quote" }
    return record.fields.count == columnCount ? nil : "csv.ragged"
  }

  /// Nil when a quote is never closed.
  private func readRecord(_ start: Int) -> Record? {
    var record = Record()
    var position = start
    while true {
      var field = Field(kind: .string, bytes: [])
      if options.quote != nil, position < bytes.count, bytes[position] == options.quote {
        field.isQuoted = true
        position += 1
        while true {
          guard position < bytes.count else { return nil }
          if bytes[position] == options.escape {
            guard position + 1 < bytes.count else { return nil }
            if [options.quote, options.escape].contains(bytes[position + 1]) { position += 1 }
          } else if bytes[position] == options.quote {
            let isDoubled = position + 1 < bytes.count && bytes[position + 1] == options.quote
            guard options.escape == nil && isDoubled else { break }
            position += 1
          }
          field.bytes.append(bytes[position])
          position += 1
        }
        position += 1
      }
      let isClosed = field.isQuoted
      while position < bytes.count, !isLineEnd(position), bytes[position] != options.delimiter {
        if isClosed { record.hasTextAfterQuote = true }
        field.bytes.append(bytes[position])
        position += 1
      }
      record.fields.append(field)
      if position < bytes.count, bytes[position] == options.delimiter {
        position += 1
        continue
      }
      record.end = position
      record.next = afterLineEnd(position)
      record.hasNUL = bytes[start..<position].contains(0)
      return record
    }
  }

  private func isLineEnd(_ position: Int) -> Bool { bytes[position] == 0x0A || bytes[position] == 0x0D }

  private func afterLineEnd(_ position: Int) -> Int {
    guard position < bytes.count else { return position }
    return bytes[position...].starts(with: [0x0D, 0x0A]) ? position + 2 : position + 1
  }

  private func lineNumber(_ position: Int) -> UInt64 {
    var line: UInt64 = 1
    var at = 0
    while at < position {
      if isLineEnd(at) {
        line += 1
        at = afterLineEnd(at)
      } else {
        at += 1
      }
    }
    return line
  }
}
