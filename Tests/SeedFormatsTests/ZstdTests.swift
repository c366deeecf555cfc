import Foundation
import TestSupport
import Testing

@testable import SeedFormats

@Suite("zstd", .enabled(if: ZstdLibrary.installed != nil, "libzstd is not installed"))
struct ZstdTests {
  static let text = "id,name\n" + (1...60).map { "\($0),name of \($0) and \($0)\n" }.joined()
  /// The text as `zstd -19 --check` writes it.
  static let packed = Array(
    Data(
      base64Encoded:
        "KLUv/WTZA70IAKbZNBKQKTnL9fXM7LQR2pSUIV89FcwzAC4AKwDTbDbT933yPE9d14njOG3bprGxMRVFoVKKCCGaGf2XbbUVSQ0wQAgA"
        + "AxQSgIlwECACA0Prump0dFQFCxZUYWGhCAkJNRwOdZ6nTNNUWZYiSVLjOGpwcFDFihVTWVmZyMhI47Hu+5Zt26rrWjRNa55nDQ8Pq2jRoiot"
        + "LRUpKamm06ne95XrumrbVizLKhozZoyKFy+u8vJykZOTaz6f6/9/+b6vvu/F87z2fdf4+LgKFy6s4uJiERMTaxx3qBAYbcTTHPCVAxCS4QcS"
        + "c5oxp4l1mpjTiTlNmtPEPE3M6cScJs5pYq4m5jQ9mLzUGXjyyVc++eSTT+K3kqQgZQtekWk=") ?? Data())

  /// A frame of one block that holds the bytes as they are, or one byte so many times.
  private static func frame(_ bytes: [UInt8], times: Int? = nil, window: UInt8 = 0x58) -> [UInt8] {
    let size = UInt32(times ?? bytes.count) << 3 | (times == nil ? 0 : 2) | 1
    let header = (0..<3).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) }
    return [0x28, 0xB5, 0x2F, 0xFD, 0, window] + header + bytes
  }

  private func read(
    _ bytes: [UInt8], blockSize: Int = 4096, atATime: Int = 64, inflation: InflationLimit = .standard
  ) -> (text: String, error: SeedFormatError?) {
    let source = InflatingBlockSource(
      upstream: MemorySource(bytes, blockSize: blockSize), file: "x.zst", inflation: inflation)
    let (bytes, error) = drain(source, atATime: atATime)
    return (String(decoding: bytes, as: UTF8.self), error)
  }

  @Test("a frame and several come out whole, however they are split", arguments: [1, 2, 3, 7, 4096])
  func frames(blockSize: Int) {
    let skipped: [UInt8] = [0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
    #expect(read(Self.packed, blockSize: blockSize).text == Self.text)
    let several = read(
      skipped + Self.packed + Self.frame(Array("x".utf8)) + skipped + Self.frame([]) + Self.packed, blockSize: blockSize
    )
    #expect(several.error == nil)
    #expect(several.text == Self.text + "x" + Self.text)
  }

  @Test("a frame cut off anywhere is an error, with what came before it")
  func truncation() {
    for length in 4..<Self.packed.count {
      let (text, error) = read(Array(Self.packed[..<length]))
      #expect(error?.code == "zstd.truncated", "cut at \(length)")
      #expect(error?.byteOffset == UInt64(length))
      #expect(error?.kind.exitCode == 74)
      #expect(Self.text.hasPrefix(text))
    }
    #expect(read([]).error?.code == "zstd.truncated")
  }

  @Test("damage anywhere gives the text or an error, never other text")
  func damage() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<1000 {
      var bytes = Self.packed
      bytes[Int.random(in: 4..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      let (text, error) = read(bytes)
      if error == nil { #expect(text == Self.text) }
    }
    #expect(read(Self.packed + [1, 2, 3, 4]).error?.code == "zstd.damaged")
    #expect(read(Self.packed + [1, 2, 3, 4]).text == Self.text)
  }

  @Test("the limits of what may come out, and of the memory it takes, are kept")
  func limits() {
    let bomb = Array((0..<64).map { _ in Self.frame([0x30], times: 128 << 10) }.joined())
    #expect(read(bomb, atATime: 1 << 16, inflation: InflationLimit(bytes: 1 << 20)).error?.code == "zstd.too-large")
    #expect(read(bomb, atATime: 1 << 16, inflation: InflationLimit(ratio: 100)).error?.code == "zstd.too-large")
    #expect(read(bomb, atATime: 1 << 16).error == nil)
    #expect(read(Self.frame([1], window: 0xA8)).error?.code == "zstd.window")
  }

  @Test("without the library the error says what to install")
  func missing() {
    let none = ZstdLibrary(names: ["libzstd-that-nobody-has.so"])
    #expect(throws: SeedFormatError.self) {
      _ = try ZstdBlockSource(upstream: MemorySource([]), inflation: .standard, file: "x.zst", library: none)
    }
    do {
      _ = try ZstdBlockSource(upstream: MemorySource([]), inflation: .standard, file: "x.zst", library: none)
    } catch {
      #expect(error.code == "zstd.library")
      #expect(error.kind.exitCode == 66)
      #expect(error.hint?.contains("install") == true)
    }
  }
}
