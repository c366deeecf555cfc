import Foundation
import TestSupport
import Testing

@testable import SeedFormats

@Suite("Property lists")
struct PropertyListTests {
  private func json(_ bytes: [UInt8], pointer: String = "") -> (text: String, error: SeedFormatError?) {
    var options = FormatOptions.json
    options.isPropertyList = true
    options.pointer = pointer
    let (found, error) = drain(SeedFile.decoded(MemorySource(bytes, blockSize: 100), options: options, file: "x.plist"))
    return (String(decoding: found, as: UTF8.self), error)
  }

  private func xml(_ body: String) -> (text: String, error: SeedFormatError?) {
    json(
      Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        \(body)
        </plist>

        """.utf8))
  }

  @Test(
    "values in XML",
    arguments: [
      ("<array/>", "[]"), ("<array></array>", "[]"), ("<dict/>", "{}"), ("<true/>", "true"),
      ("<false></false>", "false"),
      ("<integer>42</integer>", "42"), ("<integer> -7 </integer>", "-7"), ("<integer>+7</integer>", "7"),
      ("<integer>0x1F</integer>", "31"), ("<integer>18446744073709551615</integer>", "18446744073709551615"),
      ("<real>1.5</real>", "1.5"), ("<real>nan</real>", "\"nan\""), ("<real>-1e300</real>", "-1e+300"),
      ("<string>a &lt;b&gt; &amp; &quot;&#233;&#x1F600;&apos;</string>", "\"a <b> & \\\"é😀'\""), ("<string/>", "\"\""),
      ("<string>a<![CDATA[<&>]]>b<!-- x -->c</string>", "\"a<&>bc\""),
      ("<string>a\nb\tc</string>", "\"a\\u000ab\\u0009c\""),
      ("<date>2026-01-31T12:00:00Z</date>", "\"2026-01-31T12:00:00Z\""),
      ("<data>\n\tAQID\n\tBA==\n</data>", "\"AQIDBA==\""),
      (
        "<!-- x --><array><dict><key>a</key><integer>1</integer></dict><dict><key>b</key><array><true/><true/></array></dict></array>",
        "[{\"a\":1},\n{\"b\":[true,true]}]"
      ),
    ])
  func xmlValues(body: String, expected: String) {
    let (text, error) = xml(body)
    #expect(error == nil)
    #expect(text == expected)
  }

  @Test(
    "what is no property list is refused with its place",
    arguments: [
      "", "<string>a", "<array>", "<array></dict>", "<dict><integer>1</integer></dict>", "<dict><key>a</key></dict>",
      "<integer>x</integer>", "<integer>1.5</integer>", "<integer>--1</integer>", "<real>x</real>", "<foo/>",
      "<string>&foo;</string>", "<string>a & b</string>", "<string>a<b/></string>", "<true/><true/>", "text",
      "<dict><key>a</key><true/><key>a</key><true/></dict>", "<true>x</true>", "<string>&#0;</string>",
    ])
  func malformed(body: String) {
    let error = xml(body).error
    #expect(error?.code == "plist.malformed")
    #expect((error?.line ?? 0) >= 4)
    #expect(error?.kind.exitCode == 65)
  }

  @Test("other files are refused: web pages, old lists, other encodings, entities of their own")
  func otherFiles() {
    for text in [
      "", "<html></html>", "{ a = 1; }", "( 1, 2 )",
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><true/></plist>",
      "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", "<plist><true/></plist> x",
    ] {
      #expect(json(Array(text.utf8)).error?.code == "plist.malformed", "\(text)")
    }
    let deep = String(repeating: "<array>", count: 600) + String(repeating: "</array>", count: 600)
    #expect(xml(deep).error?.code == "plist.malformed")
  }

  /// Lists of values of every type.
  private static func list(_ random: inout SeededGenerator) -> [[String: Any]] {
    (0..<Int.random(in: 0...20, using: &random)).map { index in
      [
        "name": ["Zoë", "plain", "日本", "a\"b\\c\n", ""][Int.random(in: 0..<5, using: &random)],
        "count": Int.random(in: Int.min...Int.max, using: &random) >> Int.random(in: 0...63, using: &random),
        "ratio": Double.random(in: -1e6...1e6, using: &random), "open": Bool.random(using: &random),
        "data": Data((0..<index).map { UInt8($0) }),
        "date": Date(
          timeIntervalSinceReferenceDate: Double(Int.random(in: -9_000_000_000...9_000_000_000, using: &random))),
        "tags": ["x", "y"], "more": ["deep": [1, 2, 3]],
      ]
    }
  }

  @Test("binary and XML lists of Foundation give the same JSON, and what is in them")
  func bothForms() throws {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<30 {
      let list = Self.list(&random)
      var found: [NSArray] = []
      var binary = ""
      for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
        let (text, error) = json(Array(data))
        #expect(error == nil)
        binary = text
        // A record's line is its number.
        #expect(text.split(separator: "\n").count == max(list.count, 1))
        found.append(try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSArray))
      }
      #expect(found[0] == found[1])
      for (record, expected) in zip(found[1], list) {
        let record = try #require(record as? [String: Any])
        #expect(record["name"] as? String == expected["name"] as? String)
        #expect((record["count"] as? NSNumber)?.intValue == expected["count"] as? Int)
        // Foundation may read the last digit of a number otherwise than it was written; the text has all of them.
        let ratio = try #require(expected["ratio"] as? Double)
        #expect(binary.contains("\"ratio\":\(ratio)"))
        #expect(record["data"] as? String == (expected["data"] as? Data)?.base64EncodedString())
        let date = try #require(expected["date"] as? Date)
        #expect(record["date"] as? String == ISO8601DateFormatter().string(from: date))
      }
    }
  }

  @Test("damaged lists, binary or XML, give values or an error, and nothing else", arguments: [true, false])
  func damage(isBinary: Bool) throws {
    var random = SeededGenerator(seed: isBinary ? 4 : 8)
    // The most changes, the first byte that may change, and the fewest bytes that are left.
    let (most, first, least) = isBinary ? (4, 6, 8) : (1, 0, 1)
    let list = Self.list(&random) + (isBinary ? Self.list(&random) : [])
    let good = Array(
      try PropertyListSerialization.data(fromPropertyList: list, format: isBinary ? .binary : .xml, options: 0))
    var (values, errors) = (0, 0)
    for _ in 0..<(isBinary ? 3000 : 1000) {
      var bytes = good
      for _ in 0..<Int.random(in: 1...most, using: &random) {
        bytes[Int.random(in: first..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count - least, using: &random)) }
      let (text, error) = json(bytes)
      if error == nil {
        values += 1
        #expect(throws: Never.self) {
          try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
      } else {
        errors += 1
      }
    }
    #expect(values > 0 && errors > 0, "\(values) lists have values, \(errors) an error")
  }

  @Test("lists that refer to themselves end")
  func circles() {
    // One array whose only element is itself.
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
    let list = Array("bplist00".utf8) + [0xA1, 0] + [8] + trailer + [0, 0, 0, 0, 0, 0, 0, 10]
    #expect(json(list).error?.message.contains("nested too deeply") == true)
  }

  @Test("records stand on lines of their own where the pointer leads")
  func pointers() throws {
    let list: [String: Any] = ["items": [["a": 1], ["a": 2], ["a": 3]], "tags": [1, 2, 3]]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    #expect(json(Array(data), pointer: "/items").text.split(separator: "\n").count == 3)
    #expect(json(Array(data), pointer: "/tags").text.split(separator: "\n").count == 3)
    #expect(json(Array(data)).text.split(separator: "\n").count == 1)
  }
}
