/// Reads durations such as `25:10:00` from bytes.
public enum DurationParser {
  /// Whole seconds of `H:MM:SS`, `H:MM` or a plain count of seconds, each with an optional sign.
  ///
  /// Hours have any number of digits, minutes and seconds exactly two, up to 59. No spaces, no fractions.
  /// - Returns: nil when the text is anything else or the seconds exceed `Int64`.
  public static func parse(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    var index = 0
    let count = bytes.count
    guard count > 0 else { return nil }
    // Safety: an index is compared with `count` before its byte is read. `twoDigits` reads three bytes, which are there
    // by the guards before it.
    let first = unsafe bytes[0]
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { index = 1 }
    let firstDigit = index
    var leading: Int64 = 0
    while index < count {
      let digit = unsafe bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      // Negative numbers reach further, so the sum is kept negative until the end.
      let (product, high) = leading.multipliedReportingOverflow(by: 10)
      let (difference, borrow) = product.subtractingReportingOverflow(Int64(digit))
      guard !high, !borrow else { return nil }
      leading = difference
      index += 1
    }
    guard index > firstDigit else { return nil }
    if index == count { return signed(leading, isNegative) }
    guard index + 3 <= count, let minutes = unsafe twoDigits(bytes, after: index) else { return nil }
    index += 3
    var seconds: Int64 = 0
    if index < count {
      guard index + 3 == count, let read = unsafe twoDigits(bytes, after: index) else { return nil }
      seconds = read
    }
    let (product, high) = leading.multipliedReportingOverflow(by: 3600)
    let (total, borrow) = product.subtractingReportingOverflow(minutes * 60 + seconds)
    return high || borrow ? nil : signed(total, isNegative)
  }

  /// Whole seconds of a duration's text; see `parse(_:)` for bytes.
  public static func parse(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in unsafe parse(UnsafeRawBufferPointer(bytes)) }
  }

  @inline(__always)
  private static func signed(_ negated: Int64, _ isNegative: Bool) -> Int64? {
    if isNegative { return negated }
    return negated == Int64.min ? nil : -negated
  }

  /// The number of `:NN` at the index, nil unless it is that and below 60.
  @inline(__always)
  private static func twoDigits(_ bytes: UnsafeRawBufferPointer, after index: Int) -> Int64? {
    // Safety: `parse` has compared `index + 3` with the count.
    guard unsafe bytes[index] == UInt8(ascii: ":") else { return nil }
    let tens = unsafe bytes[index + 1] &- UInt8(ascii: "0")
    let ones = unsafe bytes[index + 2] &- UInt8(ascii: "0")
    return tens < 6 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
  }
}
