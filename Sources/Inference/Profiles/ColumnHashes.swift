/// The values of a column as 64-bit hashes: whether one occurs twice, and whether another column's values are among
/// them.
///
/// Two values with one hash count as equal. So what is called unique is; the reverse is wrong once in billions.
struct ColumnHashes {
  /// The limit for all columns together.
  final class Budget {
    private var left: Int
    init(_ count: Int) { left = count }
    func spend() -> Bool {
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }

  /// Most hashes that one run keeps, 16 bytes each and some room.
  static let standardBudget = 8 << 20

  private(set) var hashes: Set<UInt64> = []
  private(set) var isUnique = true
  /// Too many or too long to keep.
  private(set) var isGivenUp = false
  private let budget: Budget

  init(_ budget: Budget) { self.budget = budget }

  mutating func insert(_ bytes: UnsafeRawBufferPointer) {
    guard !isGivenUp else { return }
    guard bytes.count <= 256 else { return giveUp() }
    let hash = unsafe Self.hash(bytes)
    if hashes.contains(hash) {
      isUnique = false
    } else if budget.spend() {
      hashes.insert(hash)
    } else {
      giveUp()
    }
  }

  mutating func giveUp() {
    isGivenUp = true
    isUnique = false
    hashes = []
  }

  /// The hash of the empty text.
  static let ofEmptyText = unsafe hash(UnsafeRawBufferPointer(start: nil, count: 0))

  /// FNV-1a, mixed at the end.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in bytes.indices { hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
    return hash ^ (hash >> 29)
  }

  /// One hash for two values in this order.
  static func joined(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let hash = ((first << 23 | first >> 41) ^ second) &* 0x9E37_79B9_7F4A_7C15
    return hash ^ (hash >> 32)
  }
}
