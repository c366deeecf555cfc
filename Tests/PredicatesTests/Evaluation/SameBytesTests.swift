import Foundation
import ObjectModel
import Predicates
import TestSupport
import Testing

@Suite("Values that are the same to the byte")
struct SameBytesTests {
  @Test("eight bytes at a time find what one at a time finds", arguments: UInt64(1)...8)
  func bytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (sameCount, otherCount) = (0, 0)
    for _ in 0..<2_000 {
      let left = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0..<3, using: &random) }
      var right = left
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !right.isEmpty: right[Int.random(in: 0..<right.count, using: &random)] ^= 0x80
      case 1: right.append(0)
      case 2: right.shuffle(using: &random)
      default: break
      }
      let isSame = unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { unsafe left.hasSameBytes(as: $0) }
      }
      #expect(isSame == (left == right))
      if isSame { sameCount += 1 } else { otherCount += 1 }
    }
    #expect(sameCount > 200 && otherCount > 200)
  }

  @Test("texts that are canonically equal are not identical, bridged ones are compared by their bytes too")
  func texts() {
    let composed = "caf\u{e9}, long enough for memory of its own"
    let decomposed = "cafe\u{301}, long enough for memory of its own"
    #expect(composed == decomposed)
    #expect(!Value.string(composed).isIdentical(to: .string(decomposed)))
    #expect(Value.string(composed).isIdentical(to: .string(String(decoding: Array(composed.utf8), as: UTF8.self))))
    #expect(Value.string(composed).isIdentical(to: .string(NSString(string: composed) as String)))
    #expect(!Value.string("").isIdentical(to: .string("\0")))
    #expect(Value.string("").isIdentical(to: .string("")))
  }
}
