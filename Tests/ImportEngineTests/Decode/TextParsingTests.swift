import Foundation
import TestSupport
import Testing

@testable import ImportEngine

@Suite("UUID, base64 and URI texts")
struct TextParsingTests {
  private func uuid(_ text: String) -> [UInt8]? {
    var read = [UInt8](repeating: 0xEE, count: 16)
    let isRead = unsafe withRaw(text) { bytes in
      unsafe read.withUnsafeMutableBytes { target in
        guard let base = target.baseAddress else { return false }
        return unsafe TextParsing.uuid(bytes, into: base)
      }
    }
    return isRead ? read : nil
  }

  @Test("UUIDs are read as Foundation reads them, in either case")
  func uuids() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<2000 {
      let expected = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let hex = expected.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      let parts = [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }
      let text = parts.joined(separator: "-")
      #expect(uuid(text) == expected)
      #expect(UUID(uuidString: text)?.uuidString == text.uppercased())
      #expect(uuid(text.uppercased()) == expected)
      // One byte changed: only another hexadecimal digit in a digit's place is still a UUID.
      var broken = Array(text.utf8)
      let place = Int.random(in: 0..<36, using: &generator)
      broken[place] = UInt8.random(in: 32...126, using: &generator)
      let brokenText = String(decoding: broken, as: UTF8.self)
      let hexadecimal = /[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/
      #expect((uuid(brokenText) != nil) == (brokenText.wholeMatch(of: hexadecimal) != nil), "\(brokenText)")
    }
  }

  @Test(
    "what is no UUID is refused",
    arguments: [
      "", "6E9A3E9C3A0E4B6E9C550E6A5B0D9B11", "{6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11}",
      "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B1", "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B111",
      "6E9A3E9C-3A0E-4B6E-9C550-E6A5B0D9B11", "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9Bé",
      "６E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9",
    ])
  func noUUID(_ text: String) {
    #expect(uuid(text) == nil)
  }

  @Test(
    "a URI is taken only if it is written as one: nothing is escaped behind the user's back",
    arguments: [
      ("https://example.com/a?b=c#d", true), ("a/b", true), ("mailto:x@example.com", true), ("http://[::1]:80/", true),
      ("https://example.com/a b", false), ("https://example.com/ü", false), ("", false), ("http://[::1", false),
      ("%zz", false), ("https://example.com/%20", true), ("urn:isbn:0451450523", true), ("HTTP://EXAMPLE.com", true),
    ])
  func uris(_ text: String, _ isURI: Bool) {
    #expect(unsafe withRaw(text) { unsafe TextParsing.isURI($0) } == isURI)
  }

  @Test("a URI that is taken is kept letter by letter when it becomes a URL")
  func uriRoundTrip() throws {
    for text in ["HTTP://EXAMPLE.com/%7e/../x?q#", "a//b", "mailto:a@b", "x:", "https://example.com:0443/"] {
      let url = try #require(URL(string: text))
      #expect(url.absoluteString == text)
    }
  }

  @Test(
    "base64 with its padding, and nothing else",
    arguments: [
      ("", [] as [UInt8]?), ("QQ==", [65]), ("QUI=", [65, 66]), ("QUJD", [65, 66, 67]), ("QQ=", nil), ("QQ", nil),
      ("Q Q==", nil), ("QUJD\n", nil), ("!!!!", nil), ("-_-_", nil),
    ])
  func base64(_ text: String, _ expected: [UInt8]?) {
    let read = unsafe withRaw(text) { unsafe TextParsing.base64($0) }
    #expect(read.map { Array($0) } == expected)
  }
}
