import Pipelines
import SeedFormats

/// Shows exported data on a terminal. Control characters are made visible, as in all other output.
final class TerminalSink: ByteSink {
  private let downstream: any ByteSink
  private let isJSON: Bool
  /// The beginning of a character whose other bytes come with the next write.
  private var rest: [UInt8] = []

  /// - Parameter isJSON: the data are JSON, which stays JSON.
  init(_ downstream: any ByteSink, isJSON: Bool) {
    self.downstream = downstream
    self.isJSON = isJSON
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    unsafe rest.append(contentsOf: bytes)
    let next = Array(rest.suffix(Self.unfinishedCount(rest)))
    rest.removeLast(next.count)
    try show()
    rest = next
  }

  func finish() throws(SeedFormatError) {
    try show()
    try downstream.finish()
  }

  private func show() throws(SeedFormatError) {
    // Bytes that are no UTF-8 become the replacement character: alone, some would be controls too.
    let text = String(decoding: rest, as: UTF8.self)
    let shown = Array((isJSON ? HarmlessText.json(text) : HarmlessText.of(text)).utf8)
    rest = []
    // A closure that throws a typed error would lose its type here.
    let result = unsafe shown.withUnsafeBytes { bytes -> Result<Void, SeedFormatError> in
      do throws(SeedFormatError) { return .success(try unsafe downstream.write(bytes)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// How many bytes at the end are the beginning of a character.
  static func unfinishedCount(_ bytes: [UInt8]) -> Int {
    for (distance, byte) in bytes.reversed().prefix(3).enumerated() {
      if byte & 0b1100_0000 == 0b1000_0000 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > distance + 1 ? distance + 1 : 0
    }
    return 0
  }
}
