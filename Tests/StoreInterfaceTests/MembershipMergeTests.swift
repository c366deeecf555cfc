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
      // A member that was added here has a place, and others changed something.
      Case(before: [1, 2], mine: [9, 1, 2], current: [1, 2, 4], merged: [9, 1, 2, 4]),
      Case(before: [1, 2], mine: [9, 1, 2], current: [2, 1], merged: [9, 2, 1]),
      Case(before: [1, 2], mine: [1, 9, 2], current: [4, 1, 5, 2], merged: [4, 1, 9, 5, 2]),
      Case(before: [1, 2, 3], mine: [1, 8, 9, 2, 3], current: [2, 3], merged: [8, 9, 2, 3]),
      Case(before: [1, 2, 3], mine: [1, 2, 9, 3], current: [1, 3, 4], merged: [1, 9, 3, 4]),
      Case(before: [1, 2, 3], mine: [9, 2, 3, 8], current: [1, 2, 3, 4], merged: [9, 2, 3, 4, 8]),
      // Both sides made an order.
      Case(before: [1, 2, 3], mine: [3, 2, 1], current: [2, 1, 3, 4], merged: [3, 2, 1, 4]),
    ])
  func ordered(_ example: Case) {
    let merged = MembershipMerge.merged(
      example.mine, from: example.before, onto: example.current, isOrdered: true)
    #expect(merged == example.merged)
  }

  @Test(
    "where the stored order is to win it does, if others made one",
    arguments: [
      Case(before: [1, 2, 3], mine: [3, 2, 1], current: [2, 1, 3], merged: [2, 1, 3]),
      Case(before: [1, 2, 3], mine: [9, 3, 2, 1], current: [2, 1, 3, 4], merged: [9, 2, 1, 3, 4]),
      Case(before: [1, 2, 3], mine: [3, 2], current: [3, 2, 1], merged: [3, 2]),
      // They made none of those that stay.
      Case(before: [1, 2, 3], mine: [3, 1], current: [2, 1, 3], merged: [3, 1]),
      Case(before: [1, 2, 3], mine: [3, 2, 1], current: [1, 2, 3, 4], merged: [3, 2, 1, 4]),
    ])
  func storedOrder(_ example: Case) {
    let merged = MembershipMerge.merged(
      example.mine, from: example.before, onto: example.current, isOrdered: true, currentOrderWins: true)
    #expect(merged == example.merged)
  }

  @Test("two orders are told apart from additions and removals")
  func arrangedTwice() {
    func isArrangedTwice(_ mine: [Int], _ current: [Int]) -> Bool {
      MembershipMerge.isArrangedTwice(mine, from: [1, 2, 3], onto: current)
    }
    #expect(isArrangedTwice([3, 2, 1], [2, 1, 3]) && isArrangedTwice([2, 1, 3, 9], [1, 3, 2, 4]))
    #expect(!isArrangedTwice([3, 2, 1], [3, 2, 1]) && !isArrangedTwice([2, 1], [2, 1, 3]))
    #expect(!isArrangedTwice([9, 1, 2, 3], [2, 1, 3]) && !isArrangedTwice([3, 2, 1], [1, 3, 4]))
  }

  @Test("what one side adds is there and what one side removes is not, each once", arguments: [true, false])
  func random(isOrdered: Bool) {
    var random = SeededGenerator(seed: isOrdered ? 1 : 2)
    func list() -> [Int] { (0..<6).filter { _ in Bool.random(using: &random) }.shuffled(using: &random) }
    for _ in 0..<2_000 {
      let (before, mine, current) = (list(), list(), list())
      let merged = MembershipMerge.merged(
        mine, from: before, onto: current, isOrdered: isOrdered, currentOrderWins: Bool.random(using: &random))
      let added = Set(mine).subtracting(before)
      let removed = Set(before).subtracting(mine)
      #expect(merged.count == Set(merged).count)
      #expect(Set(merged) == Set(current).union(added).subtracting(removed))
    }
  }
}
