/// The order in which Core Data walks the properties of one entity while it resolves relationships.
///
/// Core Data walks a hash dictionary, so names of join columns and the order of order-key columns depend on the
/// buckets of a `CFDictionary` of Mac OS X 10.4 whose keys were inserted in the order of one of 10.5. Both are
/// emulated here, from their published behaviour; nothing else in the layout depends on hashing.
struct LegacyCFDictionaryOrder {
  /// The 10.5 dictionary that the keys are collected in: open addressing with linear probing.
  private var buckets: [[UInt16]?] = Array(repeating: nil, count: 4)
  private var capacity = 3
  private(set) var count = 0

  /// Inserts a key at the end; a key that is there already stays where it is.
  mutating func insert(_ key: String) {
    let units = Array(key.utf16)
    if buckets.contains(where: { $0 == units }) { return }
    if count == capacity { grow() }
    place(units)
    count += 1
  }

  mutating func insert(_ keys: some Sequence<String>) {
    for key in keys { insert(key) }
  }

  /// Keys in bucket order.
  var preOrder: [String] { buckets.compactMap { $0.map { String(decoding: $0, as: UTF16.self) } } }

  /// Names in the bucket order of a dictionary that they were inserted into in the order given.
  static func preOrder(_ names: [String]) -> [String] {
    var dictionary = LegacyCFDictionaryOrder()
    dictionary.insert(names)
    return dictionary.preOrder
  }

  /// Keys in the order of the 10.4 dictionary that is filled from this one.
  var finalOrder: [String] {
    let size = LegacyCFDictionaryOrder.sizes.first { $0.capacity >= count } ?? (count, count * 2 + 1)
    var slots: [[UInt16]?] = Array(repeating: nil, count: size.buckets)
    for case let key? in buckets {
      var slot = Int(LegacyCFDictionaryOrder.hash(key, longestWhole: 23) % UInt32(size.buckets))
      while slots[slot] != nil { slot = (slot + 1) % size.buckets }
      slots[slot] = key
    }
    return slots.compactMap { $0.map { String(decoding: $0, as: UTF16.self) } }
  }

  private mutating func grow() {
    let old = buckets
    capacity = 3 << LegacyCFDictionaryOrder.bitWidth(count / 3)
    buckets = Array(repeating: nil, count: 4 << LegacyCFDictionaryOrder.bitWidth((capacity - 1) / 3))
    for case let key? in old { place(key) }
  }

  private mutating func place(_ key: [UInt16]) {
    let mask = buckets.count - 1
    var slot = Int(LegacyCFDictionaryOrder.mix(LegacyCFDictionaryOrder.hash(key, longestWhole: 96))) & mask
    while buckets[slot] != nil { slot = (slot + 1) & mask }
    buckets[slot] = key
  }

  /// Bits needed to write the number: 0 for 0.
  private static func bitWidth(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }

  /// Capacities and bucket counts of the 10.4 dictionary.
  private static let sizes: [(capacity: Int, buckets: Int)] = [
    (4, 5), (8, 11), (17, 23), (29, 41), (47, 67), (76, 113), (123, 199), (199, 317), (322, 521), (521, 839),
    (843, 1_361), (1_364, 2_207), (2_207, 3_571), (3_571, 5_779), (5_778, 9_349),
  ]

  /// Core Foundation's string hash of the time. Longer strings are hashed in part: 10.4 took the first 8 and the last
  /// 16 units of more than 23, 10.5 the first, middle and last 32 of more than 96.
  static func hash(_ units: [UInt16], longestWhole: Int) -> UInt32 {
    var hash = UInt32(truncatingIfNeeded: units.count)
    func add(_ part: ArraySlice<UInt16>) {
      var position = part.startIndex
      while position + 4 <= part.endIndex {
        hash = hash &* 67_503_105 &+ UInt32(part[position]) &* 16_974_593 &+ UInt32(part[position + 1]) &* 66_049
        hash = hash &+ UInt32(part[position + 2]) &* 257 &+ UInt32(part[position + 3])
        position += 4
      }
      while position < part.endIndex {
        hash = hash &* 257 &+ UInt32(part[position])
        position += 1
      }
    }
    let count = units.count
    if count <= longestWhole {
      add(units[...])
    } else if longestWhole == 23 {
      add(units[..<8])
      add(units[(count - 16)...])
    } else {
      add(units[..<32])
      add(units[(count / 2 - 16)..<(count / 2 + 16)])
      add(units[(count - 32)...])
    }
    return hash &+ (hash << UInt32(count & 31))
  }

  /// Bob Jenkins' 96-bit mix.
  private static func mix(_ hash: UInt32) -> UInt32 {
    var a = 0x4B61_6E65 &+ hash
    var b: UInt32 = 0x4B61_6E65
    var c: UInt32 = 1
    a = (a &- b &- c) ^ (c >> 13)
    b = (b &- c &- a) ^ (a << 8)
    c = (c &- a &- b) ^ (b >> 13)
    a = (a &- b &- c) ^ (c >> 12)
    b = (b &- c &- a) ^ (a << 16)
    c = (c &- a &- b) ^ (b >> 5)
    a = (a &- b &- c) ^ (c >> 3)
    b = (b &- c &- a) ^ (a << 10)
    c = (c &- a &- b) ^ (b >> 15)
    return c
  }
}
