#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Maps natural keys, as bytes, to rows: open addressing over flat arrays, key bytes in one arena.
///
/// About 24 bytes a slot at a load of at most 3/4, plus the keys themselves. Not thread-safe.
@safe final class KeyTable {
  /// A row: its primary key and the model index of its own entity, in one word.
  struct Row: Hashable, Sendable {
    let packed: UInt64
    init(primaryKey: Int64, entityIndex: Int) {
      packed = UInt64(bitPattern: primaryKey) & 0x0000_FFFF_FFFF_FFFF | UInt64(entityIndex) << 48
    }
    init(packed: UInt64) { self.packed = packed }
    var primaryKey: Int64 { Int64(packed & 0x0000_FFFF_FFFF_FFFF) }
    var entityIndex: Int { Int(packed >> 48) }
  }

  private struct Slot {
    /// The low half of the key's hash, which also says where the slot belongs; 0 marks a free slot.
    var hash: UInt32 = 0
    /// Objects with this key; 0 when all were removed again.
    var rowCount: UInt32 = 0
    /// The row; the exclusive or of all rows where there are several, so that the last one left is known.
    var row: UInt64 = 0
    var offset: UInt32 = 0
    var length: UInt32 = 0
  }

  private var slots: [Slot]
  private var mask: Int
  private var used = 0
  private(set) var count = 0
  private var arena: [UInt8] = []

  init(minimumCapacity: Int = 1024) {
    var size = 1024
    while size * 3 / 4 < minimumCapacity { size *= 2 }
    slots = Array(repeating: Slot(), count: size)
    mask = size - 1
  }

  /// What a key leads to.
  enum Match: Hashable, Sendable {
    case none
    case row(Row)
    /// Several objects have this key, so that none can be chosen.
    case ambiguous
  }

  /// What a key leads to.
  func match(_ key: UnsafeRawBufferPointer) -> Match {
    let slot = slots[unsafe slotIndex(of: key, hash: Self.slotHash(key))]
    switch slot.rowCount {
    case 0: return .none
    case 1: return .row(Row(packed: slot.row))
    default: return .ambiguous
    }
  }

  /// Enters a row under its key; another row under the same key makes the key ambiguous.
  ///
  /// A row that stands alone may be entered again. One among several must not be if it is ever to be removed.
  func register(_ row: Row, for key: UnsafeRawBufferPointer) {
    if (used + 1) * 4 > slots.count * 3 { grow() }
    let hash = unsafe Self.slotHash(key)
    let index = unsafe slotIndex(of: key, hash: hash)
    if slots[index].hash == 0 {
      precondition(arena.count + key.count <= Int(UInt32.max), "natural keys over 4 GiB")
      slots[index] = Slot(
        hash: hash, rowCount: 1, row: row.packed, offset: UInt32(arena.count), length: UInt32(key.count))
      unsafe arena.append(contentsOf: key)
      used += 1
      count += 1
      return
    }
    if slots[index].rowCount == 1, slots[index].row == row.packed { return }
    if slots[index].rowCount == 0 { count += 1 }
    slots[index].row ^= row.packed
    slots[index].rowCount += 1
  }

  /// Takes a row out again. Where its key had been ambiguous, the one other row may remain.
  func remove(_ row: Row, for key: UnsafeRawBufferPointer) {
    let index = unsafe slotIndex(of: key, hash: Self.slotHash(key))
    switch slots[index].rowCount {
    case 0: return
    case 1 where slots[index].row != row.packed: return
    case 1: count -= 1
    default: break
    }
    slots[index].row ^= row.packed
    slots[index].rowCount -= 1
  }

  /// Takes rows out whose keys are not known. An ambiguous key stays ambiguous. O(slots).
  func removeRows(_ rows: Set<UInt64>) {
    for index in slots.indices where slots[index].rowCount == 1 && rows.contains(slots[index].row) {
      slots[index].row = 0
      slots[index].rowCount = 0
      count -= 1
    }
  }

  func removeAll() {
    for index in slots.indices { slots[index] = Slot() }
    arena.removeAll(keepingCapacity: true)
    used = 0
    count = 0
  }

  private static func slotHash(_ key: UnsafeRawBufferPointer) -> UInt32 {
    let hash = unsafe UInt32(truncatingIfNeeded: KeyHash.hash(key))
    return hash == 0 ? 1 : hash
  }

  /// The slot that holds the key, or the free one where it belongs.
  private func slotIndex(of key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
    var index = Int(hash) & mask
    return unsafe slots.withUnsafeBufferPointer { slots in
      unsafe arena.withUnsafeBytes { arena in
        while unsafe slots[index].hash != 0 {
          let slot = unsafe slots[index]
          if unsafe slot.hash == hash && KeyTable.isKey(key, of: slot, arena) { break }
          index = (index + 1) & mask
        }
        return index
      }
    }
  }

  @inline(__always)
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return unsafe memcmp(first, second, left.count) == 0
  }

  @inline(__always)
  private static func isKey(_ key: UnsafeRawBufferPointer, of slot: Slot, _ arena: UnsafeRawBufferPointer) -> Bool {
    guard Int(slot.length) == key.count else { return false }
    guard let left = key.baseAddress, let right = arena.baseAddress else { return true }
    return unsafe memcmp(left, right + Int(slot.offset), key.count) == 0
  }

  /// Looks up many keys in turn.
  /// - Parameter body: is given a function that says what a key leads to. It knows the table as it is now.
  @inline(__always)
  func lookUp<Result>(_ body: ((UnsafeRawBufferPointer) -> Match) -> Result) -> Result {
    let mask = mask
    return unsafe slots.withUnsafeBufferPointer { slots in
      unsafe arena.withUnsafeBytes { arena in
        unsafe body { key in
          let hash = unsafe KeyTable.slotHash(key)
          var index = Int(hash) & mask
          while true {
            let slot = unsafe slots[index]
            if slot.hash == 0 { return .none }
            if unsafe slot.hash == hash && KeyTable.isKey(key, of: slot, arena) {
              switch slot.rowCount {
              case 0: return .none
              case 1: return .row(Row(packed: slot.row))
              default: return .ambiguous
              }
            }
            index = (index + 1) & mask
          }
        }
      }
    }
  }

  private func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    mask = slots.count - 1
    for slot in old where slot.hash != 0 {
      var index = Int(slot.hash) & mask
      while slots[index].hash != 0 { index = (index + 1) & mask }
      slots[index] = slot
    }
  }
}

/// A fast 64-bit hash of key bytes, the same in every process (no random seed), never 0.
enum KeyHash {
  static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count)
    var offset = 0
    while offset + 8 <= key.count {
      state = unsafe mix(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < key.count {
      tail = unsafe tail << 8 | UInt64(key[offset])
      offset += 1
    }
    state = mix(state ^ tail)
    return state == 0 ? 1 : state
  }

  /// The finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
