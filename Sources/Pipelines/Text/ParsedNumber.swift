/// How expressions read numbers in text: an optional sign, digits, and optionally a fraction and an exponent.
///
/// Neither hexadecimal, nor spaces, nor infinities, nor `nan`. Text without a fraction and exponent is an integer.
///
/// The bytes need to live for the call only. Every index was compared with their count before a byte is read there.
package enum ParsedNumber: Equatable {
  case integer(Int64)
  case double(Double)
  /// Digits that no `Int64`, or no finite `Double` other than zero, can hold.
  case outOfRange
  case notANumber

  static func read(_ text: String) -> ParsedNumber {
    var text = text
    return text.withUTF8 { bytes in unsafe read(UnsafeRawBufferPointer(bytes)) }
  }

  package static func read(_ bytes: UnsafeRawBufferPointer) -> ParsedNumber {
    var index = 0
    let count = bytes.count
    var isNegative = false
    if count > 0, unsafe bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
      isNegative = unsafe bytes[0] == UInt8(ascii: "-")
      index = 1
    }
    let firstDigit = index
    var magnitude: UInt64 = 0
    var overflows = false
    while index < count, let digit = unsafe digit(bytes[index]) {
      let (product, high) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      overflows = overflows || high || carry
      magnitude = sum
      index += 1
    }
    var digits = index - firstDigit
    if index == count {
      guard digits > 0 else { return .notANumber }
      if overflows { return .outOfRange }
      if isNegative {
        return magnitude <= UInt64(Int64.max) + 1 ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : .outOfRange
      }
      return magnitude <= UInt64(Int64.max) ? .integer(Int64(magnitude)) : .outOfRange
    }
    if unsafe bytes[index] == UInt8(ascii: ".") {
      index += 1
      while index < count, unsafe digit(bytes[index]) != nil {
        index += 1
        digits += 1
      }
    }
    guard digits > 0 else { return .notANumber }
    if index < count {
      guard unsafe bytes[index] | 0x20 == UInt8(ascii: "e") else { return .notANumber }
      index += 1
      if index < count, unsafe bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") { index += 1 }
      let firstExponentDigit = index
      while index < count, unsafe digit(bytes[index]) != nil { index += 1 }
      guard index == count, index > firstExponentDigit else { return .notANumber }
    }
    guard let value = unsafe Double(String(decoding: bytes, as: UTF8.self)) else { return .notANumber }
    // A number that is not zero must not become zero.
    if value == 0, unsafe bytes.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }).contains(where: { 49...57 ~= $0 }) {
      return .outOfRange
    }
    return value.isFinite ? .double(value) : .outOfRange
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? digit : nil
  }
}
