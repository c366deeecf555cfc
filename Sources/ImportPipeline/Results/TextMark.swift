import Foundation
import SQLiteStore
import SeedFormats

/// How a text result begins, by which the result of an earlier run is told from any other file.
enum TextMark {
  /// A first line, such as the header of CSV.
  case line([UInt8])
  /// How the first line begins.
  case start([UInt8])
  /// NDJSON: the keys of the first object.
  case keys(Set<String>)
  /// Told by the first 4 KB.
  case beginning(@Sendable (String) -> Bool)

  /// The most bytes of a first line that are looked at.
  private static let limit = 16 << 20

  /// Whether a regular file begins so, inflated and transcoded. One without any text does: nothing is lost with it.
  func fits(_ path: String, options: FormatOptions = .csv) -> Bool {
    if case .file(byteCount: 0) = PathContent(at: path) { return true }
    if case .beginning(let isEarlier) = self {
      guard let file = FileHandle(forReadingAtPath: path) else { return false }
      defer { try? file.close() }
      return isEarlier(String(decoding: (try? file.read(upToCount: 4096)) ?? Data(), as: UTF8.self))
    }
    var options = options
    options.compression = .automatic
    guard let line = try? Self.firstLine(path, options) else { return false }
    if line.isEmpty { return true }
    switch self {
    case .line(let expected): return line == expected
    case .start(let expected): return line.starts(with: expected)
    case .beginning: return false
    case .keys(let expected):
      let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      return object.map { Set($0.keys) == expected } ?? false
    }
  }

  private static func firstLine(_ path: String, _ options: FormatOptions) throws -> [UInt8] {
    let source = try SeedFile.open(path: path, options: options)
    let block = ByteBlock()
    var line: [UInt8] = []
    while line.count < limit, try block.fill(from: source) {
      let bytes = unsafe Array(block.bytes)
      let end = bytes.firstIndex(of: 10)
      line += bytes[..<(end ?? bytes.count)]
      if end != nil {
        // What is all blank lines is text all the same.
        if line.isEmpty { line = [10] }
        break
      }
    }
    if line.last == 13 { line.removeLast() }
    return line
  }
}

/// Keeps what is written in memory.
final class MemorySink: ByteSink {
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) { unsafe self.bytes.append(contentsOf: bytes) }
  func finish() throws(SeedFormatError) {}
}
