/// The positions of an entity's attributes by the names as they lie in memory.
///
/// An open hash table over the two words of a string. Strings with the same words are equal, and equal strings of up to
/// 15 bytes have the same words. Longer equal strings may have different words: a name that is not found here has to be
/// compared by its characters.
struct AttributeNames: Sendable {
  private struct Slot {
    var first: UInt64 = 0
    var second: UInt64 = 0
    /// Negative where there is none.
    var position = -1
  }

  private let slots: [Slot]

  /// - Parameter names: of the attributes, in the order of their positions.
  init(_ names: [String]) {
    var capacity = 8
    while capacity < names.count * 2 { capacity *= 2 }
    var slots = Array(repeating: Slot(), count: capacity)
    for (position, name) in names.enumerated() {
      let (first, second) = Self.words(name)
      var slot = Self.hash(first, second) & (capacity - 1)
      while slots[slot].position >= 0 { slot = (slot + 1) & (capacity - 1) }
      slots[slot] = Slot(first: first, second: second, position: position)
    }
    self.slots = slots
  }

  /// The position of the attribute whose name is this very string.
  @inline(__always) func position(_ name: String) -> Int? {
    let (first, second) = Self.words(name)
    var slot = Self.hash(first, second) & (slots.count - 1)
    // At least half of the slots are empty.
    while slots[slot].position >= 0 {
      if slots[slot].first == first && slots[slot].second == second { return slots[slot].position }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  @inline(__always) private static func words(_ string: String) -> (UInt64, UInt64) {
    // Safety: a string of a 64-bit system has two words, which are compared and nothing else.
    unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
  }

  @inline(__always) private static func hash(_ first: UInt64, _ second: UInt64) -> Int {
    Int(truncatingIfNeeded: ((first ^ second &* 0xD6E8_FEB8_6659_FD93) &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }
}
