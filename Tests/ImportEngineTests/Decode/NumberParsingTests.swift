import Foundation
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("Numbers from bytes")
struct NumberParsingTests {
  // MARK: - Slow twins

  /// The reading of integers, without any speed: every digit one by one, in `Decimal`.
  private func slowInteger(_ text: String) -> String {
    var digits = Array(text.utf8)
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return "not a number" }
    while digits.count > 1, digits[0] == 48 { digits.removeFirst() }
    let plain = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
    return Int64(plain).map { "\($0)" } ?? "out of range"
  }

  private func fastInteger(_ text: String) -> String {
    switch unsafe withRaw(text, { unsafe NumberParsing.integer($0) }) {
    case .value(let value): "\(value)"
    case .outOfRange: "out of range"
    case .notANumber: "not a number"
    }
  }

  /// The grammar as a regular expression, the value by the standard library.
  private func slowReal(_ text: String) -> String {
    if text.wholeMatch(of: /[+-]*(nan|inf|infinity)/.ignoresCase()) != nil { return "not finite" }
    guard text.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil, let value = Double(text)
    else { return "not a number" }
    let digits = text.prefix { $0 != "e" && $0 != "E" }
    if value == 0, digits.contains(where: { $0 != "0" && $0.isNumber }) { return "too small" }
    return value.isFinite ? String(value.bitPattern, radix: 16) : "not finite"
  }

  private func fastReal(_ text: String) -> String {
    switch unsafe withRaw(text, { unsafe NumberParsing.real($0) }) {
    case .value(let value): String(value.bitPattern, radix: 16)
    case .notFinite: "not finite"
    case .tooSmall: "too small"
    case .notANumber: "not a number"
    }
  }

  static let edges = [
    "", "0", "-0", "+0", "00", "007", "-007", "+", "-", ".", "1.", ".5", "-.5", "+.5", "1e", "1e+", "e5", ".e5", "1e5",
    "1E5", "1e+5", "1e-5", "1.5e3", "0x1p3", "0x10", "１", "１２", "1 ", " 1", "1_000", "1,5", "--1", "+-1", "1-", "1.2.3",
    "nan", "NaN", "-nan", "inf", "-Infinity", "infinit", "Infinityy", "1e22", "1e23", "9e22", "123456789012345e22",
    "123456789012345e23", "1e-22", "1e-23", "9007199254740993", "9007199254740992.5", "999999999999999",
    "9999999999999999", "12345678901234567", "123456789012345678", "1234567890123456789", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "99999999999999999999999", "-99999999999999999999999", "000000000000000000000000012",
    "4.9e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "1.7976931348623159e308", "1e308", "1e309", "-1e309", "1e-400", "0e400", "0e-400", "1e99999999999999999999",
    "1e-99999999999999999999", "0.000000000000000000000000000000000000000000000000001", "1e0000000000000000000000001",
    "0.1", "0.2", "0.30000000000000004", "179769313486231570000000000000000000000", "\u{0}", "1\u{0}", "é",
  ]

  @Test("edge cases are read as the standard library reads them", arguments: edges)
  func edge(_ text: String) {
    #expect(fastInteger(text) == slowInteger(text))
    #expect(fastReal(text) == slowReal(text))
  }

  @Test("random texts are read as the standard library reads them, to the last bit")
  func random() {
    var generator = SeededGenerator(seed: 1)
    let alphabet = Array("0123456789012345678900++--..eE ")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...22, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
      #expect(fastInteger(text) == slowInteger(text), "\(text)")
      #expect(fastReal(text) == slowReal(text), "\(text)")
    }
  }

  @Test("random magnitudes around the least ones are read as the standard library reads them, and none becomes zero")
  func smallest() {
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<5000 {
      let digits = (0..<Int.random(in: 1...25, using: &generator)).map { _ in Int.random(in: 0...9, using: &generator) }
      let point = Int.random(in: 0...digits.count, using: &generator)
      let text =
        ["", "-", "+"][Int.random(in: 0...2, using: &generator)] + digits.prefix(point).map(String.init).joined() + "."
        + digits.dropFirst(point).map(String.init).joined() + "e-\(Int.random(in: 290...350, using: &generator))"
      #expect(fastReal(text) == slowReal(text), "\(text)")
    }
    #expect(fastReal("1e-400") == "too small")
    #expect(fastReal("-0.\(String(repeating: "0", count: 400))1") == "too small")
    #expect(fastReal("0.000e-999999999999999999999") == "0")
    #expect(ParsedNumber.read("1e-400") == .outOfRange)
    #expect(ParsedNumber.read("0e-400") == .double(0))
    #expect(ParsedNumber.read("4.9e-324") == .double(.leastNonzeroMagnitude))
  }

  @Test("every double is read back from its own text and from texts with more or fewer digits")
  func doubles() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<10_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(fastReal("\(value)") == String(value.bitPattern, radix: 16), "\(value)")
      let digits = Int.random(in: 1...20, using: &generator)
      let near = Double.random(in: -1000...1000, using: &generator)
      for text in [String(format: "%.\(digits)g", near), String(format: "%.\(digits)f", near)] {
        #expect(fastReal(text) == slowReal(text), "\(text)")
      }
    }
  }

  @Test("18, 19 and 20 digits around the limits of Int64")
  func integersAroundLimits() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<5000 {
      let high = UInt64.random(in: 922_337_203_685_477_579...922_337_203_685_477_582, using: &generator)
      let text =
        ["", "-", "+"][Int.random(in: 0...2, using: &generator)]
        + String(repeating: "0", count: Int.random(in: 0...3, using: &generator))
        + "\(high)\(Int.random(in: 0...9, using: &generator))"
      #expect(fastInteger(text) == slowInteger(text), "\(text)")
    }
  }

  // MARK: - Decimals and booleans

  @Test(
    "a decimal is read when it has at most 38 significant digits",
    arguments: [
      ("0", true), ("-0", true), ("12.50", true), ("1e3", true), (String(repeating: "9", count: 38), true),
      (String(repeating: "9", count: 39), false), (String(repeating: "9", count: 38) + "000", true),
      ("0.000" + String(repeating: "7", count: 38), true), ("0.000" + String(repeating: "7", count: 39), false),
      ("100000000000000000000000000000000000001", false), ("1.0000000000000000000000000000000000000000000", true),
      ("abc", false), ("", false), ("nan", false), ("1e127", true), ("1e-127", true), ("1e200", false),
      ("1e-200", false),
      ("12e127", true), ("12e128", false), ("1200e125", true), ("1200e126", false), ("0.5e-127", true),
      ("0.5e-128", false), ("0e500", true),
    ])
  func decimals(_ text: String, _ isRead: Bool) {
    #expect(unsafe withRaw(text) { unsafe NumberParsing.isDecimal($0) } == isRead)
  }

  @Test("booleans are read by words and digits, in any case")
  func booleans() {
    let words: [String: Bool] = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
    let others = ["", "2", "t", "y", "n", "on", "off", "tru", "truee", "yess", " 1", "01", "-1", "ｙｅｓ", "İ", "null"]
    for (word, value) in words {
      for form in [word, word.uppercased(), word.capitalized] {
        #expect(unsafe withRaw(form) { unsafe NumberParsing.boolean($0) } == value, "\(form)")
      }
    }
    for word in others { #expect(unsafe withRaw(word) { unsafe NumberParsing.boolean($0) } == nil, "\(word)") }
  }
}
