import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("Block predicates")
struct BlockPredicateTests {
  /// A predicate with blocks, and one that says the same without.
  struct Twins: Sendable, CustomTestStringConvertible {
    let block: FetchPredicate
    let plain: FetchPredicate
    var testDescription: String { "\(block)" }

    init(_ plain: String, _ block: FetchPredicate) {
      self.block = block
      self.plain = FetchPredicate(format: plain)
    }
  }

  private static func grade(_ holds: @escaping @Sendable (Int64) -> Bool) -> FetchPredicate {
    FetchPredicate(block: { object, _ in
      guard let grade: Int64 = (object as? ManagedObject)?["grade"] else { return false }
      return holds(grade)
    })
  }

  static let twins = [
    Twins("grade < 3", grade { $0 < 3 }),
    Twins("NOT (grade < 3)", .not(grade { $0 < 3 })),
    Twins("age == 7 AND grade > 1", .and([.comparison(["age"], .equal, .integer(7)), grade { $0 > 1 }])),
    Twins(
      "name BEGINSWITH 'A' OR grade == 2", .or([FetchPredicate(format: "name BEGINSWITH 'A'"), grade { $0 == 2 }])),
    Twins(
      "grade IN {1, 3} AND NOT age == 7",
      .and([.and([grade { $0 == 1 || $0 == 3 }, .not(FetchPredicate(format: "age == 7"))])])),
  ]

  /// Pupils, some saved, some new, changed or deleted.
  private func populate(_ school: School, _ context: ManagedObjectContext, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<30 {
      let pupil = school.addPupil(
        context, "\(["A", "B"][number % 2]) \(number)", grade: .random(in: 0..<5, using: &random))
      pupil["age"] = .integer(.random(in: 5..<9, using: &random))
      if number == 19 { try context.save() }
    }
    for pupil in try context.fetch(school.all(school.pupil, by: "name")) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: pupil["grade"] = .integer(.random(in: 0..<5, using: &random))
      case 1: context.delete(pupil)
      default: break
      }
    }
  }

  @Test("objects, ids and counts are those of the same condition without a block", arguments: twins, [true, false])
  func sameAsPlain(twins: Twins, isSaved: Bool) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let school = try School(.inMemory)
      try school.work { context in
        try populate(school, context, seed: seed)
        if isSaved { try context.save() }
        var plain = school.all(school.pupil, where: twins.plain, by: "name")
        #expect(try !context.fetch(plain).isEmpty)
        for (offset, limit) in [(0, 0), (1, 3), (2, 0), (100, 1)] {
          (plain.fetchOffset, plain.fetchLimit) = (offset, limit)
          var block = plain
          block.predicate = twins.block
          #expect(try context.fetch(block) == context.fetch(plain))
          #expect(try context.objectIDs(block) == context.objectIDs(plain))
          #expect(try context.count(block) == context.count(plain))
          let requests = (plain: plain, block: block)
          let child = ManagedObjectContext(parent: context, name: "child")
          try child.performAndWait {
            let (found, expected) = (try child.objectIDs(requests.block), try child.objectIDs(requests.plain))
            #expect(found == expected)
          }
        }
      }
    }
  }

  @Test("an asynchronous fetch asks the block too")
  func asynchronous() async throws {
    let school = try School(.inMemory)
    let context = school.container.newBackgroundContext()
    try await context.perform { try populate(school, context, seed: 7) }
    for twins in Self.twins {
      let names = try await context.fetch {
        let request = FetchRequest<ManagedObject>(entityName: "Pupil")
        request.predicate = twins.block
        request.sortDescriptors = [FetchSortDescriptor(key: "name")]
        return request
      } _: { found in
        found.map { $0["name"]?.string }
      }
      let expected = try await context.perform {
        try context.fetch(school.all(school.pupil, where: twins.plain, by: "name")).map { $0["name"]?.string }
      }
      #expect(names == expected && !names.isEmpty)
    }
  }

  @Test("fetched results follow a block")
  func fetchedResults() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let request = school.all(school.pupil, where: Self.grade { $0 > 2 }, by: "name")
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: FetchRequest(request), managedObjectContext: context)
      let log = Log()
      controller.delegate = log
      try controller.performFetch()
      let pupil = school.addPupil(context, "Ada", grade: 1)
      context.processPendingChanges()
      #expect(controller.fetchedObjects == [])
      pupil["grade"] = 3
      context.processPendingChanges()
      #expect(controller.fetchedObjects == [pupil] && log.inserted == 1)
      try context.save()
      pupil["grade"] = 2
      try context.save()
      #expect(controller.fetchedObjects == [])
    }
  }

  private final class Log: FetchedResultsControllerDelegate {
    var inserted = 0

    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { if type == .insert { inserted += 1 } }
  }

  @Test("a SQLite store refuses a block and says what to do")
  func refusal() throws {
    let school = try School(.sqlite)
    try school.work { context in
      school.addPupil(context, "Ada")
      try context.save()
      let request = school.all(school.pupil, where: .and([.all, Self.grade { $0 > 0 }]))
      for attempt in [
        { _ = try context.fetch(request) }, { _ = try context.count(request) }, { _ = try context.objectIDs(request) },
      ] {
        let error = #expect(throws: StoreError.self) { try attempt() }
        #expect(error?.description.contains("filter the objects") == true)
      }
      let direct = #expect(throws: StoreError.self) { try school.store.snapshots(request) }
      #expect(direct?.description.contains("no store can look into a block predicate") == true)
    }
  }

  @Test("dictionaries are refused: no object stands for their rows")
  func dictionaries() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let request = school.all(school.pupil, where: Self.grade { _ in true })
      #expect(throws: StoreError.self) { try context.dictionaries(request) }
    }
  }

  @Test("equal is the same block; it prints as Core Data's")
  func identity() {
    let block = Self.grade { _ in true }
    let copy = block
    #expect(block == copy && block != Self.grade { _ in true })
    #expect(
      FetchPredicate.and([block, FetchPredicate(format: "grade > 1")]).predicateFormat == "BLOCKPREDICATE AND grade > 1"
    )
  }
}
