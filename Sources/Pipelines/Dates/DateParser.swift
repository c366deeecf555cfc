import Foundation
import ObjectModel

/// A date format or time zone that cannot be used.
public struct DateFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the format or the time zone.
  public var message: String
  /// What to do about it.
  public var hint: String?

  /// The message and the hint.
  public var description: String { message + (hint.map { "\n  hint: \($0)" } ?? "") }
}

/// Reads dates from bytes to seconds since 2001-01-01T00:00:00Z, which is what a store keeps.
///
/// Formats: ISO 8601 (nil), `epoch` and `epoch-ms` (seconds and milliseconds since 1970, with an optional sign and
/// fraction), or a Unicode date pattern, see `DatePattern`. Dates that the calendar lacks, such as 30 February, hour 24
/// or what is not in the years 0 to 9999 of UTC, are refused, and so is any character too many.
///
/// The bytes need to live for the call only: each call makes a `DateCursor` over them, which checks its bounds.
public struct DateParser: Sendable {
  private enum Format: Sendable {
    case iso8601
    /// A count since 1970, with this many ticks per second.
    case epoch(Int64)
    case pattern(DatePattern)
  }
  private let format: Format
  private let zone: ZoneOffset

  /// ISO 8601, UTC where the text names no zone.
  public static let iso8601 = DateParser(format: .iso8601, zone: .fixed(0))

  private init(format: Format, zone: ZoneOffset) {
    self.format = format
    self.zone = zone
  }

  /// A parser for one format and the zone of dates that name none.
  /// - Throws: `DateFormatError` for a pattern or zone that is not known.
  public init(format: String?, timeZone: String) throws(DateFormatError) {
    switch format {
    case nil, "iso8601": self.format = .iso8601
    case "epoch": self.format = .epoch(1)
    case "epoch-ms": self.format = .epoch(1000)
    case .some(let pattern): self.format = .pattern(try DatePattern(pattern))
    }
    zone = try ZoneOffset(named: timeZone)
  }

  /// Seconds since 2001 of the date in the text, exact to the microsecond where a Double can be; nil for other text.
  ///
  /// The bytes need to live for the call only; a cursor made for it reads them and checks its bounds.
  public func parse(_ bytes: UnsafeRawBufferPointer) -> Double? {
    switch format {
    case .iso8601:
      var cursor = unsafe DateCursor(bytes)
      guard unsafe cursor.readISO8601(), unsafe cursor.isAtEnd else { return nil }
      return unsafe seconds(cursor)
    case .pattern(let pattern):
      var cursor = unsafe DateCursor(bytes)
      guard unsafe pattern.read(&cursor), unsafe cursor.isAtEnd else { return nil }
      return unsafe seconds(cursor)
    case .epoch(let ticksPerSecond):
      return unsafe Self.epoch(bytes, ticksPerSecond: ticksPerSecond)
    }
  }

  /// Seconds since 2001 of the date in the text; nil for other text.
  public func parse(_ text: String) -> Double? {
    var text = text
    return text.withUTF8 { bytes in unsafe parse(UnsafeRawBufferPointer(bytes)) }
  }

  private func seconds(_ cursor: DateCursor) -> Double? {
    let date = unsafe cursor.date
    guard date.isValid else { return nil }
    let local = date.secondsSince2001
    let offset = unsafe cursor.zoneOffset ?? zone.offset(atLocal: local)
    guard Self.years.contains(Double(local - offset)) else { return nil }
    // The last microseconds of the year 9999 round to the next year, which no text has.
    return min(date.adding(toSeconds: local - offset), Self.years.upperBound.nextDown)
  }

  /// Whether the format is stated, and not the default.
  package var isStated: Bool { if case .iso8601 = format { false } else { true } }

  /// A hint for a count since 1970 that leads beyond the calendar: the unit that is likely meant; nil without one.
  package func advice(forCount text: String) -> String? {
    guard case .epoch(let ticksPerSecond) = format, isOutsideCalendar(text) else { return nil }
    for (power, format) in [(1, "epoch"), (1000, "epoch-ms")] where power != ticksPerSecond {
      if Self.isOfThisTime(text, ticksPerSecond: Double(power)) { return "date: \(format) reads it" }
    }
    for (unit, power) in [("microseconds", 1e6), ("nanoseconds", 1e9)]
    where Self.isOfThisTime(text, ticksPerSecond: power) {
      return "it may be \(unit), of which x / \(Int64(power)) with date: epoch makes seconds"
    }
    return nil
  }

  /// Whether a count since 1970 leads to the years 1970 to 2100.
  private static func isOfThisTime(_ text: String, ticksPerSecond: Double) -> Bool {
    Double(text).map { (0..<4_102_444_800).contains($0 / ticksPerSecond) } ?? false
  }

  /// The format in words: what a message says was expected.
  package var expectation: String {
    switch format {
    case .iso8601: "ISO 8601, such as 2025-03-14 or 2025-03-14T09:26:53Z"
    case .epoch(1): "seconds since 1970 (epoch)"
    case .epoch: "milliseconds since 1970 (epoch-ms)"
    case .pattern(let pattern): pattern.text
    }
  }

  /// Whether the text is written in the format, but the calendar has no such date, or the day no such time.
  package func isOutsideCalendar(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var cursor = unsafe DateCursor(UnsafeRawBufferPointer(bytes))
      switch format {
      case .iso8601: guard unsafe cursor.readISO8601() else { return false }
      case .pattern(let pattern): guard unsafe pattern.read(&cursor) else { return false }
      case .epoch(let ticksPerSecond):
        return unsafe Self.count(UnsafeRawBufferPointer(bytes), ticksPerSecond: ticksPerSecond)
          .map { !Self.years.contains($0) } ?? false
      }
      return unsafe cursor.isAtEnd && seconds(cursor) == nil
    }
  }

  /// What a count since 1970 may lead to, in seconds since 2001: the years 0 to 9999, as texts have them. Milliseconds
  /// that are read as seconds lie far beyond.
  private static let years = -63_145_526_400.0..<252_423_993_600.0

  private static func epoch(_ bytes: UnsafeRawBufferPointer, ticksPerSecond: Int64) -> Double? {
    guard let seconds = unsafe count(bytes, ticksPerSecond: ticksPerSecond), years.contains(seconds) else { return nil }
    return seconds
  }

  /// Seconds since 2001 of a count since 1970, wherever it leads.
  private static func count(_ bytes: UnsafeRawBufferPointer, ticksPerSecond: Int64) -> Double? {
    switch unsafe ParsedNumber.read(bytes) {
    case .integer(let ticks):
      let (shifted, overflows) = ticks.subtractingReportingOverflow(CalendarDate.referenceOffset * ticksPerSecond)
      return overflows ? nil : Double(shifted) / Double(ticksPerSecond)
    case .double(let ticks):
      return ticks / Double(ticksPerSecond) - Double(CalendarDate.referenceOffset)
    case .outOfRange, .notANumber: return nil
    }
  }
}

/// How far a zone's clocks are ahead of UTC.
enum ZoneOffset: Sendable {
  /// The same offset at all times, in seconds.
  case fixed(Int64)
  case zone(TimeZone)

  init(named name: String) throws(DateFormatError) {
    if name == "UTC" || name == "GMT" || name == "Z" {
      self = .fixed(0)
    } else if let seconds = Self.fixedOffset(name) {
      self = .fixed(seconds)
    } else if name.contains("/") || Self.plainNames.contains(name) || TimeZone.knownTimeZoneIdentifiers.contains(name),
      let zone = TimeZone(identifier: name)
    {
      self = .zone(zone)
    } else {
      throw DateFormatError(
        message: "there is no time zone \"\(name)\"",
        hint: Suggestion.hint(for: name, among: TimeZone.knownTimeZoneIdentifiers)
          ?? "write UTC, an offset such as +02:00, or an IANA name such as Europe/Berlin")
    }
  }

  /// IANA's zones without an area. Other abbreviations, such as IST, are those of several zones.
  private static let plainNames: Set<String> = [
    "CET", "EET", "MET", "WET", "EST", "MST", "HST", "EST5EDT", "CST6CDT", "MST7MDT", "PST8PDT",
    "Cuba", "Egypt", "Eire", "GB", "GB-Eire", "GMT+0", "GMT-0", "GMT0", "Greenwich", "Hongkong", "Iceland", "Iran",
    "Israel", "Jamaica", "Japan", "Kwajalein", "Libya", "NZ", "NZ-CHAT", "Navajo", "PRC", "Poland", "Portugal", "ROC",
    "ROK", "Singapore", "Turkey", "UCT", "Universal", "W-SU", "Zulu",
  ]

  private static func fixedOffset(_ name: String) -> Int64? {
    var name = name
    return name.withUTF8 { bytes in
      var cursor = unsafe DateCursor(UnsafeRawBufferPointer(bytes))
      guard unsafe cursor.readOffset(), unsafe cursor.isAtEnd else { return nil }
      return unsafe cursor.zoneOffset
    }
  }

  /// The offset for a clock reading, in seconds since 2001 on that clock.
  ///
  /// A reading that occurs twice is the first of the two; one that the clock skips counts on from before the gap.
  func offset(atLocal seconds: Int64) -> Int64 {
    switch self {
    case .fixed(let offset): return offset
    case .zone(let zone):
      func offset(at utc: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: Double(utc))))
      }
      let before = offset(at: seconds - 86_400)
      if offset(at: seconds - before) == before { return before }
      let after = offset(at: seconds + 86_400)
      return offset(at: seconds - after) == after ? after : before
    }
  }
}
