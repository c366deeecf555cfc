import TestSupport

/// Damages inputs, the same way for the same seed.
struct Mutator {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Numbers at which counts, lengths and offsets go wrong.
  private static let edges: [UInt8] = [0, 1, 2, 0x0F, 0x10, 0x7F, 0x80, 0xFE, 0xFF]

  /// One to eight changes of an input.
  /// - Parameter others: inputs to take pieces from.
  mutating func mutate(_ input: [UInt8], others: [[UInt8]]) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      guard !bytes.isEmpty else { return bytes }
      let position = place(in: bytes)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 2, 3: bytes[position] = Self.edges.randomElement(using: &generator) ?? 0
      case 4:
        // A whole number of 2, 4 or 8 bytes.
        let edge = Self.edges.randomElement(using: &generator) ?? 0
        let count = [2, 4, 8].randomElement(using: &generator) ?? 2
        for index in position..<min(position + count, bytes.count) { bytes[index] = edge }
      case 5: bytes.removeSubrange(position..<min(position + length(), bytes.count))
      case 6: bytes.insert(contentsOf: bytes[position..<min(position + length(), bytes.count)], at: position)
      case 7: bytes.removeSubrange(position...)
      case 8:
        let other = others.randomElement(using: &generator) ?? input
        guard !other.isEmpty else { continue }
        let start = Int.random(in: 0..<other.count, using: &generator)
        let piece = other[start..<min(start + length(), other.count)]
        let end = min(position + piece.count, bytes.count)
        bytes.replaceSubrange(position..<end, with: piece)
      default:
        let target = place(in: bytes)
        bytes.swapAt(position, target)
      }
    }
    return bytes
  }

  /// Mostly anywhere, often near the ends, where headers and trailers are.
  private mutating func place(in bytes: [UInt8]) -> Int {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: Int.random(in: 0..<min(128, bytes.count), using: &generator)
    case 1: bytes.count - 1 - Int.random(in: 0..<min(64, bytes.count), using: &generator)
    default: Int.random(in: 0..<bytes.count, using: &generator)
    }
  }

  private mutating func length() -> Int { 1 << Int.random(in: 0..<10, using: &generator) }
}
