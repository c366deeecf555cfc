import Foundation
import SeedFormats
import TestSupport
import Testing

@Suite("Gzip output in blocks")
struct GzipSinkTests {
  private static let blockSize = 256 << 10

  /// Text that compresses about as data does.
  private static func text(_ count: Int) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(count))
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += Array("\(UInt16.random(in: 0...9_999, using: &random)),08:30,stop,".utf8) }
    return Array(bytes[..<count])
  }

  private static func compress(_ bytes: [UInt8], workers: Int, pieces: Int) throws -> [UInt8] {
    let memory = MemorySink()
    let sink = GzipSink(downstream: memory, workers: workers)
    var start = 0
    while start < bytes.count {
      let end = min(start + pieces, bytes.count)
      try unsafe bytes[start..<end].withUnsafeBytes { piece in try unsafe sink.write(piece) }
      start = end
    }
    try sink.finish()
    #expect(memory.isFinished)
    return memory.bytes
  }

  @Test(
    "one member comes out, whatever the length",
    arguments: [0, 1, 100, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize, 3 * blockSize + 7])
  func lengths(count: Int) throws {
    let bytes = Self.text(count)
    let member = try Self.compress(bytes, workers: 2, pieces: 10_000)
    // The source would go on with a second member; a member alone ends with the length of what it holds.
    #expect(Array(member.suffix(4)) == (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    let (inflated, error) = drain(
      InflatingBlockSource(upstream: MemorySource(member), compression: .gzip, file: "x.gz"))
    #expect(error == nil)
    #expect(inflated == bytes)
  }

  @Test("the bytes do not depend on the number of workers nor on the pieces written")
  func determinism() throws {
    let bytes = Self.text(5 * Self.blockSize + 1)
    let expected = try Self.compress(bytes, workers: 1, pieces: bytes.count)
    for workers in [2, 3, 8] {
      for pieces in [1_000, Self.blockSize, Self.blockSize + 1] {
        #expect(try Self.compress(bytes, workers: workers, pieces: pieces) == expected)
      }
    }
  }

  @Test("blocks see the text before them: little is lost against one stream")
  func ratio() throws {
    // Every block repeats a window that does not compress by itself.
    var random = SeededGenerator(seed: 7)
    let window = (0..<16_384).map { _ in UInt8.random(in: 0...255, using: &random) }
    let bytes = Array(repeatElement(window, count: 4 * Self.blockSize / window.count).joined())
    #expect(try Self.compress(bytes, workers: 2, pieces: 9_999).count < 2 * window.count)
  }

  @Test("a sink that fails ends the writing, with blocks under way", arguments: [1, 4])
  func failure(workers: Int) throws {
    let sink = GzipSink(downstream: FullSink(), workers: workers)
    let bytes = Self.text(Self.blockSize)
    #expect(throws: SeedFormatError.self) {
      for _ in 0..<20 { try unsafe bytes.withUnsafeBytes { bytes in try unsafe sink.write(bytes) } }
    }
    #expect(throws: SeedFormatError.self) { try sink.finish() }
  }

  @Test("nothing can be written after the end")
  func finished() throws {
    let sink = GzipSink(downstream: MemorySink())
    try sink.finish()
    let error = #expect(throws: SeedFormatError.self) {
      try unsafe [UInt8](1...3).withUnsafeBytes { bytes in try unsafe sink.write(bytes) }
    }
    #expect(error?.code == "gzip.compress")
  }
}

/// A disk that is full after the first bytes.
private final class FullSink: ByteSink {
  private var count = 0
  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    count += bytes.count
    if count > 100 { throw SeedFormatError(code: "file.write", kind: .io, message: "no space left") }
  }
  func finish() throws(SeedFormatError) {}
}
