import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("Result types")
struct ResultTypeTests {
  @Test("ids and counts include pending changes, dictionaries never do", arguments: StoreKind.allCases)
  func pendingChanges(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for (name, grade) in [("Ada", Int64(1)), ("Bob", 1), ("Cyd", 2)] { school.addPupil(context, name, grade: grade) }
      try context.save()
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      context.delete(pupils[0])
      pupils[2]["grade"] = .integer(1)
      let eve = school.addPupil(context, "Aaa", grade: 1)
      var request = school.all(school.pupil, where: .comparison(["grade"], .equal, .integer(1)), by: "name")
      let child = ManagedObjectContext(parent: context, name: "child")
      let inChild = request
      let (ids, count) = try child.performAndWait { (try child.objectIDs(inChild), try child.count(inChild)) }
      #expect(try context.objectIDs(request) == [eve, pupils[1], pupils[2]].map(\.objectID))
      #expect(ids == [eve, pupils[1], pupils[2]].map(\.objectID) && count == 3)
      #expect(try context.count(request) == 3)
      let names = [["name": ExpressionValue.value(.string("Ada"))], ["name": .value(.string("Bob"))]]
      request.propertiesToFetch = [FetchedExpression(keyPath: ["name"])]
      #expect(try context.dictionaries(request) == names)
      request.includesPendingChanges = false
      #expect(try context.objectIDs(request) == [pupils[0], pupils[1]].map(\.objectID))
      #expect(try context.count(request) == 2)
      #expect(try context.dictionaries(request) == names)
      // The parent's pending changes are what a child's store has.
      let without = request
      let below = try child.performAndWait { (try child.objectIDs(without), try child.count(without)) }
      #expect(below.0 == ids && below.1 == 3)
    }
  }

  @Test(
    "random pending changes: ids and counts are those of the fetched objects", arguments: StoreKind.allCases,
    UInt64(1)...6)
  func random(kind: StoreKind, seed: UInt64) throws {
    let school = try School(kind)
    try school.work { root in
      var random = SeededGenerator(seed: seed)
      func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
      func change(_ context: ManagedObjectContext) throws {
        for pupil in try context.fetch(school.all(school.pupil, by: "name")) {
          switch below(6) {
          case 0: context.delete(pupil)
          case 1: pupil["age"] = .integer(Int64(below(4)))
          default: break
          }
        }
        for _ in 0..<4 { school.addPupil(context, "Eve \(below(1_000))")["age"] = .integer(Int64(below(4))) }
        // One whose place is fixed before it is saved.
        try context.obtainPermanentIDs(for: [school.addPupil(context, "Fay")])
      }
      for number in 0..<20 { school.addPupil(root, "Ada \(number)")["age"] = .integer(Int64(below(4))) }
      try root.save()
      try change(root)
      let child = ManagedObjectContext(parent: root, name: "child")
      try child.performAndWait { try change(child) }
      for context in [root, child] {
        try context.performAndWait {
          for _ in 0..<40 {
            let condition: FetchPredicate =
              below(4) == 0 ? .all : .comparison(["age"], .lessOrEqual, .integer(Int64(below(4))))
            var request = school.all(below(2) == 0 ? school.person : school.pupil, where: condition)
            if below(3) == 0 { request.sortDescriptors = [.init(["age"], ascending: below(2) == 0)] }
            request.fetchOffset = below(3) * below(20)
            request.fetchLimit = below(2) * below(20)
            request.includesSubentities = below(5) > 0
            let expected = try context.fetch(request).map(\.objectID)
            #expect(try context.objectIDs(request) == expected)
            #expect(try context.count(request) == expected.count)
          }
        }
      }
    }
  }

  @Test("counting makes no objects, whatever is pending", arguments: StoreKind.allCases)
  func counting(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for number in 0..<50 { school.addPupil(context, "Ada \(number)") }
      try context.save()
      context.reset()
      school.addPupil(context, "Eve")
      #expect(try context.count(school.all(school.pupil)) == 51)
      #expect(try context.objectIDs(school.all(school.pupil)).count == 51)
      #expect(context.registeredObjects.count == 1)
    }
  }
}
