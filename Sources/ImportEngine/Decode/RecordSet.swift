/// A set of numbers from 0 on, a bit for each.
struct RecordSet: Sendable {
  private var words: [UInt64] = []

  /// Makes room for the numbers under `count`.
  mutating func reserve(_ count: Int) {
    words.append(contentsOf: repeatElement(0, count: max((count + 63) / 64 - words.count, 0)))
  }

  mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }

  mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << UInt64(number % 64)) }

  func contains(_ number: Int) -> Bool {
    number / 64 < words.count && words[number / 64] & 1 << UInt64(number % 64) != 0
  }
}
