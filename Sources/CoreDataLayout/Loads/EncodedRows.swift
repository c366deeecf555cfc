/// Records of consecutive rows as SQLite stores them, one behind the other. It has one owner at a time and is used
/// again from batch to batch.
///
/// `base` has `capacity` bytes and `ends` room for as many rows as `begin` was told. The first `count` ends are
/// written, rise, and lie within `capacity`. Both may move in `begin` and `grow`, so pointers are good until then.
@safe public final class EncodedRows: @unchecked Sendable {
  /// The number of rows that were encoded.
  public internal(set) var count = 0
  @unsafe private(set) var base: UnsafeMutableRawPointer
  private(set) var capacity: Int
  /// Where each row's record ends, from `base`; the first begins at 0.
  @unsafe private(set) var ends: UnsafeMutablePointer<Int>
  private var rowCapacity = 0

  /// An empty list, with room for 64 KiB of records.
  public init() {
    capacity = 1 << 16
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
    unsafe ends = .allocate(capacity: 1)
  }

  deinit {
    unsafe base.deallocate()
    unsafe ends.deallocate()
  }

  /// Forgets the rows and makes room for others.
  func begin(rows: Int) {
    count = 0
    guard rows > rowCapacity else { return }
    unsafe ends.deallocate()
    unsafe ends = .allocate(capacity: rows)
    rowCapacity = rows
  }

  /// Makes room for so many bytes at least; those up to `used` stay.
  func grow(to needed: Int, used: Int) {
    let grown = max(needed, capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
    unsafe larger.copyMemory(from: base, byteCount: used)
    unsafe base.deallocate()
    unsafe base = larger
    capacity = grown
  }
}
