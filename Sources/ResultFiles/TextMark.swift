import Foundation
import Platform
package import SeedFormats

/// The beginning of a text result, by which an earlier result differs from any other file.
package enum TextMark {
  /// A first line, such as the header of CSV.
  case line([UInt8])
  /// How the first line begins.
  case start([UInt8])
  /// Names of columns that the first line begins with, whatever stands between them.
  case columns([String])
  /// NDJSON: the keys of the first object.
  case keys(Set<String>)
  /// Told by the first 4 KB.
  case beginning(@Sendable (String) -> Bool)

  /// The most bytes of a first line that are looked at.
  private static let limit = 16 << 20

  /// Whether a regular file begins so, inflated and transcoded. A file without any text counts too, because nothing is
  /// lost with it.
  package func fits(_ path: String, options: FormatOptions) -> Bool {
    difference(from: path, options: options) == nil
  }

  /// A description of a regular file that does not begin so, for a message; nil where it does.
  func difference(from path: String, options: FormatOptions) -> String? {
    if case .file(byteCount: 0) = PathContent(at: path) { return nil }
    if case .beginning(let isEarlier) = self {
      guard let file = FileHandle(forReadingAtPath: path) else { return "a file that cannot be read" }
      defer { try? file.close() }
      let start = String(decoding: (try? file.read(upToCount: 4096)) ?? Data(), as: UTF8.self)
      return isEarlier(start) ? nil : "no earlier result: it begins otherwise"
    }
    var options = options
    options.compression = .automatic
    let line: [UInt8]
    let isWhole: Bool
    do { (line, isWhole) = try Self.firstLine(path, options) } catch let error as SeedFormatError
      where error.code == "source.kind"
    {
      return "no text: \(error.message)"
    } catch {
      return "a file that cannot be read as text, so nothing says that it is an earlier result"
    }
    if line.isEmpty { return nil }
    switch self {
    case .line(let expected):
      if line == expected { return nil }
      // An earlier result that was cut short holds nothing that the new one lacks.
      if !isWhole, expected.starts(with: line) { return nil }
      return TextDifference.ofHeaders(old: line, new: expected)
    case .start(let expected):
      return line.starts(with: expected) || (!isWhole && expected.starts(with: line))
        ? nil : TextDifference.ofHeaders(old: Array(line.prefix(expected.count + 40)), new: expected)
    case .columns(let names):
      let expected = Array(names.joined(separator: ",").utf8)
      return TextColumns.delimiter(joining: names, in: line) != nil || (!isWhole && expected.starts(with: line))
        ? nil : TextDifference.ofHeaders(old: Array(line.prefix(expected.count + 40)), new: expected)
    case .beginning: return nil
    case .keys(let expected):
      guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
        return "no earlier result: its first line is no JSON object"
      }
      return Set(object.keys) == expected ? nil : TextDifference.ofKeys(old: Set(object.keys), new: expected)
    }
  }

  /// - Returns: also whether a line end follows.
  private static func firstLine(_ path: String, _ options: FormatOptions) throws -> (line: [UInt8], isWhole: Bool) {
    let source = try SeedFile.open(path: path, options: options)
    let block = ByteBlock()
    var line: [UInt8] = []
    var isWhole = false
    while line.count < limit {
      do {
        guard try block.fill(from: source) else { break }
      } catch {
        // A file that was cut short is judged by its readable part. Without one, the file holds nothing to lose.
        if line.isEmpty, error.code != "gzip.truncated" { throw error }
        break
      }
      let bytes = unsafe Array(block.bytes)
      let end = bytes.firstIndex(of: 10)
      line += bytes[..<(end ?? bytes.count)]
      if end != nil {
        isWhole = true
        // A file of blank lines is text all the same.
        if line.isEmpty { line = [10] }
        break
      }
    }
    if line.last == 13 { line.removeLast() }
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    return (line, isWhole)
  }
}
