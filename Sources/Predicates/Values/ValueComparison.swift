import Foundation
public import ObjectModel

extension Value {
  /// Whether both are the same stored value: same case, same bytes. Unlike `==`, strings that differ only in Unicode
  /// normalisation differ, and a double that is not a number is itself.
  public func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.uri(let left), .uri(let right)): left.absoluteString.hasSameBytes(as: right.absoluteString)
    case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
    case (.composite(let left), .composite(let right)):
      left.count == right.count && left.allSatisfy { name, value in right[name].map(value.isIdentical) ?? false }
    default: self == other
    }
  }

  /// Equality as predicates and uniqueness constraints see it (see `FetchPredicate`): by kind and value, and a missing
  /// value equals a missing value.
  public func isEqual(to other: Value) -> Bool {
    if isMissing || other.isMissing { return isMissing && other.isMissing }
    if case .composite(let left) = self, case .composite(let right) = other {
      return left.count == right.count && left.allSatisfy { name, value in right[name].map(value.isEqual) ?? false }
    }
    return compared(to: other) == 0
  }

  /// The order of two present values of one kind: negative, zero or positive. Nil when either is missing or the kinds
  /// differ.
  public func compared(to other: Value) -> Int? {
    if case .integer(let left) = self, case .integer(let right) = other { return Self.sign(left, right) }
    if let left = number, let right = other.number { return Number.compare(left, right) }
    if let left = text, let right = other.text { return Self.order(left.utf8, right.utf8) }
    if let left = bytes, let right = other.bytes { return Self.order(left, right) }
    return nil
  }

  /// The order in which fetch results sort: missing values, numbers, text, bytes; within a kind as `compared(to:)`.
  public static func sortOrder(_ left: Value, _ right: Value) -> Int {
    left.compared(to: right) ?? sign(left.sortRank, right.sortRank)
  }

  /// Null, or a double, decimal or date that is not a number: what SQLite stores as NULL.
  public var isMissing: Bool {
    switch self {
    case .null: true
    case .double(let value): value.isNaN
    case .decimal(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// The text of a string or URI.
  package var text: String? {
    switch self {
    case .string(let value): value
    case .uri(let value): value.absoluteString
    default: nil
    }
  }

  private var bytes: Data? {
    switch self {
    case .data(let value): value
    case .uuid(let value): value.data
    default: nil
    }
  }

  private var number: Number? {
    switch self {
    case .integer(let value): .integer(value)
    case .boolean(let value): .integer(value ? 1 : 0)
    case .double(let value): value.isNaN ? nil : .real(value)
    case .date(let value): isMissing ? nil : .real(value.timeIntervalSinceReferenceDate)
    case .decimal(let value): value.isNaN ? nil : Number(value)
    default: nil
    }
  }

  private var sortRank: Int {
    if isMissing { return 0 }
    if number != nil { return 1 }
    return text != nil ? 2 : 3
  }

  /// Hashes so that values that are equal by `isEqual(to:)` hash alike.
  package func hashByEquality(into hasher: inout Hasher) {
    if let number {
      hasher.combine(number.asDouble)
    } else if var text {
      text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    } else if let bytes {
      hasher.combine(bytes)
    } else if case .composite(let elements) = self {
      hasher.combine(elements.count)
    }
  }

  private static func order<Bytes: Sequence<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }

  private static func sign<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
    left < right ? -1 : (left == right ? 0 : 1)
  }
}

/// A number of any case, for comparisons by mathematical value.
private enum Number {
  case integer(Int64)
  case real(Double)

  /// A decimal as SQLite keeps it. By way of its digits, which rounds once; the arithmetic conversion of Foundation
  /// rounds more than once.
  init(_ decimal: Decimal) {
    let digits = decimal.description
    self = Int64(digits).map { .integer($0) } ?? .real(Double(digits) ?? 0)
  }

  var asDouble: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  static func compare(_ left: Number, _ right: Number) -> Int {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): sign(left, right)
    case (.integer(let left), .real(let right)): compare(left, right)
    case (.real(let left), .integer(let right)): -compare(right, left)
    case (.real(let left), .real(let right)): sign(left, right)
    }
  }

  /// Exact: no integer is rounded to a double.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = real.rounded(.towardZero)
    let order = sign(integer, Int64(whole))
    return order != 0 ? order : sign(0, real - whole)
  }

  private static func sign<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
    left < right ? -1 : (left == right ? 0 : 1)
  }
}

extension UUID {
  /// The 16 bytes, as a store keeps them.
  fileprivate var data: Data {
    let (b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15) = uuid
    return Data([b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15])
  }
}
