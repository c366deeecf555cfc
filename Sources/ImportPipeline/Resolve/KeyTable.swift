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
    /// 0 marks a free slot.
    var hash: UInt64
    var row: UInt64
    var offset: UInt32
    var length: UInt32
  }

  private static let removedRow = UInt64.max
  private static let ambiguousRow = UInt64.max - 1

  private var slots: [Slot]
  private var mask: Int
  private var used = 0
  private(set) var count = 0
  private var arena: [UInt8] = []

  init(minimumCapacity: Int = 1024) {
    var size = 1024
    while size * 3 / 4 < minimumCapacity { size *= 2 }
    slots = Array(repeating: Slot(hash: 0, row: 0, offset: 0, length: 0), count: size)
    mask = size - 1
  }

  /// What a key leads to.
  enum Match: Hashable, Sendable {
    case none
    case row(Row)
    /// Several objects have this key, so that none can be chosen.
    case ambiguous
  }

  /// The row with this key.
  func match(_ key: UnsafeRawBufferPointer) -> Match {
    let index = unsafe slotIndex(of: key, hash: KeyHash.hash(key))
    guard slots[index].hash != 0 else { return .none }
    switch slots[index].row {
    case Self.removedRow: return .none
    case Self.ambiguousRow: return .ambiguous
    case let packed: return .row(Row(packed: packed))
    }
  }

  /// Enters a row under its key; a second row under the same key makes the key ambiguous.
  func register(_ row: Row, for key: UnsafeRawBufferPointer) {
    switch unsafe match(key) {
    case .none: unsafe set(row, for: key)
    case .row(let known) where known == row: break
    case .row, .ambiguous: unsafe set(Row(packed: Self.ambiguousRow), for: key)
    }
  }

  /// Sets the row of a key.
  /// - Returns: the row it had before.
  @discardableResult
  func set(_ row: Row, for key: UnsafeRawBufferPointer) -> Row? {
    if (used + 1) * 4 > slots.count * 3 { grow() }
    let hash = unsafe KeyHash.hash(key)
    let index = unsafe slotIndex(of: key, hash: hash)
    if slots[index].hash != 0 {
      let previous = slots[index].row
      slots[index].row = row.packed
      if previous == Self.removedRow {
        count += 1
        return nil
      }
      return Row(packed: previous)
    }
    precondition(arena.count + key.count <= Int(UInt32.max), "natural keys over 4 GiB")
    slots[index] = Slot(hash: hash, row: row.packed, offset: UInt32(arena.count), length: UInt32(key.count))
    unsafe arena.append(contentsOf: key)
    used += 1
    count += 1
    return nil
  }

  /// Forgets a key.
  func remove(_ key: UnsafeRawBufferPointer) {
    let index = unsafe slotIndex(of: key, hash: KeyHash.hash(key))
    guard slots[index].hash != 0, slots[index].row != Self.removedRow else { return }
    slots[index].row = Self.removedRow
    count -= 1
  }

  func removeAll() {
    for index in slots.indices { slots[index].hash = 0 }
    arena.removeAll(keepingCapacity: true)
    used = 0
    count = 0
  }

  /// The slot that holds the key, or the free one where it belongs.
  private func slotIndex(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int {
    var index = Int(truncatingIfNeeded: hash) & mask
    return unsafe slots.withUnsafeBufferPointer { slots in
      unsafe arena.withUnsafeBytes { arena in
        while unsafe slots[index].hash != 0 {
          let slot = unsafe slots[index]
          if slot.hash == hash, Int(slot.length) == key.count,
            unsafe key.elementsEqual(arena[Int(slot.offset)..<Int(slot.offset) + Int(slot.length)])
          {
            break
          }
          index = (index + 1) & mask
        }
        return index
      }
    }
  }

  private func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, row: 0, offset: 0, length: 0), count: old.count * 2)
    mask = slots.count - 1
    for slot in old where slot.hash != 0 {
      var index = Int(truncatingIfNeeded: slot.hash) & mask
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
