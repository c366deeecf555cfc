import Platform

/// Maps natural keys, as bytes, to rows: open addressing over flat memory, key bytes in one arena.
///
/// 24 bytes a slot at a load of at most 3/4, plus the keys themselves. One thread at a time changes it; several may
/// look keys up while none does.
///
/// An index is always taken `& mask`, which is one less than the slots of the region, and a quarter of them is free, so
/// that every search ends. A used slot's key lies in the first `arenaCount` bytes of the arena. Both regions move when
/// the table grows, so their addresses are taken once for a search and never kept.
@safe final class KeyTable {
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

  private let memory: KeyMemory
  private var slots: KeyMemory.Region
  private var arena: KeyMemory.Region
  /// The number of slots less one, which masks a hash.
  private var mask: Int
  private var used = 0
  private(set) var count = 0
  private var arenaCount = 0

  init(memory: KeyMemory = KeyMemory()) {
    let size = 1024
    self.memory = memory
    slots = memory.region(size * MemoryLayout<Slot>.stride)
    arena = memory.region(1 << 14)
    mask = size - 1
  }

  @unsafe private var slotBase: UnsafeMutablePointer<Slot> { unsafe slots.base.assumingMemoryBound(to: Slot.self) }

  /// The result of looking a key up.
  enum Match: Hashable, Sendable {
    case none
    case row(RowReference)
    /// Several objects have this key, so that none can be chosen.
    case ambiguous
  }

  /// The result of looking a key up.
  func match(_ key: UnsafeRawBufferPointer) -> Match {
    unsafe lookUp { match in unsafe match(key) }
  }

  /// Enters a row under its key; another row under the same key makes the key ambiguous.
  ///
  /// A row that stands alone may be entered again. One of several must not be, if it is to be removed later.
  func register(_ row: RowReference, for key: UnsafeRawBufferPointer) {
    if (used + 1) * 4 > (mask + 1) * 3 { grow() }
    let hash = unsafe Self.slotHash(key)
    let slot = unsafe slotBase + slotIndex(of: key, hash: hash)
    // Safety: `grow` was called before the slot was looked up; `store` moves the arena, not the slots.
    if unsafe slot.pointee.hash == 0 {
      let offset = unsafe store(key)
      unsafe slot.pointee = Slot(
        hash: hash, rowCount: 1, row: row.rawValue, offset: offset, length: UInt32(key.count))
      used += 1
      count += 1
      return
    }
    if unsafe slot.pointee.rowCount == 1 && slot.pointee.row == row.rawValue { return }
    if unsafe slot.pointee.rowCount == 0 { count += 1 }
    unsafe slot.pointee.row ^= row.rawValue
    unsafe slot.pointee.rowCount += 1
  }

  /// Takes a row out again. Where its key had been ambiguous, the one other row may remain.
  func remove(_ row: RowReference, for key: UnsafeRawBufferPointer) {
    let slot = unsafe slotBase + slotIndex(of: key, hash: Self.slotHash(key))
    switch unsafe slot.pointee.rowCount {
    case 0: return
    case 1 where unsafe slot.pointee.row != row.rawValue: return
    case 1: count -= 1
    default: break
    }
    unsafe slot.pointee.row ^= row.rawValue
    unsafe slot.pointee.rowCount -= 1
  }

  /// Takes rows out whose keys are not known. An ambiguous key stays ambiguous. O(slots).
  func removeRows(_ rows: Set<UInt64>) {
    let slots = unsafe slotBase
    for index in 0...mask where unsafe slots[index].rowCount == 1 && rows.contains(slots[index].row) {
      unsafe slots[index].row = 0
      unsafe slots[index].rowCount = 0
      count -= 1
    }
  }

  func removeAll() {
    unsafe slots.base.initializeMemory(as: UInt8.self, repeating: 0, count: slots.count)
    arenaCount = 0
    used = 0
    count = 0
  }

  @inline(__always)
  private static func slotHash(_ key: UnsafeRawBufferPointer) -> UInt32 {
    let hash = unsafe UInt32(truncatingIfNeeded: KeyHash.hash(key))
    return hash == 0 ? 1 : hash
  }

  /// Copies a key into the arena.
  private func store(_ key: UnsafeRawBufferPointer) -> UInt32 {
    precondition(arenaCount + key.count <= Int(UInt32.max), "natural keys over 4 GiB")
    if arenaCount + key.count > arena.count {
      let larger = memory.region(max(arena.count * 2, arenaCount + key.count))
      unsafe larger.base.copyMemory(from: arena.base, byteCount: arenaCount)
      arena = larger
    }
    if let source = key.baseAddress {
      unsafe (arena.base + arenaCount).copyMemory(from: source, byteCount: key.count)
    }
    defer { arenaCount += key.count }
    return UInt32(arenaCount)
  }

  /// The slot that holds the key, or the free one where it belongs.
  private func slotIndex(of key: UnsafeRawBufferPointer, hash: UInt32) -> Int {
    let mask = mask
    let slots = unsafe slotBase
    let arena = unsafe UnsafeRawPointer(arena.base)
    var index = Int(hash) & mask
    while unsafe slots[index].hash != 0 {
      if unsafe slots[index].hash == hash && KeyTable.isKey(key, of: slots[index], arena) { break }
      index = (index + 1) & mask
    }
    return index
  }

  @inline(__always)
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return unsafe areEqual(first, second, count: left.count)
  }

  /// Compares without a call where there are few bytes: by two words that overlap.
  @inline(__always)
  @unsafe private static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    if count > 16 { return unsafe memcmp(left, right, count) == 0 }
    if count >= 8 {
      let last = count &- 8
      return unsafe left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
        && left.loadUnaligned(fromByteOffset: last, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }
    // Safety: `short` reads only within `count` bytes, by loads that overlap.
    return unsafe KeyHash.short(left, count: count) == KeyHash.short(right, count: count)
  }

  @inline(__always)
  private static func isKey(_ key: UnsafeRawBufferPointer, of slot: Slot, _ arena: UnsafeRawPointer) -> Bool {
    guard Int(slot.length) == key.count else { return false }
    guard let bytes = key.baseAddress else { return true }
    return unsafe areEqual(bytes, arena + Int(slot.offset), count: key.count)
  }

  /// Looks up many keys in turn.
  /// - Parameter body: gets a function that looks a key up. It must not be kept, and the table must not change
  ///   meanwhile.
  @inline(__always)
  func lookUp<Result>(_ body: ((UnsafeRawBufferPointer) -> Match) -> Result) -> Result {
    let mask = mask
    let slots = unsafe slotBase
    let arena = unsafe UnsafeRawPointer(arena.base)
    return unsafe body { key in
      let hash = unsafe KeyTable.slotHash(key)
      var index = Int(hash) & mask
      while true {
        let slot = unsafe slots[index]
        if slot.hash == 0 { return .none }
        if unsafe slot.hash == hash && KeyTable.isKey(key, of: slot, arena) {
          switch slot.rowCount {
          case 0: return .none
          case 1: return .row(RowReference(rawValue: slot.row))
          default: return .ambiguous
          }
        }
        index = (index + 1) & mask
      }
    }
  }

  private func grow() {
    let old = slots
    let oldCount = mask + 1
    let larger = memory.region(old.count * 2)
    let source = unsafe old.base.assumingMemoryBound(to: Slot.self)
    let target = unsafe larger.base.assumingMemoryBound(to: Slot.self)
    let newMask = oldCount * 2 - 1
    for index in 0..<oldCount where unsafe source[index].hash != 0 {
      var place = unsafe Int(source[index].hash) & newMask
      while unsafe target[place].hash != 0 { place = (place + 1) & newMask }
      unsafe target[place] = source[index]
    }
    slots = larger
    mask = newMask
  }
}

/// A fast 64-bit hash of key bytes, the same in every process (no random seed), never 0.
enum KeyHash {
  /// The hashes that a list has more than once; the list is sorted.
  static func repeated(in hashes: inout [UInt64]) -> Set<UInt64> {
    hashes.sort()
    var repeated: Set<UInt64> = []
    for (left, right) in zip(hashes, hashes.dropFirst()) where left == right { repeated.insert(left) }
    return repeated
  }

  @inline(__always)
  static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(key.count)
    var offset = 0
    while offset + 8 <= key.count {
      state = unsafe mix(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    if offset < key.count, let base = key.baseAddress {
      state = unsafe mix(state ^ short(base + offset, count: key.count - offset))
    } else {
      state = mix(state)
    }
    return state == 0 ? 1 : state
  }

  /// Up to seven bytes as one word, by loads that overlap. Different bytes of the same count give different words.
  @inline(__always)
  @unsafe static func short(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
    if count >= 4 {
      let first = unsafe bytes.loadUnaligned(as: UInt32.self)
      let last = unsafe bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return UInt64(first) | UInt64(last) &<< 32
    }
    if count == 0 { return 0 }
    let first = unsafe UInt64(bytes.load(as: UInt8.self))
    let middle = unsafe UInt64(bytes.load(fromByteOffset: count &>> 1, as: UInt8.self))
    let last = unsafe UInt64(bytes.load(fromByteOffset: count &- 1, as: UInt8.self))
    return first | middle &<< 8 | last &<< 16
  }

  /// The finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
