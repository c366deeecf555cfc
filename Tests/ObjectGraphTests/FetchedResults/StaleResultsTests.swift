import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// Controllers whose context has not merged yet what others saved, and those that follow relationships: compared with
/// what a context that knows nothing else fetches.
@Suite("Fetched results beside saves of others")
struct StaleResultsTests {
  private final class Delegate: FetchedResultsControllerDelegate {
    var failures: [String] = []
    func controller(_ controller: FetchedResultsController<any FetchRequestResult>, didFailWith error: any Error) {
      failures.append("\(error)")
    }
  }

  /// What a controller watches.
  struct Watch: Sendable, CustomTestStringConvertible {
    let predicate: String
    let sorts: [String]
    let section: String?
    var testDescription: String { "\(predicate), by \(sorts), in \(section ?? "one section")" }

    func request(_ school: School) throws -> FetchSpecification {
      var request = FetchSpecification(school.pupil)
      if !predicate.isEmpty { request.predicate = try FetchPredicate(parsing: predicate) }
      request.sortDescriptors = sorts.map { .init($0.split(separator: ".").map(String.init)) }
      return request
    }
  }

  static let watches: [Watch] = [
    Watch(predicate: "", sorts: ["grade", "name"], section: "grade"),
    Watch(predicate: "grade > 2", sorts: ["grade", "name"], section: "grade"),
    Watch(predicate: "", sorts: ["course.title", "name"], section: "course.title"),
    Watch(predicate: "course.title == 'Art'", sorts: ["name"], section: nil),
    Watch(predicate: "ANY clubs.name == 'Chess'", sorts: ["grade", "name"], section: "grade"),
    Watch(predicate: "SUBQUERY(clubs, $c, $c.name == 'Chess').@count > 0", sorts: ["name"], section: nil),
    Watch(predicate: "locker.number > 10", sorts: ["locker.number", "name"], section: nil),
    Watch(predicate: "course.pupils.@count > 1", sorts: ["name"], section: nil),
  ]

  private typealias Sections = [FetchedResultsSnapshot.Section]

  /// What the results should be: those of a controller over a new context.
  private func expected(_ watch: Watch, _ school: School) throws -> Sections {
    let context = school.container.newBackgroundContext(name: "fresh")
    return try context.performAndWait {
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: try watch.request(school), managedObjectContext: context, sectionNameKeyPath: watch.section)
      try controller.performFetch()
      return controller.snapshot?.sections ?? []
    }
  }

  /// One random change that others save.
  private func change(_ school: School, _ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
    func pick(_ entity: Entity) throws -> ManagedObject? {
      let found = try context.fetch(school.all(entity))
      return found.isEmpty ? nil : found[Int(random.next() % UInt64(found.count))]
    }
    func number(_ bound: UInt64) -> Int64 { Int64(random.next() % bound) }
    let names = ["Art", "Maths", "Chess", "Go"]
    switch random.next() % 11 {
    case 0: school.addPupil(context, "P\(number(1000))", grade: number(5))
    case 1: try pick(school.pupil).map { context.delete($0) }
    case 2: try pick(school.course)?["title"] = .string(names[Int(number(2))])
    case 3: try pick(school.club)?["name"] = .string(names[2 + Int(number(2))])
    case 4: try pick(school.pupil)?.setObject(try pick(school.course), for: "course")
    case 5: if let pupil = try pick(school.pupil) { try pick(school.club)?.add(pupil, to: "members") }
    case 6:
      if let club = try pick(school.club), let pupil = try pick(school.pupil) {
        try club.remove(pupil, from: "members")
      }
    case 7: try pick(school.locker)?["number"] = .integer(number(20))
    case 8: try pick(school.locker)?.setObject(try pick(school.pupil), for: "owner")
    default:
      for _ in 0..<3 { try pick(school.pupil)?["grade"] = .integer(number(5)) }
    }
  }

  private func fill(_ school: School) throws {
    try school.work { context in
      for index in 0..<12 { school.addPupil(context, "Pupil \(index)", grade: Int64(index % 4)) }
      for (index, title) in ["Art", "Maths", "Art"].enumerated() {
        school.addCourse(context, Int64(index))["title"] = .string(title)
      }
      for name in ["Chess", "Go", "Chess"] { context.insert(school.club)["name"] = .string(name) }
      for number in 8..<14 { context.insert(school.locker)["number"] = .integer(Int64(number)) }
      try context.save()
    }
  }

  @Test("results are those of a fresh fetch, before the merges and after every one", arguments: watches, 0..<4)
  func beside(watch: Watch, seed: Int) throws {
    let school = try School(seed % 2 == 0 ? .inMemory : .sqlite)
    try fill(school)
    let view = school.container.newBackgroundContext(name: "view")
    view.automaticallyMergesChangesFromParent = true
    let background = school.container.newBackgroundContext(name: "background")
    var random = SeededGenerator(seed: UInt64(seed) &* 977 &+ 5)
    let delegate = Delegate()
    let controller = try view.performAndWait {
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: try watch.request(school), managedObjectContext: view, sectionNameKeyPath: watch.section)
      controller.delegate = delegate
      try controller.performFetch()
      return SendableBox(controller)
    }
    for round in 0..<12 {
      let (before, after) = try view.performAndWait { () throws -> (Sections, Sections) in
        // Queued behind this: the merges come later.
        for _ in 0..<(1 + round % 4) {
          try background.performAndWait {
            try change(school, background, &random)
            do { try background.save() } catch { background.rollback() }
          }
        }
        let other = FetchedResultsController<ManagedObject>(
          fetchRequest: try watch.request(school), managedObjectContext: view, sectionNameKeyPath: watch.section)
        try other.performFetch()
        return (other.snapshot?.sections ?? [], try expected(watch, school))
      }
      if watch.section?.contains(".") != true { #expect(before == after, "round \(round), before the merge") }
      let merged = view.performAndWait { controller.value.snapshot?.sections ?? [] }
      #expect(merged == after, "round \(round), after the merge")
    }
    #expect(delegate.failures.isEmpty)
  }

  @Test("after its own saves a controller that follows relationships is right as well", arguments: watches, 0..<2)
  func ownSaves(watch: Watch, seed: Int) throws {
    let school = try School(.inMemory)
    try fill(school)
    var random = SeededGenerator(seed: UInt64(seed) &* 31 &+ 7)
    try school.work { [random] view in
      var random = random
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: try watch.request(school), managedObjectContext: view, sectionNameKeyPath: watch.section)
      let delegate = Delegate()
      controller.delegate = delegate
      try controller.performFetch()
      for round in 0..<20 {
        try change(school, view, &random)
        view.processPendingChanges()
        do { try view.save() } catch { view.rollback() }
        #expect(try controller.snapshot?.sections == expected(watch, school), "round \(round)")
      }
      #expect(delegate.failures.isEmpty)
    }
    _ = random.next()
  }

  @Test("sections that the sort really tears apart are an error all the same")
  func tornSections() throws {
    let school = try School(.inMemory)
    try fill(school)
    try school.work { view in
      let watch = Watch(predicate: "", sorts: ["name"], section: "grade")
      let controller = FetchedResultsController<ManagedObject>(
        fetchRequest: try watch.request(school), managedObjectContext: view, sectionNameKeyPath: "grade")
      #expect(throws: FetchedResultsError.self) { try controller.performFetch() }
    }
  }

  private final class SendableBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
