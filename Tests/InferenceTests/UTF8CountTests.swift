import SeedFormats
import TestSupport
import Testing

@testable import Inference

@Suite("Bytes that are UTF-8 and bytes that are not")
struct UTF8CountTests {
  @Test(
    "characters and stray bytes are counted",
    arguments: [
      ([0x61, 0x62], 0, 0), ([0xC3, 0xA9], 1, 0), ([0x61, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80], 2, 0),
      ([0xE9], 0, 1), ([0xE9, 0xE9, 0x61], 0, 2), ([0xC3], 0, 1), ([0xE2, 0x82, 0x78], 0, 2), ([0xC0, 0x80], 0, 2),
      ([0xED, 0xA0, 0x80], 0, 3), ([0xF4, 0x90, 0x80, 0x80], 0, 4), ([0xE2, 0xC3, 0xA9], 1, 1),
    ] as [([UInt8], Int, Int)])
  func counts(bytes: [UInt8], characters: Int, strayBytes: Int) throws {
    let count = try UTF8Count(MemorySource(bytes)) {}
    #expect(count.characters == characters && count.strayBytes == strayBytes)
  }

  private static let borders: [UInt8] = [
    0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4, 0xF5,
  ]

  @Test("random bytes are judged as the standard library judges them", arguments: 1...5)
  func random(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<5_000 {
      let bytes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        Self.borders[Int.random(in: Self.borders.indices, using: &generator)]
      }
      let text = String(validating: bytes, as: UTF8.self)
      let count = try UTF8Count(MemorySource(bytes)) {}
      #expect((count.strayBytes == 0) == (text != nil), "\(bytes)")
      if let text { #expect(count.characters == text.unicodeScalars.count { $0.value >= 0x80 }, "\(bytes)") }
    }
  }
}
