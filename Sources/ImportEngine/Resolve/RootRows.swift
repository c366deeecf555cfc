/// A set of rows, each as a `RowReference` of the root entity's table.
///
/// Rows of one run have keys in a row, so 64 of them share a word. Where every fourth row is in the set, each takes
/// about two bytes, and at most about 30 where they are far from each other.
struct RootRows: Equatable, Sendable {
  /// By `rawValue / 64`: a bit for each row.
  private var words: [UInt64: UInt64] = [:]

  var isEmpty: Bool { words.isEmpty }

  func contains(_ row: UInt64) -> Bool { (words[row >> 6] ?? 0) & Self.bit(row) != 0 }

  /// - Returns: whether it was not there.
  @discardableResult mutating func insert(_ row: UInt64) -> Bool {
    let bit = Self.bit(row)
    let old = words[row >> 6, default: 0]
    if old & bit != 0 { return false }
    words[row >> 6] = old | bit
    return true
  }

  func subtracting(_ other: RootRows) -> RootRows {
    var rest = self
    for (place, bits) in other.words {
      guard let old = words[place] else { continue }
      rest.words[place] = old & ~bits == 0 ? nil : old & ~bits
    }
    return rest
  }

  private static func bit(_ row: UInt64) -> UInt64 { 1 << (row & 63) }
}
