import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// A list that knows nothing but what it is told, as one on a screen: the twin of a controller's results.
private final class Table: FetchedResultsControllerDelegate {
  struct Section: Equatable {
    var name: String
    var objects: [ManagedObject]
  }

  var sections: [Section] = []
  var ids: [ObjectID] = []
  /// How often a change that was told did not fit.
  var mistakes: [String] = []
  private var deletedSections: [Int] = []
  private var insertedSections: [(index: Int, name: String)] = []
  private var deletions: [(path: IndexPath, object: ManagedObject)] = []
  private var insertions: [(path: IndexPath, object: ManagedObject)] = []
  private var updates: [(old: IndexPath, new: IndexPath, object: ManagedObject)] = []

  func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    (deletedSections, insertedSections, deletions, insertions, updates) = ([], [], [], [], [])
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChange section: any FetchedResultsSectionInfo, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    if type == .delete { deletedSections.append(index) } else { insertedSections.append((index, section.name)) }
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    guard let object = anObject as? ManagedObject else { return mistakes.append("\(anObject) is no object") }
    switch (type, indexPath, newIndexPath) {
    case (.insert, nil, let new?): insertions.append((new, object))
    case (.delete, let old?, nil): deletions.append((old, object))
    case (.move, let old?, let new?):
      deletions.append((old, object))
      insertions.append((new, object))
    case (.update, let old?, let new?): updates.append((old, new, object))
    default: mistakes.append("\(type) with \(String(describing: indexPath)), \(String(describing: newIndexPath))")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
    for update in updates where sections[update.old[0]].objects[update.old[1]] !== update.object {
      mistakes.append("updated another object")
    }
    for (path, object) in deletions.sorted(by: { $0.path > $1.path }) {
      let removed = sections[path[0]].objects.remove(at: path[1])
      if removed !== object { mistakes.append("removed another object") }
    }
    for index in deletedSections.sorted(by: >) {
      if !sections.remove(at: index).objects.isEmpty { mistakes.append("a section with objects was deleted") }
    }
    for (index, name) in insertedSections.sorted(by: { $0.index < $1.index }) {
      sections.insert(Section(name: name, objects: []), at: index)
    }
    for (path, object) in insertions.sorted(by: { $0.path < $1.path }) {
      sections[path[0]].objects.insert(object, at: path[1])
    }
    for update in updates where sections[update.new[0]].objects[update.new[1]] !== update.object {
      mistakes.append("updated at another place")
    }
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    if let changed = ids.applying(difference) { ids = changed } else { mistakes.append("the difference does not fit") }
  }
}

@Suite("Random changes of fetched results")
struct RandomResultsTests {
  /// How many events a list goes through; `SEEDBED_RESULTS_EVENTS` asks for more.
  private static let eventCount =
    ProcessInfo.processInfo.environment["SEEDBED_RESULTS_EVENTS"].flatMap { Int($0) } ?? 60

  @Test(
    "what a controller tells makes the list that a fetch gives, whichever context changed objects",
    arguments: StoreKind.allCases, UInt64(0)..<6)
  func sequences(kind: StoreKind, seed: UInt64) throws { try drive(kind, seed, Self.eventCount) }

  @Test("so it does through 10,000 events", .timeLimit(.minutes(20)))
  func many() throws { try drive(.sqlite, 4, 10_000) }

  private func drive(_ kind: StoreKind, _ seed: UInt64, _ eventCount: Int) throws {
    let school = try School(kind)
    try school.work { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.undoManager = ContextUndoManager()
      var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 3)
      func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
      let others = (0..<2).map { _ in
        let other = school.container.newBackgroundContext(name: "other")
        other.mergePolicy = .mergeByPropertyStoreTrump
        return other
      }
      let observer = NotificationTests.Observer()
      for other in others {
        observer.on(ManagedObjectContext.didSaveObjectIDsNotification, other) { notification in
          context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
        }
      }
      var request = FetchSpecification(school.pupil)
      request.predicate = .comparison(["grade"], .less, .integer(5))
      request.sortDescriptors = [.init(["grade"]), .init(["name"])]
      if seed % 3 == 2 { request.fetchLimit = 5 }
      // A closure that says what the key path says has to make the same sections.
      let controller =
        seed % 2 == 0
        ? FetchedResultsController<ManagedObject>(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "grade")
        : FetchedResultsController<ManagedObject>(
          fetchRequest: FetchRequest(request), managedObjectContext: context,
          sectionName: { pupil in
            let grade: Int? = pupil["grade"]
            return grade.map { "\($0)" } ?? ""
          })
      let table = Table()
      controller.delegate = table
      try controller.performFetch()

      func change(_ context: ManagedObjectContext) throws {
        let pupils = try context.fetch(school.all(school.pupil, by: "name"))
        for _ in 0...below(4) {
          let pupil = pupils.isEmpty ? nil : pupils[below(pupils.count)]
          // A list through many events stays as long as one that a user sees.
          let isLong = pupils.count > 200
          switch (isLong ? 2 + below(3) : below(5), pupil) {
          case (2, let pupil?): pupil["grade"] = .integer(Int64(below(7)))
          case (3, let pupil?): pupil["name"] = .string("Pupil \(below(100))")
          case (4, let pupil?): context.delete(pupil)
          default: school.addPupil(context, "Pupil \(below(100))", grade: Int64(below(7)))
          }
        }
      }

      for step in 0..<eventCount {
        let operation = below(9)
        switch operation {
        case 0...2: try change(context)
        case 3, 4:
          let other = others[below(2)]
          try other.performAndWait {
            try change(other)
            try other.save()
          }
        case 5: try context.save()
        case 6: context.undo()
        case 7: context.redo()
        default: if below(3) == 0 { context.rollback() }
        }
        context.processPendingChanges()
        let place = "step \(step), operation \(operation)"
        let fetched = try context.fetch(request)
        #expect(controller.fetchedObjects == fetched, "\(place)")
        #expect(table.mistakes.isEmpty, "\(place)")
        let sections = controller.sections?.map {
          Table.Section(name: $0.name, objects: $0.objects as? [ManagedObject] ?? [])
        }
        #expect(sections == table.sections, "\(place)")
        #expect(table.ids == fetched.map(\.objectID), "\(place)")
        #expect(controller.snapshot?.objectIDs == table.ids, "\(place)")
        if controller.fetchedObjects != fetched || sections != table.sections || !table.mistakes.isEmpty { return }
      }
    }
  }

  @Test(
    "what a controller tells makes its sections where these change their order, by themselves or with their objects",
    arguments: StoreKind.allCases, UInt64(0)..<6)
  func sectionOrder(kind: StoreKind, seed: UInt64) throws {
    let school = try School(kind)
    try school.work { context in
      var random = SeededGenerator(seed: seed &+ 77)
      let courses = (0..<5).map { school.addCourse(context, Int64($0)) }
      for (index, course) in courses.enumerated() {
        for pupil in 0..<2 { school.addPupil(context, "Pupil \(index)\(pupil)").setObject(course, for: "course") }
      }
      try context.save()
      var request = FetchSpecification(school.pupil)
      request.sortDescriptors = [.init(["course", "code"]), .init(["name"])]
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "course.title")
      for (course, title) in zip(courses, "abcde") { course["title"] = .string(String(title)) }
      try context.save()
      let table = Table()
      controller.delegate = table
      try controller.performFetch()
      // A delegate is told no changes of the first fetch.
      table.sections = (controller.sections ?? []).map {
        Table.Section(name: $0.name, objects: $0.objects as? [ManagedObject] ?? [])
      }
      table.ids = controller.snapshot?.objectIDs ?? []
      var orders: Set<[String]> = []
      for step in 0..<60 {
        // Other codes give the sections another order; their titles stay.
        if Bool.random(using: &random) {
          for (course, code) in zip(courses, (0..<5).shuffled(using: &random)) {
            course["code"] = .integer(Int64(code))
          }
        }
        // All objects of a section at once, or some of several, and perhaps into another section.
        let changesAll = Bool.random(using: &random)
        let chosen = Int.random(in: 0..<5, using: &random)
        for (index, course) in courses.enumerated() {
          for pupil in try course.objects(for: "pupils")
          where changesAll ? index == chosen : Int.random(in: 0..<6, using: &random) == 0 {
            pupil["name"] = .string("Pupil \(Int.random(in: 0..<100, using: &random))")
          }
        }
        if Bool.random(using: &random) { context.processPendingChanges() }
        try context.save()
        let sections = controller.sections?.map {
          Table.Section(name: $0.name, objects: $0.objects as? [ManagedObject] ?? [])
        }
        #expect(controller.fetchedObjects == (try context.fetch(request)), "step \(step)")
        #expect(table.mistakes.isEmpty, "step \(step)")
        #expect(sections == table.sections, "step \(step)")
        #expect(table.ids == controller.snapshot?.objectIDs, "step \(step)")
        if sections != table.sections || !table.mistakes.isEmpty { return }
        orders.insert(table.sections.map(\.name))
      }
      #expect(orders.count > 10)
    }
  }
}
