import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@testable import ObjectGraph

/// Writes down what a controller tells.
private final class CallLog: FetchedResultsControllerDelegate {
  var calls: [String] = []
  var ids: [ObjectID] = []

  func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    calls.append("will change")
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange section: any FetchedResultsSectionInfo,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) {
    calls.append(
      "\(type) section \(section.name) at \(index): \((section.objects as? [ManagedObject])?.map(\.objectID) ?? [])")
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    calls.append(
      "\(type) \((anObject as? ManagedObject)?.objectID.description ?? "nothing") from \(indexPath ?? []) to \(newIndexPath ?? [])"
    )
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    calls.append("did change")
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) { calls.append("\(snapshot.sections.map { "\($0.name): \($0.objectIDs)" })") }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    if let changed = ids.applying(difference) { ids = changed } else { calls.append("the difference does not fit") }
  }
}

@Suite("Fetched results that follow changes")
struct FollowedResultsTests {
  /// What is fetched.
  struct Watch: Sendable, CustomTestStringConvertible {
    var predicate = ""
    var sorts: [FetchSortDescriptor]
    var section: String?
    var testDescription: String { "\(predicate), by \(sorts.map(\.keyPath)), in \(section ?? "one section")" }
  }

  static let watches: [Watch] = [
    Watch(predicate: "grade < 5", sorts: [.init(["grade"]), .init(["name"])], section: "grade"),
    Watch(
      sorts: [.init(["grade"], ascending: false), .init(["name"], comparison: .localizedStandard)], section: "grade"),
    Watch(predicate: "name CONTAINS '1' OR grade == 3", sorts: [.init(["name"])]),
    Watch(predicate: "age != nil", sorts: [.init(["age"])], section: "age"),
    Watch(sorts: [.init(["age"]), .init(["height"], ascending: false)]),
    Watch(predicate: "grade > 2 AND age < 5", sorts: [.init(["grade"])]),
    Watch(sorts: [.init(["course", "title"]), .init(["name"])], section: "course.title"),
    Watch(predicate: "grade < 5", sorts: [.init(["course", "code"], ascending: false), .init(["grade"])]),
    Watch(sorts: [.init(["grade"]), .init(["locker", "number"])], section: "grade"),
  ]

  @Test("tell what they would tell if they were fetched anew", arguments: watches, UInt64(0)..<12)
  func twin(watch: Watch, seed: UInt64) throws {
    let school = try School(seed % 2 == 0 ? .inMemory : .sqlite)
    // With the parent's queue held, no merge has to wait for it.
    try school.work { parent in
      if seed < 6 {
        return try compare(watch, seed, school, parent, school.container.newBackgroundContext(name: "other"))
      }
      try setUp(school, parent)
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        try compare(watch, seed, school, child, ManagedObjectContext(parent: parent, name: "other"))
      }
    }
  }

  /// Courses and lockers, to which pupils lead.
  private func setUp(_ school: School, _ context: ManagedObjectContext) throws {
    for number in Int64(0)..<4 {
      school.addCourse(context, number)["title"] = .string("Course \(number % 3)")
      context.insert(school.locker)["number"] = .integer(number % 3)
    }
    try context.save()
  }

  private func compare(
    _ watch: Watch, _ seed: UInt64, _ school: School, _ context: ManagedObjectContext, _ other: ManagedObjectContext
  ) throws {
    if context.parent == nil { try setUp(school, context) }
    context.mergePolicy = .mergeByPropertyObjectTrump
    context.undoManager = ContextUndoManager()
    var random = SeededGenerator(seed: seed &* 0x51_7CC1 &+ 11)
    func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    other.mergePolicy = .mergeByPropertyStoreTrump
    let observer = NotificationTests.Observer()
    observer.on(ManagedObjectContext.didSaveObjectIDsNotification, other) { notification in
      context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
    }
    var request = FetchSpecification(school.pupil)
    if !watch.predicate.isEmpty { request.predicate = try FetchPredicate(parsing: watch.predicate) }
    request.sortDescriptors = watch.sorts
    let followers = (0..<2).map { _ in
      FetchedResultsController<ManagedObject>(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: watch.section)
    }
    let (following, twin) = (followers[Int(seed / 2 % 2)], followers[1 - Int(seed / 2 % 2)])
    let logs = (CallLog(), CallLog())
    following.delegate = logs.0
    twin.delegate = logs.1
    for follower in followers { try follower.performFetch() }
    #expect(following.results.follower != nil)
    twin.results.follower = nil

    func change(_ context: ManagedObjectContext) throws {
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      let courses = try context.fetch(school.all(school.course, by: "code"))
      let lockers = try context.fetch(school.all(school.locker, by: "number"))
      for _ in 0...below(5) {
        let pupil = pupils.isEmpty ? nil : pupils[below(pupils.count)]
        switch (below(13), pupil) {
        case (2, let pupil?): pupil["grade"] = .integer(Int64(below(7)))
        case (3, let pupil?): pupil["name"] = .string("Pupil \(below(30))")
        case (4, let pupil?): pupil["age"] = below(4) == 0 ? .null : .integer(Int64(below(8)))
        case (5, let pupil?): pupil["height"] = .double(Double(below(4)))
        case (6, let pupil?): context.delete(pupil)
        case (7...8, let pupil?):
          let course = courses[below(courses.count)]
          if try course.objectIDs(for: "pupils").count < 3 { pupil.setObject(course, for: "course") }
        case (9, let pupil?): pupil.setObject(nil, for: "course")
        case (10, let pupil?): pupil.setObject(lockers[below(lockers.count)], for: "locker")
        case (11, _): if below(4) == 0 { courses[below(courses.count)]["title"] = .string("Course \(below(4))") }
        default: school.addPupil(context, "Pupil \(below(30))", grade: Int64(below(7)))
        }
      }
    }

    for step in 0..<60 {
      let operation = below(12)
      switch operation {
      case 0...3: try change(context)
      case 4, 5:
        try other.performAndWait {
          try change(other)
          try other.save()
        }
      case 6, 7:
        // A refreshed new object lacks what a save asks for.
        do { try context.save() } catch { context.rollback() }
      case 8: context.undo()
      case 9: context.redo()
      case 10: try context.obtainPermanentIDs(for: Array(context.insertedObjects))
      default:
        if below(3) == 0 {
          context.rollback()
        } else if let object = following.fetchedObjects?.first {
          context.refresh(object, mergeChanges: below(2) == 0)
        }
      }
      context.processPendingChanges()
      let place = "step \(step), operation \(operation)"
      #expect(logs.0.calls == logs.1.calls, "\(place)")
      #expect(following.snapshot == twin.snapshot, "\(place)")
      #expect(logs.0.ids == logs.1.ids, "\(place)")
      for object in following.fetchedObjects ?? [] {
        let path = try #require(following.indexPath(forObject: object))
        #expect(following.object(at: path) === object)
      }
      if logs.0.calls != logs.1.calls || following.snapshot != twin.snapshot { return }
      (logs.0.calls, logs.1.calls) = ([], [])
    }
  }

  @Test("a changed attribute asks the store for nothing")
  func noRequest() throws {
    let school = try School(.inMemory)
    try school.work { context in
      for index in 0..<50 { school.addPupil(context, "Pupil \(index)", grade: Int64(index % 5)) }
      try context.save()
      var request = FetchSpecification(school.pupil)
      request.sortDescriptors = [.init(["grade"]), .init(["name"])]
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "grade")
      try controller.performFetch()
      // Rows without a notification would be seen by a fetch, and by nothing else.
      let other = school.container.newBackgroundContext(name: "other")
      try other.performAndWait {
        school.addPupil(other, "Unheard", grade: 0)
        try other.save()
      }
      controller.object(at: [0, 0])["grade"] = .integer(4)
      context.processPendingChanges()
      #expect(controller.sections?.map(\.numberOfObjects) == [9, 10, 10, 10, 11])
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 51)
    }
  }

  @Test("requests of which more than their own objects decides are fetched anew")
  func fetchedAnew() throws {
    let school = try School(.inMemory)
    try school.work { context in
      func follows(_ section: String? = nil, _ change: (inout FetchSpecification) throws -> Void) throws -> Bool {
        var request = FetchSpecification(school.pupil)
        request.sortDescriptors = [.init(["name"])]
        try change(&request)
        let naming = try section.map {
          SectionNaming.keyPath(try SectionKeyPath($0, of: school.pupil))
        }
        return ResultsFollower(request, in: context, naming: naming) != nil
      }
      let answers = [
        try follows { _ in }, try follows("grade") { _ in }, try follows("course.title") { _ in },
        try follows("mood") { _ in }, try follows { $0.fetchLimit = 3 }, try follows { $0.fetchOffset = 3 },
        try follows { $0.includesPendingChanges = false },
        try follows { $0.sortDescriptors = [.init(["course", "title"])] },
        try follows { $0.predicate = try FetchPredicate(parsing: "course.title == 'Art'") },
        try follows { $0.predicate = try FetchPredicate(parsing: "ANY clubs.name == 'Go'") },
      ]
      #expect(answers == [true, true, true, false, false, false, false, true, false, false])
    }
  }
}
