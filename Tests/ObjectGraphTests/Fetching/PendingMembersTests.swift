import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Testing

@Suite("Fetches while members are pending")
struct PendingMembersTests {
  /// Two courses and a pupil of the first, saved; then the pupil goes to the second, whose list is loaded or not.
  private func moved(
    _ school: School, _ context: ManagedObjectContext, loadsLists: Bool
  ) throws -> (from: ManagedObject, to: ManagedObject, pupil: ManagedObject) {
    let courses = [1, 2].map { school.addCourse(context, $0) }
    let pupil = school.addPupil(context, "Ada", grade: 4)
    pupil.setObject(courses[0], for: "course")
    try context.save()
    context.reset()
    let found = try context.fetch(school.all(school.course, by: "code"))
    if loadsLists { for course in found { _ = try course.objects(for: "pupils") } }
    let ada = try #require(try context.fetch(school.all(school.pupil)).first)
    ada.setObject(found[1], for: "course")
    return (found[0], found[1], ada)
  }

  @Test(
    "an owner is judged by the members that it has here, loaded or not", arguments: StoreKind.allCases, [false, true])
  func owners(kind: StoreKind, loadsLists: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      let (from, to, pupil) = try moved(school, context, loadsLists: loadsLists)
      let cases: [(String, [ManagedObject])] = [
        ("pupils.@count == 1", [to]), ("pupils.@count == 0", [from]), ("ANY pupils.name == 'Ada'", [to]),
        ("SUBQUERY(pupils, $p, $p.grade > 3).@count > 0 AND code == 2", [to]), ("NONE pupils.grade == 4", [from]),
        ("code > 0", [from, to]),
      ]
      for (format, expected) in cases {
        var request = school.all(school.course, where: try FetchPredicate(parsing: format))
        #expect(try context.fetch(request) == expected, "\(format)")
        #expect(try context.count(request) == expected.count, "\(format)")
        #expect(try context.objectIDs(request) == expected.map(\.objectID), "\(format)")
        request.includesPendingChanges = false
        let stored = format == "code > 0" ? 2 : format.contains("code == 2") ? 0 : 1
        #expect(try context.count(request) == stored, "\(format)")
      }
      context.delete(pupil)
      context.processPendingChanges()
      let request = school.all(school.course, where: try FetchPredicate(parsing: "ANY pupils.grade == 4"))
      #expect(try context.fetch(request) == [])
      try context.save()
      #expect(try context.fetch(request) == [])
      #expect(
        try context.count(school.all(school.course, where: try FetchPredicate(parsing: "pupils.@count == 0"))) == 2)
    }
  }

  @Test("a controller follows what its predicate asks of members", arguments: StoreKind.allCases)
  func controller(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (from, to, pupil) = try moved(school, context, loadsLists: false)
      var request = school.all(school.course, where: try FetchPredicate(parsing: "ANY pupils.grade == 4"), by: "code")
      request.fetchBatchSize = 0
      let controller = FetchedResultsController<ManagedObject>(fetchRequest: request, managedObjectContext: context)
      let table = Count()
      controller.delegate = table
      try controller.performFetch()
      #expect(controller.fetchedObjects == [to] && table.snapshots == 1)
      pupil.setObject(from, for: "course")
      context.processPendingChanges()
      #expect(controller.fetchedObjects == [from] && table.snapshots == 2)
      pupil["grade"] = .integer(1)
      context.processPendingChanges()
      #expect(controller.fetchedObjects == [] && table.snapshots == 3)
      try context.save()
      try controller.performFetch()
      #expect(controller.fetchedObjects == [] && table.snapshots == 4)
    }
  }

  private final class Count: FetchedResultsControllerDelegate {
    var snapshots = 0
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>,
      didChangeContentWith snapshot: FetchedResultsSnapshot
    ) { snapshots += 1 }
  }
}
