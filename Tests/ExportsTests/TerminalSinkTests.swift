import SeedFormats
import Testing

@testable import Exports
@testable import Pipelines

@Suite("Data for a terminal")
struct TerminalSinkTests {
  private func shown(_ bytes: [UInt8], pieces: Int, isJSON: Bool = false) throws -> String {
    let sink = MemorySink()
    let terminal = TerminalSink(sink, isJSON: isJSON)
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      try unsafe bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { try unsafe terminal.write($0) }
    }
    try terminal.finish()
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test("characters may be cut anywhere", arguments: 1...9)
  func pieces(size: Int) throws {
    let text = "aü€😀\u{202E}\u{9B}b\u{10FFFF}\n"
    #expect(try shown(Array(text.utf8), pieces: size) == "aü€😀\\u{202e}\\u{9b}b\u{10FFFF}\n")
    #expect(
      try shown(Array("\"\(text)\"".utf8), pieces: size, isJSON: true) == "\"aü€😀\\u202e\\u009bb\u{10FFFF}\n\"")
  }

  @Test("bytes that are no UTF-8 do not come through", arguments: 1...4)
  func invalid(size: Int) throws {
    for bytes in [[0x9B, 0x33], [0xE2, 0x80], [0xC2], [0xF0, 0x9F, 0x41], [0xFF, 0xFE]] as [[UInt8]] {
      let text = try shown([0x61] + bytes + [0x0A], pieces: size)
      #expect(text.hasPrefix("a\u{FFFD}") && text.hasSuffix("\n"), "\(bytes)")
      #expect(!text.unicodeScalars.contains { HarmlessText.isHarmful($0) })
    }
    #expect(try shown([0x61, 0xE2, 0x80], pieces: size).hasPrefix("a\u{FFFD}"))
  }
}
