package import Foundation

extension KeyedArchiveBuilder {
  /// Adds an `NSDate`.
  package mutating func add(date: Date) -> Reference {
    add(.date, [("NS.time", .plain(.real(date.timeIntervalSinceReferenceDate)))])
  }

  /// Adds an `NSUUID`.
  package mutating func add(uuid: UUID) -> Reference {
    let bytes = uuid.uuid
    let data = Data([
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9, bytes.10, bytes.11,
      bytes.12, bytes.13, bytes.14, bytes.15,
    ])
    return add(.uuid, [("NS.uuidbytes", .plain(.data(data)))])
  }

  /// Adds an `NSURL` without a base.
  package mutating func add(url text: String) -> Reference {
    let reference = reserve()
    let address = add(string: text)
    describe(reference, as: .url, [("NS.base", .object(.null)), ("NS.relative", .object(address))])
    return reference
  }

  /// Adds an `NSDecimalNumber`, or one of the class that stands for it in models. The mantissa stands in eight words of
  /// 16 bits, the lowest first, each with its low byte first.
  package mutating func add(decimal: Decimal, as kind: ArchiveClass = .decimalNumber) -> Reference {
    var words = [UInt32](repeating: 0, count: 8)
    for digit in "\(decimal.significand)".utf8 where (0x30...0x39).contains(digit) {
      var carry = UInt32(digit - 0x30)
      for index in words.indices {
        let next = words[index] * 10 + carry
        words[index] = next & 0xFFFF
        carry = next >> 16
      }
    }
    let mantissa = Data(words.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    let length = decimal.isNaN ? 0 : (words.lastIndex { $0 != 0 } ?? -1) + 1
    return add(
      kind,
      [
        ("NS.exponent", .plain(.integer(Int64(decimal.exponent)))), ("NS.length", .plain(.integer(Int64(length)))),
        ("NS.negative", .plain(.boolean(decimal.isNaN || decimal.isSignMinus))), ("NS.compact", .plain(.boolean(true))),
        ("NS.mantissa.bo", .plain(.integer(1))), ("NS.mantissa", .plain(.data(mantissa))),
      ])
  }
}
