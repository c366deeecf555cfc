package import Foundation

extension ArchivedObject {
  /// The number when it is an `NSDecimalNumber`, nil for another class.
  package func decimal() throws(ArchiveError) -> Decimal? {
    guard kind == .decimalNumber || kind == .decimalNumberPlaceholder else { return nil }
    guard case .data(let words)? = try value("NS.mantissa"), words.count == 16,
      let length = try integer("NS.length"), (0...8).contains(length),
      let exponent = try integer("NS.exponent"), (-128...127).contains(exponent)
    else { throw ArchiveError("an archived decimal number is damaged") }
    // Byte order 1 is little-endian, 2 big-endian.
    let isLittleEndian = try integer("NS.mantissa.bo") != 2
    let isNegative = try flag("NS.negative")
    if length == 0, isNegative { throw .unsupported("an archived decimal number is not a number") }
    var mantissa = Decimal(0)
    for index in (0..<length).reversed() {
      let low = words[words.startIndex + 2 * index + (isLittleEndian ? 0 : 1)]
      let high = words[words.startIndex + 2 * index + (isLittleEndian ? 1 : 0)]
      mantissa = mantissa * 65_536 + Decimal(Int(high) << 8 | Int(low))
    }
    if mantissa.isZero { return 0 }
    return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
  }

  /// The UUID when it is an `NSUUID`, nil for another class.
  package func uuid() throws(ArchiveError) -> UUID? {
    guard kind == .uuid else { return nil }
    guard case .data(let bytes)? = try value("NS.uuidbytes"), bytes.count == 16 else {
      throw ArchiveError("an archived UUID is damaged")
    }
    // Safety: there are 16 bytes, as a UUID has.
    return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// The address when it is an `NSURL` without a base, nil for another class.
  package func url() throws(ArchiveError) -> URL? {
    guard kind == .url else { return nil }
    let text = try requiredString("NS.relative")
    guard try value("NS.base") == nil, let url = URL(string: text) else {
      throw .unsupported("an archived URL is relative or not valid")
    }
    return url
  }
}
