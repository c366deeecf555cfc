import TestSupport
import Testing

@testable import CoreDataLayout

@Suite("order keys")
struct OrderKeyTests {
  @Test(
    "members keep their keys where they can",
    arguments: [
      ([], []), ([nil, nil, nil], [2048, 3072, 4096]), ([2048, 3072], [2048, 3072]), ([2048, nil], [2048, 3072]),
      ([5000, nil, nil], [5000, 6024, 7048]), ([nil, 2048], [1024, 2048]), ([2048, nil, 3072], [2048, 2560, 3072]),
      ([2048, nil, nil, nil, 3072], [2048, 2304, 2560, 2816, 3072]),
      // One of two that change places gets another key.
      ([3072, 2048, 4096], [1024, 2048, 4096]),
      ([2048, 5120, 3072, 4096], [2048, 2560, 3072, 4096]),
      // No room: all keys are new.
      ([7, nil, 8], [2048, 3072, 4096]), ([nil, 1], [2048, 3072]), ([Int64(Int32.max), nil], [2048, 3072]),
      // Equal keys, and keys that Core Data never gives.
      ([2048, 2048], [1024, 2048]), ([0, -5, 2048], [682, 1364, 2048]), ([Int64.max, nil], [2048, 3072]),
    ] as [([Int64?], [Int64])])
  func keys(present: [Int64?], expected: [Int64]) {
    #expect(OrderKey.keys(keeping: present) == expected)
  }

  @Test("the keys rise, and no more of them change than must", arguments: 0..<200 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let present = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
      Int.random(in: 0..<4, using: &random) == 0 ? nil : Int64.random(in: 1...12, using: &random) * 1024
    }
    let keys = OrderKey.keys(keeping: present)
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 } && keys.allSatisfy { $0 > 0 })
    // The slow twin: of all subsets of present keys that rise, the largest.
    var largest = 0
    for subset in 0..<(1 << present.count) {
      let kept = present.indices.filter { subset >> $0 & 1 == 1 }.map { present[$0] }
      let values = kept.compactMap(\.self)
      if values.count == kept.count, zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) {
        largest = max(largest, values.count)
      }
    }
    #expect(zip(present, keys).filter { $0 == $1 }.count >= largest)
  }
}
