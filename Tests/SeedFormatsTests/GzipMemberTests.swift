import TestSupport
import Testing

@testable import SeedFormats

@Suite("Gzip files of several members")
struct GzipMemberTests {
  private func inflate(_ bytes: [UInt8], blockSize: Int) -> (bytes: [UInt8], error: SeedFormatError?) {
    drain(
      InflatingBlockSource(
        upstream: MemorySource(bytes, blockSize: blockSize), compression: .gzip, file: "x.gz"), atATime: 97)
  }

  /// CRC-32 (RFC 1952), bit by bit.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var checksum: UInt32 = ~0
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = checksum & 1 == 1
        checksum >>= 1
        if isOdd { checksum ^= 0xEDB8_8320 }
      }
    }
    return ~checksum
  }

  /// A member that holds the bytes as they are.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let count = UInt32(bytes.count)
    var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1]
    member += littleEndian(count, 2)
    member += littleEndian(~count, 2)
    member += bytes
    member += littleEndian(checksum(bytes), 4)
    member += littleEndian(count, 4)
    return member
  }

  static func randomFile(_ random: inout SeededGenerator) throws -> [UInt8] {
    var file: [UInt8] = []
    for _ in 0..<Int.random(in: 1...30, using: &random) {
      let text = Array((0..<Int.random(in: 0...80, using: &random)).map { "line \($0 * 7919)\n" }.joined().utf8)
      switch Int.random(in: 0..<4, using: &random) {
      // Whole members inside a member: their starts are no starts.
      case 0: file += stored(try gzip(text) + gzip(Array(text.prefix(100))) + text.prefix(60))
      case 1: file += stored(Array(text.prefix(500)))
      default: file += try gzip(text)
      }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: file += [UInt8](repeating: 0, count: Int.random(in: 1...600, using: &random))
    case 1: file += [0x1F, 0x8B, 8, 0, 0]
    case 2: file += [7]
    case 3: file.removeLast(Int.random(in: 1..<file.count, using: &random))
    case 4: file[Int.random(in: 0..<file.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    default: break
    }
    return file
  }

  @Test("text, errors and their offsets are the same however the bytes arrive", arguments: 0..<8)
  func agree(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 1300)
    for round in 0..<25 {
      let file = try Self.randomFile(&random)
      let expected = inflate(file, blockSize: 4096)
      for _ in 0..<2 {
        let found = inflate(file, blockSize: Int.random(in: 1...400, using: &random))
        #expect(found.bytes == expected.bytes, "seed \(seed), round \(round)")
        #expect(found.error == expected.error, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("an error of the source comes after all that was read before it")
  func sourceError() throws {
    final class Failing: BlockSource {
      let bytes: MemorySource
      init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes, blockSize: 50) }
      func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
        let count = try unsafe bytes.read(into: target)
        if count == 0 { throw SeedFormatError(code: "file.read", kind: .io, message: "broken") }
        return count
      }
    }
    let member = try gzip(InflatingTests.text)
    let source = InflatingBlockSource(
      upstream: Failing(member + member + member), compression: .gzip, file: nil)
    let (bytes, error) = drain(source)
    #expect(bytes == InflatingTests.text + InflatingTests.text + InflatingTests.text)
    #expect(error?.code == "file.read")
  }
}
