/// Bytes as a sequence of choices: the same bytes give the same choices. What is asked for beyond their end is zero.
struct Choices {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }

  mutating func byte() -> UInt8 {
    guard position < bytes.count else { return 0 }
    position += 1
    return bytes[position - 1]
  }

  /// A number from 0 to `count - 1`.
  mutating func below(_ count: Int) -> Int { Int(byte()) % max(count, 1) }

  mutating func bit() -> Bool { byte() & 1 == 1 }

  /// One of some things.
  mutating func one<Element>(of elements: [Element], or other: Element) -> Element {
    elements.isEmpty ? other : elements[below(elements.count)]
  }

  mutating func integer(_ size: Int) -> Int64 {
    let bits = (0..<size).reduce(UInt64(0)) { sum, _ in sum << 8 | UInt64(byte()) }
    let unused = UInt64(64 - size * 8)
    return size == 0 ? 0 : Int64(bitPattern: bits << unused) >> Int64(unused)
  }

  /// Any number but NaN.
  mutating func real() -> Double {
    if bit() { return Double(integer(3)) / 8 }
    let value = Double(bitPattern: UInt64(bitPattern: integer(8)))
    return value.isNaN ? 0.1 : value
  }

  mutating func text(maximum: Int = 40) -> String {
    let pieces = ["a", "b", "Z", "0", "ä", "€", "\u{0}", " "]
    let piece = (0..<below(6)).map { _ in one(of: pieces, or: "") }.joined()
    // Now and then beyond a page.
    return String(repeating: piece, count: below(20) == 0 ? below(256) * 8 : below(maximum) / 6)
  }

  mutating func blob() -> [UInt8] {
    let count = below(20) == 0 ? below(256) * 40 : below(24)
    return (0..<count).map { _ in isAtEnd ? 7 : byte() }
  }
}
