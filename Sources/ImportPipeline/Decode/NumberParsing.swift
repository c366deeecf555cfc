import Foundation

/// Numbers from bytes, strictly: the whole text must be the number.
enum NumberParsing {
  enum IntegerResult {
    case value(Int64)
    case notANumber
    case outOfRange
  }

  /// An optional sign and decimal digits; no spaces, no fraction.
  @inline(__always)
  static func integer(_ bytes: UnsafeRawBufferPointer) -> IntegerResult {
    var index = 0
    let count = bytes.count
    guard count > 0 else { return .notANumber }
    let first = unsafe bytes[0]
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { index = 1 }
    guard index < count else { return .notANumber }
    // 18 digits cannot overflow; only longer texts pay for the check.
    var magnitude: UInt64 = 0
    if count - index <= 18 {
      while index < count {
        let digit = unsafe bytes[index] &- 48
        guard digit < 10 else { return .notANumber }
        magnitude = magnitude &* 10 &+ UInt64(digit)
        index += 1
      }
      return .value(isNegative ? -Int64(magnitude) : Int64(magnitude))
    }
    var overflows = false
    while index < count {
      let digit = unsafe bytes[index] &- 48
      guard digit < 10 else { return .notANumber }
      if !overflows {
        let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
        let (sum, second) = product.addingReportingOverflow(UInt64(digit))
        overflows = first || second
        magnitude = sum
      }
      index += 1
    }
    if overflows { return .outOfRange }
    if isNegative {
      return magnitude <= UInt64(Int64.max) + 1 ? .value(Int64(truncatingIfNeeded: 0 &- magnitude)) : .outOfRange
    }
    return magnitude <= UInt64(Int64.max) ? .value(Int64(magnitude)) : .outOfRange
  }

  /// An integer written with a fraction of zeros or an exponent, such as `5.0` or `1e3`, exactly.
  static func integralDecimal(_ bytes: UnsafeRawBufferPointer) -> IntegerResult {
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    guard case .value = unsafe real(bytes) else { return .notANumber }
    guard let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), decimal.isFinite else {
      return .outOfRange
    }
    var exact = decimal
    var rounded = Decimal()
    unsafe NSDecimalRound(&rounded, &exact, 0, .plain)
    guard rounded == decimal else { return .notANumber }
    guard rounded >= Decimal(Int64.min), rounded <= Decimal(Int64.max) else { return .outOfRange }
    return Int64("\(rounded)").map { .value($0) } ?? .outOfRange
  }

  enum RealResult {
    case value(Double)
    case notANumber
    /// Not a number or infinite, in words or by overflow.
    case notFinite
  }

  private static let powersOfTen: [Double] = (0...22).map { pow(10, Double($0)) }

  /// A decimal number with optional fraction and exponent, correctly rounded.
  ///
  /// Up to 15 significant digits and a decimal exponent within ±22 take one exact multiplication or division
  /// (Clinger, "How to read floating point numbers accurately", 1990); others go through the standard library.
  @inline(__always)
  static func real(_ bytes: UnsafeRawBufferPointer) -> RealResult {
    var index = 0
    let count = bytes.count
    guard count > 0 else { return .notANumber }
    let first = unsafe bytes[0]
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { index = 1 }
    var mantissa: UInt64 = 0
    var digits = 0
    var significant = 0
    var exponent = 0
    while index < count {
      let digit = unsafe bytes[index] &- 48
      guard digit < 10 else { break }
      mantissa = mantissa &* 10 &+ UInt64(digit)
      digits += 1
      if mantissa != 0 { significant += 1 }
      index += 1
    }
    if index < count, unsafe bytes[index] == UInt8(ascii: ".") {
      index += 1
      while index < count {
        let digit = unsafe bytes[index] &- 48
        guard digit < 10 else { break }
        mantissa = mantissa &* 10 &+ UInt64(digit)
        digits += 1
        if mantissa != 0 { significant += 1 }
        exponent -= 1
        index += 1
      }
    }
    guard digits > 0 else { return unsafe wordIsNotFinite(bytes) ? .notFinite : .notANumber }
    if index < count {
      guard unsafe bytes[index] | 0x20 == UInt8(ascii: "e") else { return .notANumber }
      guard case .value(let written) = unsafe integer(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])) else {
        return .notANumber
      }
      exponent = exponent &+ Int(max(-100_000, min(100_000, written)))
    }
    if significant <= 15, exponent >= -22, exponent <= 22 {
      let scaled =
        exponent < 0
        ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
      return .value(isNegative ? -scaled : scaled)
    }
    guard let parsed = unsafe Double(String(decoding: bytes, as: UTF8.self)) else { return .notANumber }
    return parsed.isFinite ? .value(parsed) : .notFinite
  }

  private static func wordIsNotFinite(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= 9 else { return false }
    let word = unsafe String(decoding: bytes, as: UTF8.self).lowercased().drop { $0 == "-" || $0 == "+" }
    return ["nan", "inf", "infinity"].contains(word)
  }

  /// Whether the text is a plain decimal number of at most 38 significant digits, which `Decimal` holds exactly,
  /// with an exponent from -128 to 127.
  static func isDecimal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard case .value = unsafe real(bytes) else { return false }
    var significant = 0
    var trailingZeros = 0
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      if byte | 0x20 == UInt8(ascii: "e") { break }
      let digit = byte &- 48
      guard digit < 10 else { continue }
      if digit == 0 {
        if significant > 0 { trailingZeros += 1 }
      } else {
        significant += trailingZeros + 1
        trailingZeros = 0
      }
    }
    return significant <= 38
  }

  /// `true false yes no 1 0`, in any case.
  @inline(__always)
  static func boolean(_ bytes: UnsafeRawBufferPointer) -> Bool? {
    switch bytes.count {
    case 1:
      switch unsafe bytes[0] {
      case UInt8(ascii: "1"): return true
      case UInt8(ascii: "0"): return false
      default: return nil
      }
    case 2...5:
      switch unsafe String(decoding: bytes, as: UTF8.self).lowercased() {
      case "true", "yes": return true
      case "false", "no": return false
      default: return nil
      }
    default: return nil
    }
  }
}
