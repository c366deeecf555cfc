import TestSupport
import Testing

@testable import SeedFormats

@Suite("Eight bytes at a time and one at a time")
struct LineEndTwinTests {
  /// Bytes among which those looked for are frequent, in a buffer with its slack.
  static func randomBuffer(_ random: inout SeededGenerator) -> ByteBuffer {
    let buffer = ByteBuffer()
    let usable: [UInt8] = [0x0A, 0x0D, 0x2C, 0x8A, 0x8D, 0x00, 0x0B, 0x09, 0x61, 0xFF, 0x7F, 0x80]
    for _ in 0..<Int.random(in: 0...3000, using: &random) {
      buffer.append(usable[Int.random(in: 0..<usable.count, using: &random)])
    }
    buffer.terminate()
    return buffer
  }

  @Test("line ends are counted and found", arguments: 0..<20)
  func lineEnds(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 900)
    let buffer = Self.randomBuffer(&random)
    let bytes = unsafe Array(UnsafeBufferPointer(start: buffer.base, count: buffer.count))
    let start = Int.random(in: 0...bytes.count, using: &random)
    let feeds = (start..<bytes.count).filter { bytes[$0] == 0x0A }
    let bare = (start..<bytes.count).count { bytes[$0] == 0x0D && !($0 + 1 < bytes.count && bytes[$0 + 1] == 0x0A) }
    #expect(unsafe LineEnds.count(0x0A, buffer.base, start, bytes.count) == feeds.count)
    #expect(unsafe LineEnds.countBareCarriageReturns(buffer.base, start, bytes.count) == bare)
    #expect(unsafe LineEnds.afterLast(buffer.base, start, bytes.count) == feeds.last.map { $0 + 1 } ?? start)
    for (index, position) in feeds.enumerated() {
      #expect(unsafe LineEnds.end(ofLine: index + 1, buffer.base, start, bytes.count) == position + 1)
    }
  }

  @Test("more line ends than a counter of one byte can hold")
  func manyLineEnds() {
    let buffer = ByteBuffer()
    for _ in 0..<10_000 { buffer.append(0x0A) }
    buffer.terminate()
    #expect(unsafe LineEnds.count(0x0A, buffer.base, 0, 10_000) == 10_000)
  }

  @Test("delimiters and line feeds are indexed", arguments: 0..<20)
  func index(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 950)
    let index = StructuralIndex(slack: 3)
    for _ in 0..<5 {
      let buffer = Self.randomBuffer(&random)
      let bytes = unsafe Array(UnsafeBufferPointer(start: buffer.base, count: buffer.count))
      unsafe index.build(buffer.base, count: buffer.count, delimiter: 0x2C)
      let positions = unsafe UnsafeBufferPointer(start: index.positions, count: index.lists.positionCount + 3).map {
        Int($0)
      }
      let feeds = unsafe UnsafeBufferPointer(start: index.lineFeeds, count: index.lineFeedCount).map { Int($0) }
      let end = Int(UInt32.max)
      #expect(positions == bytes.indices.filter { bytes[$0] == 0x2C || bytes[$0] == 0x0A } + [end, end, end])
      #expect(feeds == bytes.indices.filter { bytes[$0] == 0x0A })
    }
  }
}
