import Foundation
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Lists of pairs")
struct PairListTests {
  private static func list(_ pairs: [(Int64, Int64)], _ folder: TemporaryFolder) throws -> PairList {
    let list = PairList(memoryBudget: 1 << 16, temporaryPath: folder.path + "/pairs")
    for (first, second) in pairs { try list.append(first, second) }
    return list
  }

  @Test("pairs come back in their order, equal ones once", arguments: [0, 1, 500, 100_000], [true, false])
  func unique(count: Int, isAscending: Bool) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(count))
    var first: Int64 = 0
    let pairs: [(Int64, Int64)] = (0..<count).map { _ in
      first =
        isAscending
        ? first + (Int.random(in: 0..<5, using: &random) == 0 ? 3 : 0)
        : Int64.random(in: 0...Int64(count / 3), using: &random)
      return (first, Int64.random(in: 0...3, using: &random) * ((1 << 31) - 1) / 3)
    }
    let list = try Self.list(pairs, folder)
    var seen: Set<[Int64]> = []
    let expected = pairs.filter { seen.insert([$0.0, $0.1]).inserted }
    for workers in [1, 3] {
      var found: [(Int64, Int64)] = []
      try list.forEachUnique(workers: workers) { found.append(($0, $1)) }
      #expect(found.count == expected.count)
      let areEqual = zip(found, expected).allSatisfy { $0 == $1 }
      #expect(areEqual)
    }
    #expect(list.greatestSecond == pairs.map(\.1).max() ?? -1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("only numbers of 31 bits are held")
  func range() {
    for (value, isHeld) in [(0, true), (Int64(Int32.max), true), (1 << 31, false), (-1, false), (.min, false)] {
      #expect(PairList.canHold(value) == isHeld)
    }
  }
}
