import CoreDataLayout
import Foundation
import Pipelines
import Platform
import Reports
import ResultFiles
import SeedFormats

/// Writes the rejects of one import step in its source's own format: the reject's columns first, then the record as
/// it was, so that a mended file can be imported again with the same step.
final class RejectFile {
  let path: String
  /// The source's own columns (CSV).
  let header: [String]
  /// The delimiter between fields (CSV).
  var delimiter: [UInt8] { source.delimiterBytes }
  /// The file that the path leads to, links followed.
  private let place: String
  private let partialPath: String
  private let work: WorkFolder
  private let source: SourceSettings
  private let sink: FileHandle
  private var buffer: [UInt8] = []
  private var hasWritten = false

  /// - Parameter header: names of the source's own columns (CSV).
  init(path: String, source: SourceSettings, header: [String]) throws(RunError) {
    self.path = path
    self.header = header
    place = ResultPath.followed(path)
    self.source = source
    try ResultPlace.createFolder(of: place)
    do { work = try WorkFolder(for: place) } catch { throw RunError(any: error, store: path) }
    partialPath = work.path + "/" + FilePath.name(of: place)
    guard FileManager.default.createFile(atPath: partialPath, contents: nil),
      let handle = FileHandle(forWritingAtPath: partialPath)
    else {
      work.remove()
      throw RunError(.cannotCreate, code: "rejects.cannot-create", "cannot create \(partialPath)")
    }
    sink = handle
    if isCSV { append(fields: RejectFormat.columns + header, record: nil) }
  }

  deinit { work.remove() }

  private var isCSV: Bool { source.format == .csv || source.format == .tsv }

  /// How a file of rejects of a source begins, whatever columns the source has.
  static func mark(_ source: SourceSettings) -> TextMark {
    switch source.format {
    case .csv, .tsv:
      source.honorsSeparatorLine
        ? .columns(RejectFormat.columns)
        : .start(Array(RejectFormat.columns.map { Array($0.utf8) }.joined(separator: source.delimiterBytes)))
    case .json, .ndjson, .plist: .start(RejectFormat.jsonStart)
    }
  }

  /// How a file of rejects is read.
  static func options(_ source: SourceSettings) -> FormatOptions {
    var options = source.formatOptions
    // Rejects of a property list are lines of JSON.
    options.isPropertyList = false
    options.keyedBy = nil
    return options
  }

  /// Whether a path names nothing, or a file of rejects.
  static func isFree(_ path: String, _ source: SourceSettings) -> Bool {
    switch PathContent(at: path) {
    case .nothing: true
    case .file: mark(source).fits(path, options: options(source))
    case .folder, .fifo, .socket, .device, .brokenLink, .unknown: false
    }
  }

  /// - Parameter record: the record as written, without its line end.
  func write(_ reject: Reject, record: UnsafeRawBufferPointer) throws(RunError) {
    if isCSV {
      append(
        fields: [
          reject.file, String(reject.line), String(reject.column), String(reject.byteOffset), reject.entity,
          reject.property, reject.code, reject.value, reject.message, reject.hint,
        ], record: unsafe Array(record))
    } else {
      unsafe appendJSON(reject, record: record)
    }
    if buffer.count > 1 << 16 { try flush() }
  }

  /// Puts the file in its place.
  func finish() throws(RunError) {
    try flush()
    do {
      try FileDescriptor.synchronize(sink.fileDescriptor, of: path)
      try sink.close()
    } catch {
      throw RunError(.inputOutput, code: "rejects.write", "cannot write \(path): \(error.localizedDescription)")
    }
    try ResultPlace.rename(partialPath, to: place)
    work.remove()
  }

  private func flush() throws(RunError) {
    do {
      try sink.write(contentsOf: encoded(buffer))
      buffer.removeAll(keepingCapacity: true)
    } catch {
      throw RunError(.inputOutput, code: "rejects.write", "cannot write \(path): \(error.localizedDescription)")
    }
  }

  /// Whole lines of UTF-8 in the source's own encoding.
  private func encoded(_ lines: [UInt8]) -> Data {
    let encoding: String.Encoding
    switch source.encoding {
    case .utf8: return Data(lines)
    case .latin1: encoding = .isoLatin1
    case .windows1252: return Data(Windows1252.encoded(String(decoding: lines, as: UTF8.self)))
    case .utf16, .utf16LittleEndian: encoding = .utf16LittleEndian
    case .utf16BigEndian: encoding = .utf16BigEndian
    }
    let mark = source.encoding == .utf16 && !hasWritten ? "\u{FEFF}" : ""
    hasWritten = true
    // Lossy only where a message quotes what the encoding lacks; the records came from it.
    return (mark + String(decoding: lines, as: UTF8.self)).data(using: encoding, allowLossyConversion: true)
      ?? Data(lines)
  }

  private func append(fields: [String], record: [UInt8]?) {
    let quote = source.quote ?? 0x22
    let special: Set<UInt8> = [source.delimiter, quote, 10, 13]
    for (index, field) in fields.enumerated() {
      if index > 0 { buffer += source.delimiterBytes }
      if source.quote == nil {
        // Fields cannot be quoted here, so a byte that would end the field becomes a blank.
        buffer.append(contentsOf: field.utf8.map { $0 == source.delimiter || $0 == 10 || $0 == 13 ? 32 : $0 })
      } else if field.utf8.contains(where: special.contains) {
        buffer.append(quote)
        for byte in field.utf8 {
          if byte == quote || byte == source.escape { buffer.append(source.escape ?? quote) }
          buffer.append(byte)
        }
        buffer.append(quote)
      } else {
        buffer.append(contentsOf: field.utf8)
      }
    }
    if let record {
      buffer += source.delimiterBytes
      buffer.append(contentsOf: record)
    }
    buffer.append(10)
  }

  /// `{"$reject":{…},<members of the record>}`. The elements of an array are members by their positions, which pointers
  /// find as well. A record that did not parse as one of these becomes the member `$record`.
  private func appendJSON(_ reject: Reject, record: UnsafeRawBufferPointer) {
    buffer.append(contentsOf: "{\"$reject\":\(reject.json.text(isIndented: false))".utf8)
    // A record may span lines; NDJSON holds one per line, and a line end inside JSON is only white space.
    var oneLine = unsafe record.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    while oneLine.first == 32 || oneLine.first == 9 { oneLine.removeFirst() }
    while oneLine.last == 32 || oneLine.last == 9 { oneLine.removeLast() }
    if oneLine.first == UInt8(ascii: "{"), oneLine.last == UInt8(ascii: "}"), !Self.isMalformed(oneLine, reject) {
      let members = Self.membersWithoutReject(oneLine)
      if members.first(where: { $0 != 32 && $0 != 9 }) != UInt8(ascii: "}") { buffer.append(UInt8(ascii: ",")) }
      buffer.append(contentsOf: members)
    } else if oneLine.first == UInt8(ascii: "["), oneLine.last == UInt8(ascii: "]"), !reject.code.hasPrefix("json.") {
      for (index, element) in Self.elements(oneLine).enumerated() {
        buffer.append(contentsOf: ",\"\(index)\":".utf8)
        buffer.append(contentsOf: element)
      }
      buffer.append(UInt8(ascii: "}"))
    } else {
      buffer.append(
        contentsOf:
          ",\"$record\":\(JSONValue.string(String(decoding: oneLine, as: UTF8.self)).text(isIndented: false))}".utf8)
    }
    buffer.append(10)
  }

  /// Whether a record would make the line no JSON. A record whose values were refused has been parsed before. One that
  /// is not UTF-8 stays as it is, because a text would not keep its bytes.
  private static func isMalformed(_ record: [UInt8], _ reject: Reject) -> Bool {
    guard reject.code.hasPrefix("json."), String(validating: record, as: UTF8.self) != nil else { return false }
    return (try? JSONSerialization.jsonObject(with: Data(record))) == nil
  }

  /// The elements of a well-formed array, as they are written.
  private static func elements(_ array: [UInt8]) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    var (start, index, depth, isInText) = (1, 1, 0, false)
    while index < array.count - 1 {
      switch array[index] {
      case UInt8(ascii: "\\") where isInText: index += 1
      case UInt8(ascii: "\""): isInText.toggle()
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += isInText ? 0 : 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= isInText ? 0 : 1
      case UInt8(ascii: ",") where !isInText && depth == 0:
        elements.append(array[start..<index])
        start = index + 1
      default: break
      }
      index += 1
    }
    let last = array[start..<array.count - 1]
    return last.allSatisfy { $0 == 32 || $0 == 9 } ? elements : elements + [last]
  }

  /// The members of an object and its closing brace, without a `$reject` in front that an earlier run has put there.
  private static func membersWithoutReject(_ object: [UInt8]) -> ArraySlice<UInt8> {
    let members = object.dropFirst()
    let start = Array("\"$reject\":{".utf8)
    guard members.starts(with: start) else { return members }
    var isInText = false
    var index = members.startIndex + start.count
    // The details are texts and numbers, so the next brace outside a text ends them.
    while index < members.endIndex, isInText || members[index] != UInt8(ascii: "}") {
      if members[index] == UInt8(ascii: "\"") { isInText.toggle() }
      index += isInText && members[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < members.endIndex else { return members }
    let rest = members[(index + 1)...]
    return rest.first == UInt8(ascii: ",") ? rest.dropFirst() : rest
  }
}
