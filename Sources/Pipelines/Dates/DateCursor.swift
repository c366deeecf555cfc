/// Reads the parts of a date from bytes, from left to right.
///
/// The bytes are the caller's and must outlive the cursor, which is made for one call and kept by nothing. `index` only
/// grows past a byte that was compared with `bytes.count` first, or goes back to where it was, so it is never above the
/// count.
@unsafe
struct DateCursor {
  private let bytes: UnsafeRawBufferPointer
  private(set) var index = 0
  var date = CalendarDate()
  /// Seconds ahead of UTC when the text names a zone.
  var zoneOffset: Int64?
  /// Hours are counted to 12 when a pattern says so.
  var isAfternoon: Bool?

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = bytes
  }

  var isAtEnd: Bool { unsafe index == bytes.count }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard unsafe index < bytes.count, unsafe bytes[index] == byte else { return false }
    unsafe index += 1
    return true
  }

  /// Accepts an ASCII letter in either case; `lower` is the small one.
  mutating func accept(anyCaseOf lower: UInt8) -> Bool {
    guard unsafe index < bytes.count, unsafe bytes[index] | 0x20 == lower else { return false }
    unsafe index += 1
    return true
  }

  /// Reads between `minimum` and `maximum` digits, as many as there are.
  mutating func digits(_ minimum: Int, _ maximum: Int) -> Int? {
    var value = 0
    let start = unsafe index
    while unsafe index < bytes.count, unsafe index - start < maximum {
      let digit = unsafe bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value * 10 + Int(digit)
      unsafe index += 1
    }
    return unsafe index - start >= minimum ? value : nil
  }

  /// Accepts one of the names without regard to case and gives its place in the list.
  mutating func name(among names: [[UInt8]]) -> Int? {
    for place in names.indices {
      let start = unsafe index
      var matches = true
      for byte in names[place] where matches { matches = unsafe accept(anyCaseOf: byte) }
      if matches { return place }
      unsafe index = start
    }
    return nil
  }

  /// `+HH:MM`, `+HHMM` or `+HH`, with either sign.
  mutating func readOffset() -> Bool {
    let isNegative: Bool
    if unsafe accept(UInt8(ascii: "+")) {
      isNegative = false
    } else if unsafe accept(UInt8(ascii: "-")) {
      isNegative = true
    } else {
      return false
    }
    guard let hours = unsafe digits(2, 2), hours < 24 else { return false }
    var minutes = 0
    if unsafe accept(UInt8(ascii: ":")) {
      guard let read = unsafe digits(2, 2) else { return false }
      minutes = read
    } else if let read = unsafe digits(2, 2) {
      minutes = read
    }
    guard minutes < 60 else { return false }
    let seconds = Int64(hours * 3600 + minutes * 60)
    unsafe zoneOffset = isNegative ? -seconds : seconds
    return true
  }

  /// `Z` or an offset.
  mutating func readZone() -> Bool {
    if unsafe accept(anyCaseOf: UInt8(ascii: "z")) {
      unsafe zoneOffset = 0
      return true
    }
    return unsafe readOffset()
  }

  /// The digits after a second's decimal point: 1 to 15.
  mutating func readFraction(_ minimum: Int = 1, _ maximum: Int = 15) -> Bool {
    let start = unsafe index
    guard let fraction = unsafe digits(minimum, maximum) else { return false }
    unsafe date.fraction = Int64(fraction)
    unsafe date.fractionDigits = index - start
    return true
  }

  /// `YYYY-MM-DD`, then optionally `T` or a space and `HH:MM`, `:SS`, a fraction, and a zone.
  mutating func readISO8601() -> Bool {
    guard let year = unsafe digits(4, 4), unsafe accept(UInt8(ascii: "-")),
      let month = unsafe digits(2, 2), unsafe accept(UInt8(ascii: "-")),
      let day = unsafe digits(2, 2)
    else { return false }
    unsafe date.year = year
    unsafe date.month = month
    unsafe date.day = day
    // Without a zone the year 0 is what other programs write for no date. With one it is a moment: `Date.distantPast`
    // is exported so.
    if unsafe isAtEnd { return year > 0 }
    guard unsafe accept(anyCaseOf: UInt8(ascii: "t")) || accept(UInt8(ascii: " ")),
      let hour = unsafe digits(2, 2), unsafe accept(UInt8(ascii: ":")), let minute = unsafe digits(2, 2)
    else { return false }
    unsafe date.hour = hour
    unsafe date.minute = minute
    if unsafe accept(UInt8(ascii: ":")) {
      guard let second = unsafe digits(2, 2) else { return false }
      unsafe date.second = second
      if unsafe accept(UInt8(ascii: ".")) || accept(UInt8(ascii: ",")) {
        guard unsafe readFraction() else { return false }
      }
    }
    return unsafe isAtEnd ? year > 0 : readZone()
  }
}
