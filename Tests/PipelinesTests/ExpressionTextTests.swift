import Foundation
import TestSupport
import Testing

@testable import Pipelines

/// Durations, dates, numbers and folding against slow, readable twins.
@Suite("Reading durations, dates and numbers from bytes")
struct ExpressionTextTests {
  @Test(
    "durations are read to seconds, or refused",
    arguments: [
      ("25:10:00", 90_600), ("8:05", 29_100), ("08:05:09", 29_109), ("0", 0), ("90", 90), ("-1:00:01", -3601),
      ("+2:00", 7200), ("100000:00:00", 360_000_000), ("-9223372036854775808", .min), ("9223372036854775807", .max),
      ("", nil), ("-", nil), (":10", nil), ("1:2:3", nil), ("1:60", nil), ("1:00:60", nil), ("1:00:0", nil),
      ("1:00:", nil),
      (" 1:00", nil), ("1:00 ", nil), ("1.5", nil), ("1:00:00:00", nil), ("9223372036854775808", nil),
      ("2562047788015216:00:00", nil), ("1h", nil), ("--1", nil), ("1:0a", nil),
    ] as [(String, Int64?)])
  func durations(text: String, seconds: Int64?) {
    #expect(DurationParser.parse(text) == seconds)
  }

  /// The same rules, written for reading.
  private static func slowDuration(_ text: String) -> Int64? {
    guard let match = text.wholeMatch(of: /([+-]?)([0-9]+)(?::([0-5][0-9])(?::([0-5][0-9]))?)?/) else { return nil }
    guard let leading = Decimal(string: String(match.2)) else { return nil }
    var total = leading
    if let minutes = match.3 {
      total = leading * 3600 + Decimal((Int(minutes) ?? 0) * 60 + (match.4.flatMap { Int($0) } ?? 0))
    }
    return Int64((match.1 == "-" ? -total : total).description)
  }

  @Test("random durations are read as the slow twin reads them")
  func randomDurations() {
    var generator = SeededGenerator(seed: 1)
    let alphabet = Array("0123456789:::-+ a")
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        })
      #expect(DurationParser.parse(text) == Self.slowDuration(text), "\(text)")
    }
  }

  @Test(
    "dates in ISO 8601",
    arguments: [
      ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01 00:00:01", 1), ("2001-01-01T01:00+01:00", 0),
      ("2001-01-01T01:00:00.25+0100", 0.25), ("2000-12-31T23:00:00-01", 0), ("2001-01-01t00:00:00,5z", 0.5),
      ("1970-01-01", -978_307_200), ("2000-02-29", -26_524_800), ("2024-02-29T12:34:56.123456Z", 730_902_896.123456),
      ("0001-01-01", -63_113_904_000), ("9999-12-31T23:59:59.999999Z", 252_423_993_600.0.nextDown),
      ("2023-02-29", nil), ("1900-02-29", nil), ("2023-02-30", nil), ("2023-13-01", nil), ("2023-00-01", nil),
      ("2023-04-31", nil), ("2023-01-01T24:00:00", nil), ("2023-01-01T25:00", nil), ("2023-01-01T00:60", nil),
      ("2023-01-01T00:00:60", nil), ("2023-1-1", nil), ("20230101", nil), ("2023-01-01T", nil), ("2023-01-01T00", nil),
      ("2023-01-01T00:00:00.", nil), ("2023-01-01Z", nil), ("2023-01-01 ", nil), (" 2023-01-01", nil), ("", nil),
      ("0000-01-01", nil), ("0000-12-30 00:00:00", nil), ("0000-12-30T00:00:00Z", -63_114_076_800),
      ("0000-01-01T00:00:00Z", -63_145_526_400), ("2023-01-01T00:00+24:00", nil), ("2023-01-01T00:00:00ZZ", nil),
      ("2023-01-01T00:00+1", nil),
    ] as [(String, Double?)])
  func isoDates(text: String, seconds: Double?) {
    #expect(DateParser.iso8601.parse(text) == seconds)
  }

  @Test(
    "dates by pattern and zone",
    arguments: [
      ("dd/MM/yyyy", "UTC", "01/01/2001", 0), ("d.M.yyyy H:mm", "UTC", "1.1.2001 0:01", 60),
      ("yyyyMMddHHmmss", "UTC", "20010101000002", 2), ("MMM d, yyyy h:mm a", "UTC", "Jan 1, 2001 12:00 AM", 0),
      ("EEEE, d MMMM yyyy", "UTC", "monday, 1 JANUARY 2001", 0),
      ("yyyy-MM-dd'T'HH:mm:ss.SSSX", "UTC", "2001-01-01T01:00:00.500+01", 0.5),
      ("yyyy-MM-dd 'o''clock'", "UTC", "2001-01-01 o'clock", 0), ("epoch", "UTC", "978307200", 0),
      ("epoch", "UTC", "978307200.5", 0.5), ("epoch-ms", "UTC", "978307200001", 0.001),
      ("epoch-ms", "UTC", "-1", -978_307_200.001),
      ("yyyy-MM-dd HH:mm", "Europe/Berlin", "2025-07-01 12:00", 773_056_800),
      ("yyyy-MM-dd HH:mm", "Europe/Berlin", "2025-01-01 12:00", 757_422_000),
      ("yyyy-MM-dd HH:mm", "Europe/Berlin", "2025-10-26 02:30", 783_131_400),
      ("yyyy-MM-dd HH:mm", "Europe/Berlin", "2025-03-30 02:30", 764_991_000),
      ("yyyy-MM-dd", "+02:00", "2001-01-01", -7200), ("yyyy-MM-dd HH:mm", "Australia/Brisbane", "2001-01-01 10:00", 0),
      ("dd/MM/yyyy", "UTC", "30/02/2001", nil), ("dd/MM/yyyy", "UTC", "1/01/2001", nil),
      ("d/M/yyyy", "UTC", "100/1/2001", nil),
      ("MMM d, yyyy h:mm a", "UTC", "Jan 1, 2001 0:00 AM", nil),
      ("MMM d, yyyy h:mm a", "UTC", "Jan 1, 2001 13:00 PM", nil),
      ("epoch", "UTC", "1704067200123", nil), ("epoch", "UTC", "253402300799", 252_423_993_599),
      ("epoch", "UTC", "253402300800", nil), ("epoch", "UTC", "-62135596800", -63_113_904_000),
      ("epoch-ms", "UTC", "1704067200123456", nil), ("epoch-ms", "UTC", "-99999999999999", nil),
      ("epoch", "UTC", "1e30", nil), ("epoch", "UTC", "x", nil), ("epoch", "UTC", "", nil),
      ("yyyy-MM-dd", "UTC", "2001-01-01x", nil),
    ] as [(String, String, String, Double?)])
  func patterns(format: String, zone: String, text: String, seconds: Double?) throws {
    #expect(try DateParser(format: format, timeZone: zone).parse(text) == seconds)
  }

  @Test("every name of IANA's database that the machine knows is a zone, also one without an area")
  func zoneNames() throws {
    let names = """
      CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran \
      Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK \
      Singapore Turkey UCT UTC Universal W-SU WET Zulu
      """
    for name in names.split(separator: " ").map(String.init) where TimeZone(identifier: name) != nil {
      _ = try DateParser(format: nil, timeZone: name)
    }
    #expect(try DateParser(format: nil, timeZone: "Japan").parse("2001-01-01T09:00") == 0)
    #expect(try DateParser(format: nil, timeZone: "GMT+0").parse("2001-01-01T00:00") == 0)
    #expect(throws: DateFormatError.self) { try DateParser(format: nil, timeZone: "IST") }
  }

  @Test("the reading of a clock that occurs twice is its first, and a skipped one counts on")
  func daylightSaving() throws {
    let parser = try DateParser(format: nil, timeZone: "Europe/Berlin")
    #expect(parser.parse("2025-10-26T02:30") == DateParser.iso8601.parse("2025-10-26T00:30Z"))
    #expect(parser.parse("2025-10-26T03:00") == DateParser.iso8601.parse("2025-10-26T02:00Z"))
    #expect(parser.parse("2025-03-30T02:30") == DateParser.iso8601.parse("2025-03-30T01:30Z"))
    #expect(parser.parse("2025-03-30T02:30+02:00") == DateParser.iso8601.parse("2025-03-30T00:30Z"))
  }

  @Test("random dates are read as Foundation's calendar reads them, and written back")
  func randomDates() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<3000 {
      // Foundation's Gregorian calendar is Julian before 1582.
      let parts = (
        Int.random(in: 1583...9999, using: &generator), Int.random(in: 0...13, using: &generator),
        Int.random(in: 0...32, using: &generator), Int.random(in: 0...24, using: &generator),
        Int.random(in: 0...60, using: &generator), Int.random(in: 0...60, using: &generator)
      )
      let components = DateComponents(
        calendar: calendar, timeZone: calendar.timeZone, year: parts.0, month: parts.1, day: parts.2, hour: parts.3,
        minute: parts.4, second: parts.5)
      let text = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.0, parts.1, parts.2, parts.3, parts.4, parts.5)
      let expected = components.isValidDate(in: calendar) ? calendar.date(from: components) : nil
      #expect(DateParser.iso8601.parse(text) == expected?.timeIntervalSinceReferenceDate, "\(text)")
      if let expected { #expect(DateText.iso8601(expected) == text) }
    }
  }

  @Test(
    "date patterns that cannot be read are refused",
    arguments: [
      "yy-MM-dd", "yyyy-mm-dd", "yyyy-MM", "yyyy-MM-dd hh:mm", "yyyy-MM-dd HH:mm a", "YYYY-MM-dd", "yyyy-MM-dd 'x",
      "yyyyMMddyyyy", "QQQ", "",
    ])
  func badPatterns(pattern: String) {
    #expect(throws: DateFormatError.self) { try DateParser(format: pattern, timeZone: "UTC") }
  }

  @Test(
    "numbers keep their kind, or say why they are none",
    arguments: [
      ("0", .integer(0)), ("-0", .integer(0)), ("007", .integer(7)), ("+5", .integer(5)),
      ("-9223372036854775808", .integer(.min)),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .outOfRange),
      ("-9223372036854775809", .outOfRange),
      ("18446744073709551617", .outOfRange), ("1.", .double(1)), (".5", .double(0.5)), ("1e3", .double(1000)),
      ("-1.5E-3", .double(-0.0015)),
      ("1e400", .outOfRange), (".", .notANumber), ("-", .notANumber), ("", .notANumber), ("e5", .notANumber),
      ("1e", .notANumber),
      ("1e+", .notANumber), ("0x1", .notANumber), ("inf", .notANumber), ("nan", .notANumber), ("1_000", .notANumber),
      (" 1", .notANumber),
      ("1 ", .notANumber), ("1,5", .notANumber), ("٣", .notANumber),
    ] as [(String, ParsedNumber)])
  func numbers(text: String, value: ParsedNumber) {
    #expect(ParsedNumber.read(text) == value)
  }

  @Test("round() of random decimals is what rounding their digits by hand gives")
  func roundedDecimals() throws {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<2000 {
      let whole = Int.random(in: 0...21, using: &generator)
      let fraction = Int.random(in: 1...16, using: &generator)
      let digits = (0..<whole + fraction).map { _ in Int.random(in: 0...9, using: &generator) }
      let places = Int.random(in: 0...min(fraction, 15), using: &generator)
      let isNegative = Bool.random(using: &generator)
      // The slow twin: a carry through the digits.
      var kept = [0] + digits.prefix(whole + places)
      if places < fraction, digits[whole + places] >= 5 {
        var index = kept.count - 1
        while kept[index] == 9 {
          kept[index] = 0
          index -= 1
        }
        kept[index] += 1
      }
      func text(_ digits: some Collection<Int>) -> String { digits.map(String.init).joined() }
      func decimal(_ text: String) -> Decimal? { Decimal(string: text) }
      let written =
        (isNegative ? "-" : "") + "0" + text(digits.prefix(whole)) + "." + text(digits.dropFirst(whole))
      let expected =
        (isNegative ? "-" : "") + text(kept.prefix(whole + 1)) + "." + text(kept.dropFirst(whole + 1)) + "0"
      let found = try RecordExpression.Function.rounded(.string(written), .integer(Int64(places))).asText()
      #expect(decimal(found) == decimal(expected), "\(written) to \(places): \(found), not \(expected)")
    }
  }

  @Test("folding by the table is Foundation's folding, on random text")
  func folding() {
    var generator = SeededGenerator(seed: 3)
    let alphabet = Array("aZ09 _[`@{ÀßéÜñçÅøİıǅﬁ한ｱＡ１e\u{301}ΣςДй日👍".unicodeScalars)
    let latin = (0x20..<0x250).compactMap { Unicode.Scalar($0 as Int) }
    var tableCount = 0
    for round in 0..<6000 {
      // A third of the texts is ASCII, and a third Latin, which take other ways.
      let letters = [Array(alphabet.prefix(10)), latin, alphabet][round % 3]
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        scalars.append(letters[Int.random(in: 0..<letters.count, using: &generator)])
      }
      let text = String(scalars)
      let slow = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      #expect(TextNormalization.normalized(text).utf8.elementsEqual(slow.utf8), "\(text)")
      if let folded = fold(Array(text.utf8)) {
        tableCount += 1
        #expect(folded == Array(slow.utf8), "\(text)")
      }
    }
    #expect(tableCount > 3900)
  }

  @Test("each Latin letter folds as Foundation folds it, between others too", arguments: 0x80..<0x250)
  func latinLetter(code: Int) throws {
    let letter = String(Character(try #require(Unicode.Scalar(code))))
    for text in [letter, "e" + letter, letter + "É", "ß" + letter + "x"] {
      let slow = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
      #expect(TextNormalization.normalized(text).utf8.elementsEqual(slow.utf8), "\(text)")
    }
  }

  @Test(
    "bytes that are no UTF-8 are not folded",
    arguments: [[0x41, 0xFF], [0xC3], [0xC3, 0x41], [0xC9, 0x90]] as [[UInt8]])
  func invalidFolding(bytes: [UInt8]) {
    #expect(fold(bytes) == nil)
  }

  private func fold(_ bytes: [UInt8]) -> [UInt8]? {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 + bytes.count * TextNormalization.growth) {
        room in
        unsafe TextNormalization.foldLatin(bytes, into: room).map { unsafe Array(room[..<$0]) }
      }
    }
  }
}
