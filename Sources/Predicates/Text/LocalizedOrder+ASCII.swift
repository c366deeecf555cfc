// Safety: both texts need to live for the call only. `position`, `other`, and the ends of digits and zeros never pass
// the count that they were compared with before a byte is read.
extension LocalizedOrder {
  /// The order of two texts by their UTF-8 bytes, as a database's collation gets them. ASCII texts are compared where
  /// they lie.
  public static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, options: FetchPredicate.Comparison.Options = []
  ) -> Int {
    if unsafe isASCII(left), unsafe isASCII(right) {
      return unsafe compareASCII(left, right, ignoresCase: options.contains(.caseInsensitive))
    }
    return unsafe compareFolded(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self), options)
  }

  private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var all: UInt8 = 0
    for index in 0..<text.count { unsafe all |= text[index] }
    return all < 0x80
  }

  /// The levels for ASCII: without diacritics, texts that differ only in case are ordered by case.
  private static func compareASCII(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, ignoresCase: Bool
  ) -> Int {
    var position = 0
    var other = 0
    // The first difference in leading zeros, and the first in case: they decide when the texts are otherwise equal.
    var zeroOrder = 0
    var caseOrder = 0
    while position < left.count, other < right.count {
      let first = unsafe left[position]
      let second = unsafe right[other]
      if isDigit(first), isDigit(second) {
        let firstEnd = unsafe endOfDigits(left, position)
        let secondEnd = unsafe endOfDigits(right, other)
        let firstStart = unsafe skipZeros(left, position, firstEnd)
        let secondStart = unsafe skipZeros(right, other, secondEnd)
        if firstEnd - firstStart != secondEnd - secondStart {
          return firstEnd - firstStart < secondEnd - secondStart ? -1 : 1
        }
        for offset in 0..<(firstEnd - firstStart) {
          let difference = unsafe Int(left[firstStart + offset]) - Int(right[secondStart + offset])
          if difference != 0 { return difference }
        }
        if zeroOrder == 0, firstStart - position != secondStart - other {
          zeroOrder = unsafe compareBytes(left, position, right, other)
        }
        position = firstEnd
        other = secondEnd
        continue
      }
      if first != second {
        let lowerFirst = lowercase(first)
        let lowerSecond = lowercase(second)
        if lowerFirst != lowerSecond {
          let order = rank(lowerFirst) - rank(lowerSecond)
          return order != 0 ? order : Int(lowerFirst) - Int(lowerSecond)
        }
        if caseOrder == 0 { caseOrder = first == lowerFirst ? -1 : 1 }
      }
      position += 1
      other += 1
    }
    if position < left.count || other < right.count { return position < left.count ? 1 : -1 }
    return zeroOrder != 0 ? zeroOrder : ignoresCase ? 0 : caseOrder
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  private static func endOfDigits(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
    var end = start
    while end < text.count, unsafe isDigit(text[end]) { end += 1 }
    return end
  }

  private static func skipZeros(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, unsafe text[index] == 0x30 { index += 1 }
    return index
  }

  /// The order of the rest of both texts without case: the first difference in leading zeros decides.
  private static func compareBytes(
    _ left: UnsafeRawBufferPointer, _ position: Int, _ right: UnsafeRawBufferPointer, _ other: Int
  ) -> Int {
    for offset in 0..<min(left.count - position, right.count - other) {
      let difference = unsafe Int(lowercase(left[position + offset])) - Int(lowercase(right[other + offset]))
      if difference != 0 { return difference }
    }
    return (left.count - position) - (right.count - other)
  }

  /// As `rank(_:)` of a scalar, of a byte of lower-case ASCII.
  private static func rank(_ byte: UInt8) -> Int {
    switch byte {
    case 0...0x20, 0x7F: 0
    case 0x30...0x39: 3
    case 0x61...0x7A: 4
    // $ + < = > ^ ` | ~
    case 0x24, 0x2B, 0x3C...0x3E, 0x5E, 0x60, 0x7C, 0x7E: 2
    default: 1
    }
  }
}
