import Foundation
import TestSupport
import Testing

@testable import SeedFormats

@Suite("JSON with comments and trailing commas")
struct LenientJSONTests {
  private func strict(_ text: String, blockSize: Int = 4096) -> (text: String, error: SeedFormatError?) {
    let source = LenientJSONSource(
      upstream: MemorySource(Array(text.utf8), blockSize: blockSize), holdLimit: 1 << 20, file: "x.json")
    let (bytes, error) = drain(source, atATime: 7)
    return (String(decoding: bytes, as: UTF8.self), error)
  }

  @Test(
    "comments and commas too many become blanks, and all else stays where it is",
    arguments: [
      ("[1,2]", "[1,2]"), ("[1,2,]", "[1,2 ]"), ("{\"a\":1,}", "{\"a\":1 }"), ("[1, // two\n2]", "[1,       \n2]"),
      ("[1,/* x, ] */]", "[1           ]"), ("[\"//\",\"/*\",\"\\\"//,]\"]", "[\"//\",\"/*\",\"\\\"//,]\"]"),
      ("[1 , /*\n*/ // x\n ]", "[1     \n       \n ]"), ("/**/[]/***/", "    []     "), ("[[1,],]", "[[1 ] ]"),
      ("[,]", "[,]"), ("[1,,]", "[1,,]"), ("{\"a\":,}", "{\"a\":,}"), ("[1/2]", "[1/2]"), ("[1,/]", "[1,/]"),
      ("1//", "1  "), ("1,", "1,"), ("[1,//\r\n]", "[1   \r\n]"), ("/*é*/1", "      1"),
    ])
  func blanks(written: String, expected: String) {
    for blockSize in [1, 2, 3, 4096] {
      let (text, error) = strict(written, blockSize: blockSize)
      #expect(error == nil)
      #expect(text == expected)
      #expect(text.utf8.count == written.utf8.count)
    }
  }

  @Test("a comment that is never closed is an error at its start")
  func unterminated() {
    let error = strict("[1,\n  /* x\n").error
    #expect(error?.code == "json.unterminated-comment")
    #expect(error?.line == 2)
    #expect(error?.byteOffset == 6)
  }

  @Test("strict JSON of any kind passes unchanged")
  func unchanged() throws {
    var random = SeededGenerator(seed: 9)
    func value(_ depth: Int) -> Any {
      switch Int.random(in: 0..<(depth > 3 ? 3 : 5), using: &random) {
      case 0: return Int.random(in: -99...99, using: &random)
      case 1: return ["", "//", "/*", "*/", ",]", "\\\"", "é,}"][Int.random(in: 0..<7, using: &random)]
      case 2: return NSNull()
      case 3: return (0..<3).map { _ in value(depth + 1) }
      default: return ["a": value(depth + 1), "/*": value(depth + 1)]
      }
    }
    for _ in 0..<200 {
      let data = try JSONSerialization.data(withJSONObject: [value(0)], options: [.prettyPrinted])
      let text = String(decoding: data, as: UTF8.self)
      #expect(strict(text, blockSize: 5).text == text)
    }
  }
}
