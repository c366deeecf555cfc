import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// Writes down what it is told.
private final class ChangeLog: FetchedResultsControllerDelegate {
  var lines: [String] = []
  var snapshot: FetchedResultsSnapshot?
  var difference: CollectionDifference<ObjectID>?

  func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    lines.append("will")
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChange section: any FetchedResultsSectionInfo, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) { lines.append("\(type) section \(section.name) \(index)") }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    func text(_ path: IndexPath?) -> String { path.map { "\($0[0]).\($0[1])" } ?? "-" }
    lines.append("\(type) \(text(indexPath)) \(text(newIndexPath))")
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    lines.append("did")
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) { self.snapshot = snapshot }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) { self.difference = difference }

  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

@Suite("Fetched results controllers")
struct FetchedResultsControllerTests {
  @Test("a delegate that is set later is told what changes from then on", arguments: StoreKind.allCases)
  func laterDelegate(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let controller = school.controller(context)
      try controller.performFetch()
      school.addPupil(context, "Ada")
      context.processPendingChanges()
      let ids = try #require(controller.fetchedObjects).map(\.objectID)
      let log = ChangeLog()
      controller.delegate = log
      let bob = school.addPupil(context, "Bob")
      context.processPendingChanges()
      #expect(ids.count == 1 && log.difference.flatMap { ids.applying($0) } == ids + [bob.objectID])
    }
  }

  @Test("objects are found by section and item, and the other way round", arguments: StoreKind.allCases)
  func sections(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for (name, grade) in [("Eva", 2), ("Ada", 1), ("Bob", 1), ("Cid", 3)] {
        school.addPupil(context, name, grade: Int64(grade))
      }
      try context.save()
      let results = school.controller(context)
      #expect(results.fetchedObjects == nil)
      try results.performFetch()
      #expect(results.sections?.map(\.name) == ["1", "2", "3"])
      #expect(results.sections?.map(\.numberOfObjects) == [2, 1, 1])
      #expect(results.sectionIndexTitles == ["1", "2", "3"])
      let bob = results.object(at: [0, 1])
      #expect(bob["name"] == .string("Bob"))
      #expect(results.indexPath(forObject: bob) == [0, 1])
      #expect(results.section(forSectionIndexTitle: "3", at: 2) == 2)
      #expect(results.fetchedObjects?.count == 4)
    }
  }

  @Test("ids that become permanent are told at once", arguments: StoreKind.allCases)
  func permanentIDs(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let results = school.controller(context)
      let log = ChangeLog()
      results.delegate = log
      try results.performFetch()
      let ada = school.addPupil(context, "Ada")
      let bob = school.addPupil(context, "Bob")
      context.processPendingChanges()
      #expect(log.snapshot?.objectIDs == [ada.objectID, bob.objectID] && ada.objectID.isTemporary)
      try context.obtainPermanentIDs(for: [bob])
      #expect(log.snapshot?.objectIDs == [ada.objectID, bob.objectID] && !bob.objectID.isTemporary)
      _ = log.take()
      let before = [ada.objectID, bob.objectID]
      try context.save()
      #expect(log.snapshot?.objectIDs == [ada.objectID, bob.objectID] && !ada.objectID.isTemporary)
      // Nothing else has changed.
      #expect(log.take().isEmpty)
      #expect(log.difference.flatMap { before.applying($0) } == [ada.objectID, bob.objectID])
    }
  }

  @Test("every change is told: sections, then deletes, inserts, moves and updates", arguments: StoreKind.allCases)
  func changes(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let names = ["Ada", "Bob", "Cid", "Dan", "Eva"]
      let pupils = names.map { school.addPupil(context, $0, grade: 1) }
      try context.save()
      let results = school.controller(context)
      let log = ChangeLog()
      results.delegate = log
      try results.performFetch()

      pupils[1]["age"] = .integer(9)
      context.processPendingChanges()
      #expect(log.take() == ["will", "update 0.1 0.1", "did"])

      pupils[0]["name"] = .string("Zoe")
      context.processPendingChanges()
      #expect(log.take() == ["will", "move 0.0 0.4", "did"])

      context.delete(pupils[2])
      school.addPupil(context, "Fay", grade: 2)
      pupils[3]["grade"] = .integer(3)
      context.processPendingChanges()
      // Before: Bob Cid Dan Eva Zoe. After: Bob Eva Zoe, Fay, Dan.
      #expect(
        log.take() == [
          "will", "insert section 2 1", "insert section 3 2", "delete 0.1 -", "insert - 1.0", "move 0.2 2.0", "did",
        ])
      #expect(log.snapshot?.sections.map(\.name) == ["1", "2", "3"])
      #expect(log.snapshot == results.snapshot)
      #expect(log.difference?.removals.count == 2)

      try context.save()
      log.lines = []
      #expect(results.indexPath(forObject: pupils[3]) == [2, 0])
      #expect(results.snapshot?.objectIDs.allSatisfy { !$0.isTemporary } == true)

      context.delete(pupils[3])
      context.processPendingChanges()
      #expect(log.take() == ["will", "delete section 3 2", "delete 2.0 -", "did"])

      // What does not touch the results is not told.
      _ = school.addCourse(context, 4)
      context.processPendingChanges()
      #expect(log.take().isEmpty)
    }
  }

  @Test("sections that the order of the request tears apart are refused, and so is a request without an order")
  func refusals() throws {
    let school = try School(.inMemory)
    try school.work { context in
      for (name, grade) in [("Ada", 1), ("Bob", 2), ("Cid", 1)] { school.addPupil(context, name, grade: Int64(grade)) }
      try context.save()
      let results = school.controller(context)
      results.fetchRequest.sortDescriptors = [.init(["name"])]
      #expect { try results.performFetch() } throws: { "\($0)".contains("sorts by name first") }
      results.fetchRequest.sortDescriptors = []
      #expect(throws: FetchedResultsError.self) { try results.performFetch() }
      #expect(results.sections == nil)
    }
  }

  @Test("sections of objects that are older than their rows are not kept")
  func staleSections() throws {
    let folder = try TemporaryFolder()
    let school = try School(.sqlite)
    @Sendable func names(_ context: ManagedObjectContext) throws -> [String] {
      let results = school.controller(context, cache: "stale")
      results.cacheDirectory = URL(filePath: folder.path)
      try results.performFetch()
      return results.sections?.map(\.name) ?? []
    }
    try school.work { context in
      let ada = school.addPupil(context, "Ada", grade: 1)
      try context.save()
      let id = ada.objectID
      try school.work { other in
        try other.existingObject(with: id)["grade"] = .integer(4)
        try other.save()
      }
      // The object does not know yet, the row does.
      #expect(try names(context) == ["4"] && ada["grade"] == .integer(1))
      try school.work { (fresh) throws in #expect(try names(fresh) == ["4"]) }
      withExtendedLifetime(ada) {}
    }
  }

  final class FailureNote: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject
    var failures = 0
    func controller(_ controller: FetchedResultsController<any FetchRequestResult>, didFailWith error: any Error) {
      failures += 1
    }
  }

  @Test("a delegate is told when the results cannot follow a change")
  func failure() throws {
    let school = try School(.inMemory)
    try school.work { context in
      for (name, grade) in [("Ada", 1), ("Bob", 2)] { school.addPupil(context, name, grade: Int64(grade)) }
      try context.save()
      let results = school.controller(context)
      results.fetchRequest.sortDescriptors = [.init(["name"])]
      let note = FailureNote()
      results.delegate = note
      try results.performFetch()
      school.addPupil(context, "Cid", grade: 1)
      context.processPendingChanges()
      #expect(note.failures == 1 && results.error != nil && results.fetchedObjects?.count == 2)
    }
  }

  @Test("sections are kept on disk, and made anew when the request or the store's file changed")
  func cache() throws {
    let folder = try TemporaryFolder()
    let directory = URL(filePath: folder.path).appending(path: "sections")
    let school = try School(.sqlite)
    @Sendable func sectionCounts(_ context: ManagedObjectContext, grade: Int64? = nil) throws -> [Int] {
      let results = school.controller(context, cache: "by grade/1")
      results.cacheDirectory = directory
      if let grade { results.fetchRequest.predicate = .comparison(["grade"], .equal, .integer(grade)) }
      try results.performFetch()
      return results.sections?.map(\.numberOfObjects) ?? []
    }
    @Sendable func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] }
    try school.work { context in
      for (name, grade) in [("Ada", 1), ("Bob", 2), ("Cid", 2)] { school.addPupil(context, name, grade: Int64(grade)) }
      try context.save()
      #expect(try sectionCounts(context) == [1, 2])
      #expect(files().count == 1)
      // A forged cache of the same request shows that it is used, and that other requests and states throw it away.
      let file = directory.appending(path: try #require(files().first))
      let forged = try String(decoding: Data(contentsOf: file), as: UTF8.self)
        .replacing("\"counts\":[1,2]", with: "\"counts\":[2,1]")
      try Data(forged.utf8).write(to: file)
      #expect(try sectionCounts(context) == [2, 1])
      #expect(try sectionCounts(context, grade: 2) == [2])
      #expect(try sectionCounts(context) == [1, 2])
      try Data(forged.utf8).write(to: file)
      school.addPupil(context, "Dan", grade: 3)
      try context.save()
      #expect(try sectionCounts(context) == [1, 2, 1])
      try Data("{".utf8).write(to: file)
      #expect(try sectionCounts(context) == [1, 2, 1])
      FetchedResultsController<ManagedObject>.deleteCache(withName: "by grade/1", in: directory)
      #expect(files().isEmpty)
    }
  }
}

extension School {
  /// The pupils by grade and name.
  func controller(
    _ context: ManagedObjectContext, cache: String? = nil
  ) -> FetchedResultsController<ManagedObject> {
    var request = FetchSpecification(pupil)
    request.sortDescriptors = [.init(["grade"]), .init(["name"])]
    return FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "grade", cacheName: cache)
  }
}
