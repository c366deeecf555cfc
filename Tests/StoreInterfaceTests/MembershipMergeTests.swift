import TestSupport
import Testing

@testable import StoreInterface

@Suite("Lists of members that two sides changed")
struct MembershipMergeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var before: [Int]
    var mine: [Int]
    var current: [Int]
    var merged: [Int]
    var testDescription: String { "\(before) to \(mine) onto \(current)" }
  }

  @Test(
    "an order that was changed only here is the one that was made here",
    arguments: [
      Case(before: [1, 2], mine: [2, 1], current: [1, 2], merged: [2, 1]),
      Case(before: [1, 2], mine: [1, 9, 2], current: [1, 2], merged: [1, 9, 2]),
      // The other side of the relationship has followed already.
      Case(before: [1, 2], mine: [1, 9, 2], current: [1, 2, 9], merged: [1, 9, 2]),
      Case(before: [1, 2, 3], mine: [1, 9, 3], current: [1, 3, 9], merged: [1, 9, 3]),
      Case(before: [1, 2], mine: [1], current: [1], merged: [1]),
      // Others changed something.
      Case(before: [1, 2], mine: [1, 2, 3], current: [2], merged: [2, 3]),
      Case(before: [1, 2], mine: [1, 2, 3], current: [2, 1], merged: [2, 1, 3]),
      Case(before: [1, 2], mine: [1, 2, 3], current: [4, 1, 2], merged: [4, 1, 2, 3]),
      Case(before: [1, 2], mine: [2, 1], current: [1, 2, 4], merged: [2, 1, 4]),
      Case(before: [1, 2], mine: [2, 1], current: [2], merged: [2]),
      Case(before: [], mine: [1], current: [2], merged: [2, 1]),
    ])
  func ordered(_ example: Case) {
    let merged = MembershipMerge.merged(
      example.mine, from: example.before, onto: example.current, isOrdered: true)
    #expect(merged == example.merged)
  }

  @Test("what one side adds is there and what one side removes is not, each once", arguments: [true, false])
  func random(isOrdered: Bool) {
    var random = SeededGenerator(seed: isOrdered ? 1 : 2)
    func list() -> [Int] { (0..<6).filter { _ in Bool.random(using: &random) }.shuffled(using: &random) }
    for _ in 0..<2_000 {
      let (before, mine, current) = (list(), list(), list())
      let merged = MembershipMerge.merged(mine, from: before, onto: current, isOrdered: isOrdered)
      let added = Set(mine).subtracting(before)
      let removed = Set(before).subtracting(mine)
      #expect(merged.count == Set(merged).count)
      #expect(Set(merged) == Set(current).union(added).subtracting(removed))
    }
  }
}
