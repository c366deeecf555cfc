import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("Turns of the main queue") @MainActor
struct MainQueueTurnTests {
  private final class Delegate: FetchedResultsControllerDelegate {
    var names: [[String]] = []

    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {
      let pupils = controller.fetchedObjects?.compactMap { $0 as? ManagedObject } ?? []
      names.append(pupils.map { $0["name"].text })
    }
  }

  private let school: School
  private let view: ManagedObjectContext
  private let observer = NotificationTests.Observer()
  private let log = Log()

  init() throws {
    school = try School(.inMemory)
    view = school.container.viewContext
    let log = log
    observer.on(ManagedObjectContext.didChangeObjectsNotification, view) { _ in log.add("changed") }
  }

  /// Lets the main queue do what it was given so far.
  private func turn() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }

  @Test("what code of the main actor changes outside of perform is processed as one event, and controllers are told")
  func controllers() async throws {
    var request = FetchSpecification(school.pupil)
    request.sortDescriptors = [.init(["name"])]
    let results = FetchedResultsController<ManagedObject>(fetchRequest: request, managedObjectContext: view)
    let delegate = Delegate()
    results.delegate = delegate
    try results.performFetch()
    school.addPupil(view, "Bob")
    let ada = school.addPupil(view, "Ada")
    #expect(delegate.names.isEmpty)
    await turn()
    #expect(delegate.names == [["Ada", "Bob"]] && log.lines.count == 1)
    ada["name"] = .string("Eve")
    await turn()
    #expect(delegate.names.last == ["Bob", "Eve"] && log.lines.count == 2)
    try view.save()
    let saved = log.lines.count
    await turn()
    #expect(log.lines.count == saved)
    view.refresh(ada, mergeChanges: false)
    await turn()
    #expect(log.lines.count == saved + 1)
  }

  @Test("perform processes at once, and nothing is left for the turn")
  func perform() async {
    view.performAndWait { _ = school.addPupil(view, "Ada") }
    #expect(log.lines.count == 1)
    school.addPupil(view, "Bob")
    view.performAndWait {}
    #expect(log.lines.count == 2)
    await turn()
    #expect(log.lines.count == 2)
  }

  @Test("delete rules are applied by the turn")
  func cascade() async throws {
    let course = school.addCourse(view, 1)
    let lesson = view.insert(try school.course.model.required("Lesson"))
    lesson.setObject(course, for: "course")
    try view.save()
    view.delete(course)
    #expect(!lesson.isDeleted)
    await turn()
    #expect(lesson.isDeleted)
  }

  @Test("changes of one turn are undone together, those of two turns one after the other")
  func undo() async throws {
    let ada = school.addPupil(view, "Ada", grade: 1)
    try view.save()
    view.undoManager = ContextUndoManager()
    ada["name"] = .string("Eve")
    ada["grade"] = .integer(2)
    await turn()
    ada["grade"] = .integer(3)
    await turn()
    view.undo()
    #expect(ada["name"] == .string("Eve") && ada["grade"] == .integer(2))
    view.undo()
    #expect(ada["name"] == .string("Ada") && ada["grade"] == .integer(1))
    #expect(view.undoManager?.canUndo == false)
  }

  @Test("what contexts that share an undo manager changed in one turn is undone together")
  func sharedUndo() async throws {
    let manager = ContextUndoManager()
    let ada = school.addPupil(view, "Ada", grade: 1)
    try view.save()
    let other = ManagedObjectContext(.mainQueue, parent: view, name: "other")
    let otherAda = try other.existingObject(with: ada.objectID)
    func change(_ grade: Int64) {
      ada["grade"] = .integer(grade)
      otherAda["grade"] = .integer(grade)
    }
    func expect(_ grade: Int64) { #expect(ada["grade"] == .integer(grade) && otherAda["grade"] == .integer(grade)) }
    view.undoManager = manager
    other.undoManager = manager
    change(2)
    await turn()
    change(3)
    manager.undo()
    expect(2)
    manager.redo()
    expect(3)
    change(4)
    view.undo()
    expect(3)
    manager.undo()
    manager.undo()
    expect(1)
    #expect(!manager.canUndo)
  }

  @Test("changes that observers make while changes are saved or processed are processed in a later turn")
  func observers() async throws {
    let view = view
    let ada = school.addPupil(view, "Ada", grade: 1)
    try view.obtainPermanentIDs(for: [ada])
    for name in [
      ManagedObjectContext.didSaveObjectsNotification, ManagedObjectContext.didChangeObjectsNotification,
    ] {
      observer.on(name, view) { [id = ada.objectID] _ in
        let ada = view.object(with: id)
        if case .integer(let grade) = ada["grade"], grade < 5 { ada["grade"] = .integer(grade + 1) }
      }
    }
    try view.save()
    for _ in 0..<5 { await turn() }
    #expect(ada["grade"] == .integer(5) && ada.changedPropertyValuesForCurrentEvent().isEmpty)
  }

  @Test("the turn does not keep its context alive")
  func lifetime() async {
    weak var dropped: ManagedObjectContext?
    do {
      let context = ManagedObjectContext(.mainQueue, parent: view, name: "dropped")
      school.addPupil(context, "Ada")
      dropped = context
    }
    #expect(dropped == nil)
    await turn()
  }
}
