import TestSupport
import Testing

@testable import ImportEngine

@Suite("Sets of rows, 64 to a word")
struct RootRowsTests {
  @Test(
    "They have what a set of numbers has, near each other and far apart",
    arguments: RandomSeeds.parts("SEEDBED_ROW_SETS", count: 40, size: 10))
  func sameAsSets(_ seeds: ClosedRange<UInt64>) {
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      // Some hundred keys of three entities, or keys up to the greatest one.
      let bound: Int64 = seed.isMultiple(of: 2) ? 200 : RowReference.greatestPrimaryKey
      func row() -> UInt64 {
        RowReference(
          primaryKey: Int64.random(in: 1...bound, using: &random), entityIndex: Int.random(in: 0..<3, using: &random)
        ).rawValue
      }
      var rows: [(RootRows, Set<UInt64>)] = [(RootRows(), []), (RootRows(), [])]
      for _ in 0..<300 {
        let place = Int.random(in: 0..<2, using: &random)
        let row = row()
        #expect(rows[place].0.insert(row) == rows[place].1.insert(row).inserted, "seed \(seed)")
      }
      let rest = rows[0].0.subtracting(rows[1].0)
      let expected = rows[0].1.subtracting(rows[1].1)
      #expect(rest.isEmpty == expected.isEmpty)
      for row in rows[0].1.union(rows[1].1) {
        #expect(rest.contains(row) == expected.contains(row), "seed \(seed)")
        #expect(rows[0].0.contains(row) == rows[0].1.contains(row), "seed \(seed)")
      }
      #expect(rows[0].0.subtracting(rows[0].0) == RootRows())
    }
  }
}
