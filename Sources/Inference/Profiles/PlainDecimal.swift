/// Tells what a Decimal makes of a text from its digits alone, which costs less than to make one.
enum PlainDecimal {
  /// Digits of a Decimal that a store keeps.
  static let storedDigits = 15

  enum Outcome {
    /// An export writes the same text.
    case same
    /// An export leaves out the zeros at the end of its fraction.
    case shortened
    /// More digits than a store keeps, or an exponent.
    case unfit
    /// Has to be tried: no digits, or none on one side of the point.
    case unclear
  }

  static func outcome(_ text: UnsafeRawBufferPointer) -> Outcome {
    // Safety: `index` is compared with the count before its byte is read. `start` is under the count where `whole` is
    // above 0.
    var index = 0
    let isNegative = unsafe text.first == UInt8(ascii: "-")
    if isNegative { index = 1 }
    let start = index
    while index < text.count, unsafe text[index].isDigit { index += 1 }
    let whole = index - start
    guard whole > 0 else { return .unclear }
    let isZero = unsafe text[start] == UInt8(ascii: "0")
    guard whole == 1 || !isZero else { return .unclear }
    guard index < text.count else {
      guard whole <= storedDigits else { return .unfit }
      return isNegative && isZero ? .unclear : .same
    }
    guard unsafe text[index] == UInt8(ascii: ".") else {
      return unsafe text[index] | 0x20 == UInt8(ascii: "e") ? .unfit : .unclear
    }
    let point = index
    index += 1
    var last = point
    while index < text.count, unsafe text[index].isDigit {
      if unsafe text[index] != UInt8(ascii: "0") { last = index }
      index += 1
    }
    guard index == text.count else {
      return unsafe text[index] | 0x20 == UInt8(ascii: "e") ? .unfit : .unclear
    }
    guard index > point + 1, !(isNegative && isZero && last == point) else { return .unclear }
    guard (isZero ? 0 : whole) + last - point <= storedDigits else { return .unfit }
    return last == index - 1 ? .same : .shortened
  }
}
