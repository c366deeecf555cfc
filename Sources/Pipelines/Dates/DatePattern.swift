/// A Unicode date pattern, such as `dd/MM/yyyy HH:mm`, compiled.
///
/// Letters: `yyyy` `M MM MMM MMMM` `d dd` `E EEEE` `H HH` `h hh` `a` `m mm` `s ss` `S…` `X…` `Z…` `x…`; text in
/// single quotes and everything that is no letter stands for itself. Names of months and days are English. A
/// doubled letter takes two digits, a single one takes one or two. A weekday is read but not compared with the date.
///
/// Bytes are read by the cursor alone, which checks its bounds and lives for one call.
struct DatePattern: Sendable {
  private enum Element: Sendable {
    case literal(UInt8)
    case year
    case month(Int), day(Int), hour(Int), hourOfTwelve(Int), minute(Int), second(Int)
    case fraction(Int)
    case monthName(isShort: Bool), weekday(isShort: Bool)
    case halfOfDay, zone
  }
  private let elements: [Element]
  /// The pattern as written.
  let text: String

  private static let monthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ].map { Array($0.utf8) }
  private static let weekdayNames = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    .map { Array($0.utf8) }
  private static let halfDayNames = [Array("am".utf8), Array("pm".utf8)]
  private static let shortMonthNames = monthNames.map { Array($0.prefix(3)) }
  private static let shortWeekdayNames = weekdayNames.map { Array($0.prefix(3)) }

  /// Compiles a pattern.
  /// - Throws: `DateFormatError` naming the letters that are not known, or what the pattern lacks.
  init(_ pattern: String) throws(DateFormatError) {
    do throws(DateFormatError) {
      self = try DatePattern(compiling: pattern)
    } catch {
      guard let other = DateGuess.translated(pattern), other != pattern, (try? DatePattern(compiling: other)) != nil
      else { throw error }
      var error = error
      error.hint = "did you mean \(other)?" + (error.hint.map { " " + $0 } ?? "")
      throw error
    }
  }

  private init(compiling pattern: String) throws(DateFormatError) {
    text = pattern
    let bytes = Array(pattern.utf8)
    var elements: [Element] = []
    var letters: Set<UInt8> = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "'") {
        index = try Self.quoted(bytes, from: index, into: &elements)
        continue
      }
      var end = index + 1
      guard (byte | 0x20) &- UInt8(ascii: "a") < 26 else {
        elements.append(.literal(byte))
        index = end
        continue
      }
      while end < bytes.count, bytes[end] == byte { end += 1 }
      elements.append(try Self.element(byte, count: end - index, of: pattern))
      guard letters.insert(byte).inserted else {
        throw DateFormatError(message: "the date pattern \"\(pattern)\" has the letter \(Character(.init(byte))) twice")
      }
      index = end
    }
    for (letter, name) in [("y", "year"), ("M", "month"), ("d", "day")] where !letters.contains(Array(letter.utf8)[0]) {
      throw DateFormatError(
        message: "the date pattern \"\(pattern)\" has no \(name) (\(letter))",
        hint: "write a pattern such as yyyy-MM-dd HH:mm, epoch, or epoch-ms")
    }
    if letters.contains(UInt8(ascii: "h")) != letters.contains(UInt8(ascii: "a")) {
      throw DateFormatError(
        message: "the date pattern \"\(pattern)\" has only one of h and a", hint: "write HH for hours from 0 to 23")
    }
    self.elements = elements
  }

  /// Adds the literal in quotes that starts at an index and gives the index behind it. `''` is a quote.
  private static func quoted(
    _ bytes: [UInt8], from start: Int, into elements: inout [Element]
  ) throws(DateFormatError) -> Int {
    let quote = UInt8(ascii: "'")
    if start + 1 < bytes.count, bytes[start + 1] == quote {
      elements.append(.literal(quote))
      return start + 2
    }
    var index = start + 1
    while index < bytes.count {
      if bytes[index] != quote {
        elements.append(.literal(bytes[index]))
        index += 1
      } else if index + 1 < bytes.count, bytes[index + 1] == quote {
        elements.append(.literal(quote))
        index += 2
      } else {
        return index + 1
      }
    }
    throw DateFormatError(message: "a quote in the date pattern is not closed")
  }

  /// How to put the century before a year of two digits.
  private static func wideningHint(_ pattern: String) -> String {
    let wide = pattern.replacing("yy", with: "yyyy")
    let beginning = "say the century with an expression, in which x is the column: "
    if pattern.hasPrefix("yy") { return beginning + "date(\"20\" & x, \"\(wide)\")" }
    let separator = pattern.dropLast(2).last ?? " "
    guard pattern.hasSuffix("yy"), !separator.isLetter, separator != "'", separator != "\"",
      pattern.split(separator: separator, omittingEmptySubsequences: false).count == 3
    else { return "put 20 before the year with an expression first; substring() and split() take a text apart" }
    func piece(_ number: Int) -> String { "split(x, \"\(separator)\", \(number))" }
    return beginning
      + "date(\(piece(1)) & \"\(separator)\" & \(piece(2)) & \"\(separator)20\" & \(piece(3)), \"\(wide)\")"
  }

  private static func element(
    _ letter: UInt8, count: Int, of pattern: String
  ) throws(DateFormatError) -> Element {
    switch (Character(.init(letter)), count) {
    case ("y", 4): return .year
    case ("y", 2):
      throw DateFormatError(
        message: "years of two digits (yy) do not say the century", hint: wideningHint(pattern))
    case ("M", 1...2): return .month(count)
    case ("M", 3...4): return .monthName(isShort: count == 3)
    case ("d", 1...2): return .day(count)
    case ("E", 1...4): return .weekday(isShort: count < 4)
    case ("H", 1...2): return .hour(count)
    case ("h", 1...2): return .hourOfTwelve(count)
    case ("a", 1): return .halfOfDay
    case ("m", 1...2): return .minute(count)
    case ("s", 1...2): return .second(count)
    case ("S", 1...9): return .fraction(count)
    case ("X", 1...3), ("x", 1...3), ("Z", 1...5): return .zone
    default:
      let letters = String(repeating: Character(.init(letter)), count: min(count, 20))
      throw DateFormatError(
        message: "\"\(letters)\" is not known in date patterns",
        hint: "known are yyyy M MM MMM MMMM d dd E EEEE H HH h hh a m mm s ss S X Z x; put other letters in quotes")
    }
  }

  /// Reads a date; false when the text does not follow the pattern. The date is not yet checked.
  func read(_ cursor: inout DateCursor) -> Bool {
    // Safety: the cursor compares every index with its count, and its bytes are the caller's, good for this call.
    for element in elements {
      guard unsafe read(element, &cursor) else { return false }
    }
    guard let isAfternoon = unsafe cursor.isAfternoon else { return true }
    guard unsafe (1...12).contains(cursor.date.hour) else { return false }
    unsafe cursor.date.hour = cursor.date.hour % 12 + (isAfternoon ? 12 : 0)
    return true
  }

  private func read(_ element: Element, _ cursor: inout DateCursor) -> Bool {
    // Safety: as above; only the cursor reads bytes.
    switch element {
    case .literal(let byte): return unsafe cursor.accept(byte)
    case .year:
      guard let year = unsafe cursor.digits(4, 4), year > 0 else { return false }
      unsafe cursor.date.year = year
      return true
    case .month(let count):
      guard let month = unsafe cursor.digits(count, 2) else { return false }
      unsafe cursor.date.month = month
      return true
    case .day(let count):
      guard let day = unsafe cursor.digits(count, 2) else { return false }
      unsafe cursor.date.day = day
      return true
    case .hour(let count), .hourOfTwelve(let count):
      guard let hour = unsafe cursor.digits(count, 2) else { return false }
      unsafe cursor.date.hour = hour
      return true
    case .minute(let count):
      guard let minute = unsafe cursor.digits(count, 2) else { return false }
      unsafe cursor.date.minute = minute
      return true
    case .second(let count):
      guard let second = unsafe cursor.digits(count, 2) else { return false }
      unsafe cursor.date.second = second
      return true
    case .fraction(let count): return unsafe cursor.readFraction(count, count)
    case .monthName(let isShort):
      guard let place = unsafe cursor.name(among: isShort ? Self.shortMonthNames : Self.monthNames) else {
        return false
      }
      unsafe cursor.date.month = place + 1
      return true
    case .weekday(let isShort):
      return unsafe cursor.name(among: isShort ? Self.shortWeekdayNames : Self.weekdayNames) != nil
    case .halfOfDay:
      guard let place = unsafe cursor.name(among: Self.halfDayNames) else { return false }
      unsafe cursor.isAfternoon = place == 1
      return true
    case .zone: return unsafe cursor.readZone()
    }
  }
}
