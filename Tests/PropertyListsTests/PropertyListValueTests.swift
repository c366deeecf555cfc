import Foundation
import TestSupport
import Testing

@testable import PropertyLists

@Suite("Property lists as values")
struct PropertyListValueTests {
  /// A value of any kind, nested a few levels.
  private static func value(_ random: inout SeededGenerator, depth: Int = 0) -> PropertyListValue {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &random) {
    case 0: return .boolean(Bool.random(using: &random))
    case 1: return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random))
    case 2: return .real(Double.random(in: -1e9...1e9, using: &random))
    case 3: return .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)))
    case 4: return .data(Data((0..<Int.random(in: 0...300, using: &random)).map { UInt8(truncatingIfNeeded: $0) }))
    case 5:
      return .string(
        ["", "plain", "Zoë", "日本", "😀", String(repeating: "x", count: 40)].randomElement(using: &random) ?? "")
    case 6: return .array((0..<Int.random(in: 0...20, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      let keys = (0..<Int.random(in: 0...20, using: &random)).map { "key \($0) é" }
      return .dictionary(Dictionary(uniqueKeysWithValues: keys.map { ($0, value(&random, depth: depth + 1)) }))
    }
  }

  /// What Foundation calls it.
  private static func object(_ value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let flag): flag
    case .integer(let number): number
    case .unsigned(let number): number
    case .real(let number): number
    case .date(let date): date
    case .data(let data): data
    case .string(let text): text
    case .array(let values): values.map(object)
    case .dictionary(let entries): entries.mapValues(object)
    }
  }

  @Test("a carriage return that an entity stands for stays, a literal one is a line end")
  func carriageReturns() throws {
    let xml = "<plist version=\"1.0\"><string>a&#13;&#10;b&#13;c\r\nd\re<![CDATA[\r\n]]></string></plist>"
    #expect(try PropertyList.decode(xml: Array(xml.utf8)) == .string("a\r\nb\rc\nd\ne\n"))
  }

  @Test("what is written is read again, always with the same bytes")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<80 {
      let value = Self.value(&random)
      let bytes = PropertyList.encode(binary: value)
      #expect(bytes == PropertyList.encode(binary: value))
      #expect(try PropertyList.decode(binary: bytes) == value)
    }
  }

  @Test("whole numbers up to 2^64 - 1 are read and written as they are", arguments: [1 << 63, UInt64.max])
  func unsignedNumbers(_ number: UInt64) throws {
    let value = PropertyListValue.dictionary(["n": .unsigned(number), "m": .integer(.max)])
    let bytes = PropertyList.encode(binary: value)
    #expect(try PropertyList.decode(binary: bytes) == value)
    let read = unsafe try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
    #expect((read?["n"] as? NSNumber)?.uint64Value == number)
    let xml = "<plist version=\"1.0\"><dict><key>n</key><integer>\(number)</integer></dict></plist>"
    #expect(try PropertyList.decode(xml: Array(xml.utf8)) == .dictionary(["n": .unsigned(number)]))
    #expect(PropertyListValue(plainValue: value.plainValue) == value)
  }

  @Test("lists that Foundation wrote are read, in both forms")
  func foundation() throws {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<40 {
      // Foundation writes dates in XML in whole seconds, and reads some numbers with another last digit.
      var values: [PropertyListValue] = [
        .integer(Int64.random(in: .min ... .max, using: &random)), .string("a <b> & é\r\n"), .boolean(true), .real(1.5),
        .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...1_000_000, using: &random)))),
        .data(Data([1, 2, 3])), .dictionary(["k": .array([]), "": .string("")]),
      ]
      let value = PropertyListValue.array(values)
      let list = Self.object(value)
      let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      #expect(try PropertyList.decode(binary: Array(binary)) == value)
      values[1] = .string("a <b> & é\n")
      let plain = PropertyListValue.array(values)
      let xml = try PropertyListSerialization.data(fromPropertyList: Self.object(plain), format: .xml, options: 0)
      #expect(try PropertyList.decode(xml: Array(xml)) == plain)
    }
  }

  @Test("lists in XML that end too early are refused, wherever they end")
  func truncated() throws {
    let list: [String: Any] = [
      "a": [1, 2.5, true], "b": Data([1, 2, 3]), "c": "text", "d": Date(timeIntervalSince1970: 0),
    ]
    let xml = Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0))
    let end = try #require(xml.lastIndex(of: UInt8(ascii: ">")))
    for count in 0...end {
      #expect(throws: PropertyListError.self) { try PropertyList.decode(xml: Array(xml[..<count])) }
    }
    #expect(try PropertyList.decode(xml: xml) != nil)
  }

  @Test("only an empty plist element is a list without a value")
  func nothing() throws {
    for text in ["<plist/>", "<plist></plist>", "<?xml version=\"1.0\"?><plist version=\"1.0\">\n</plist>\n"] {
      #expect(try PropertyList.decode(xml: Array(text.utf8)) == nil)
    }
    for text in ["", "<plist", "<plist>", "<plist><!-- </plist>", "<plist><dict/><dict/></plist>"] {
      #expect(throws: PropertyListError.self) { try PropertyList.decode(xml: Array(text.utf8)) }
    }
  }

  @Test("numbers beyond 64 bits are no values, and the least and greatest are")
  func extremes() throws {
    func list(_ number: String) -> [UInt8] { Array("<plist><integer>\(number)</integer></plist>".utf8) }
    for number in [Int64.min, .min + 1, -1, 0, .max] {
      #expect(try PropertyList.decode(xml: list("\(number)")) == .integer(number))
      #expect(try PropertyList.decode(binary: PropertyList.encode(binary: .integer(number))) == .integer(number))
    }
    for number in ["-9223372036854775809", "18446744073709551616"] {
      #expect(throws: PropertyListError.self) { try PropertyList.decode(xml: list(number)) }
    }
  }

  @Test("damaged binary lists give a value or an error, and nothing else")
  func damage() throws {
    var random = SeededGenerator(seed: 13)
    let good = PropertyList.encode(binary: .array((0..<8).map { _ in Self.value(&random) }))
    var refused = 0
    for _ in 0..<1500 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 6..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count - 8, using: &random)) }
      if (try? PropertyList.decode(binary: bytes)) == nil { refused += 1 }
    }
    #expect(refused > 150)
  }

  @Test("texts keep their normal form of Unicode beside an equal one in another")
  func normalForms() throws {
    let texts = ["\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{E9}"]
    let read = try PropertyList.decode(binary: PropertyList.encode(binary: .array(texts.map { .string($0) })))
    guard case .array(let values) = read else {
      Issue.record("\(read) is no array")
      return
    }
    #expect(values.map { Array(($0.stringValue ?? "").utf8) } == texts.map { Array($0.utf8) })
  }

  @Test("dates of every sort")
  func dates() {
    let cases: [(Double, String?)] = [
      (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"), (0.5, "2001-01-01T00:00:00.5Z"),
      (-1.25, "2000-12-31T23:59:58.75Z"), (694_224_000.123456, "2023-01-01T00:00:00.123456Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"), (252_423_993_600, nil),
      (-63_113_904_001, nil), (.nan, nil), (.infinity, nil), (-31_622_400, "2000-01-01T00:00:00Z"),
    ]
    for (seconds, text) in cases { #expect(PropertyListDate.text(seconds) == text) }
  }
}
