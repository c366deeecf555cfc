import Foundation

/// Numbers from bytes, strictly: the whole text must be the number.
///
/// The bytes belong to the caller and need to live for the call only. Every index was compared with their count before
/// a byte is read there.
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
    return unsafe longInteger(bytes, from: index)
  }

  /// As `integer`, for more digits: from `index` on after the sign.
  private static func longInteger(_ bytes: UnsafeRawBufferPointer, from index: Int) -> IntegerResult {
    guard unsafe bytes[index...].allSatisfy({ $0 &- 48 < 10 }) else { return .notANumber }
    return unsafe Int64(String(decoding: bytes, as: UTF8.self)).map { .value($0) } ?? .outOfRange
  }

  enum RealResult {
    case value(Double)
    case notANumber
    /// Not a number or infinite, in words or by overflow.
    case notFinite
    /// Not zero, but nearer to it than a Double can be.
    case tooSmall
  }

  /// The powers of ten that a Double holds exactly.
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

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
    // An exponent that no Int64 holds.
    var isExtreme = false
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
      switch unsafe integer(UnsafeRawBufferPointer(rebasing: bytes[(index + 1)...])) {
      case .value(let written): exponent = exponent &+ Int(max(-100_000, min(100_000, written)))
      case .outOfRange: isExtreme = true
      case .notANumber: return .notANumber
      }
    }
    if !isExtreme, significant <= 15, exponent >= -22, exponent <= 22 {
      let scaled =
        exponent < 0
        ? Double(mantissa) / powersOfTen[-exponent] : Double(mantissa) * powersOfTen[exponent]
      return .value(isNegative ? -scaled : scaled)
    }
    guard let parsed = unsafe Double(String(decoding: bytes, as: UTF8.self)) else { return .notANumber }
    if parsed == 0, significant > 0 { return .tooSmall }
    return parsed.isFinite ? .value(parsed) : .notFinite
  }

  /// Whether the text is written as a decimal number, of whatever size.
  static func isReal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch unsafe real(bytes) {
    case .value, .tooSmall: true
    case .notFinite: unsafe !wordIsNotFinite(bytes)
    case .notANumber: false
    }
  }

  private static func wordIsNotFinite(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= 9 else { return false }
    let word = unsafe String(decoding: bytes, as: UTF8.self).lowercased().drop { $0 == "-" || $0 == "+" }
    return ["nan", "inf", "infinity"].contains(word)
  }

  /// Whether the text is a number that `Decimal` holds exactly: at most 38 significant digits, times a power of ten
  /// from -128 to 127.
  static func isDecimal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let digits = unsafe DecimalDigits(bytes) else { return false }
    return digits.significant.isEmpty
      || digits.significant.count <= 38 && digits.exponent >= -128 && digits.exponent <= 127
  }

  /// Whether two texts are numbers, and the same one to the last digit and the sign.
  static func isSameNumber(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard let left = unsafe DecimalDigits(left), let right = unsafe DecimalDigits(right) else { return false }
    return left.isNegative == right.isNegative && left.significant == right.significant
      && (left.significant.isEmpty || left.exponent == right.exponent)
  }

  /// The integer that a number with a fraction or an exponent is exactly, such as `1.50e2`.
  /// - Returns: `.notANumber` also for a number that is no integer.
  static func exactInteger(_ bytes: UnsafeRawBufferPointer) -> IntegerResult {
    guard let digits = unsafe DecimalDigits(bytes) else { return .notANumber }
    if digits.significant.isEmpty { return .value(0) }
    guard digits.exponent >= 0 else { return .notANumber }
    guard digits.significant.count + digits.exponent <= 19 else { return .outOfRange }
    var text: [UInt8] = [UInt8(ascii: digits.isNegative ? "-" : "+")]
    text += digits.significant
    text += Array(repeating: UInt8(ascii: "0"), count: digits.exponent)
    return unsafe text.withUnsafeBytes { unsafe integer($0) }
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

/// A decimal number taken apart: `significant` times ten to the power of `exponent`. Off the hot path.
private struct DecimalDigits {
  var isNegative: Bool
  /// ASCII digits without zeros at either end; empty for zero.
  var significant: [UInt8] = []
  /// Limited to a hundred million in both directions, because greater exponents are out of range for every type.
  var exponent = 0

  /// - Returns: nil when the text is no decimal number.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe NumberParsing.isReal(bytes) else { return nil }
    isNegative = unsafe bytes[0] == UInt8(ascii: "-")
    var isFraction = false
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      if byte == UInt8(ascii: ".") { isFraction = true }
      if byte | 0x20 == UInt8(ascii: "e") {
        let text = unsafe String(decoding: bytes[(index + 1)...], as: UTF8.self)
        let limit = text.hasPrefix("-") ? -100_000_000 : 100_000_000
        exponent += Int(text).map { max(-100_000_000, min(100_000_000, $0)) } ?? limit
        break
      }
      guard byte &- 48 < 10 else { continue }
      significant.append(byte)
      if isFraction { exponent -= 1 }
    }
    while significant.last == UInt8(ascii: "0") {
      significant.removeLast()
      exponent += 1
    }
    significant.removeFirst(significant.prefix { $0 == UInt8(ascii: "0") }.count)
  }
}
