import Foundation
import ObjectGraph
import ObjectModel
import Testing

@Suite("Undo and redo")
struct UndoTests {
  private func titles(_ school: School, _ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(school.all(school.pupil, by: "name")).map { pupil in
      pupil["name"].text + (pupil.object(for: "course").map { " \($0.attributeValue("code"))" } ?? "")
    }
  }

  @Test("every event is undone and done again as one, also over saves", arguments: StoreKind.allCases, [false, true])
  func events(kind: StoreKind, saves: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      context.undoManager = ContextUndoManager()
      var states: [[String]] = []
      func event(_ change: () throws -> Void) throws {
        states.append(try titles(school, context))
        try change()
        context.processPendingChanges()
        if saves { try context.save() }
      }
      let ada = school.addPupil(context, "Ada")
      let maths = school.addCourse(context, 1)
      context.processPendingChanges()
      try context.save()
      context.undoManager?.removeAllActions()
      let bob = school.addPupil(context, "Bob")
      try event { ada["name"] = .string("Eve") }
      try event { ada.setObject(maths, for: "course") }
      try event { try maths.setObjects([bob, ada], for: "pupils") }
      try event { context.delete(bob) }
      try event { context.delete(maths) }
      let last = try titles(school, context)
      #expect(last == ["Eve"])
      for state in states.dropFirst().reversed() {
        context.undo()
        #expect(try titles(school, context) == state)
        if saves { try context.save() }
      }
      context.undo()
      #expect(try titles(school, context) == ["Ada"])
      #expect(!(context.undoManager?.canUndo ?? true) && bob.managedObjectContext == nil || bob.isDeleted)
      while context.undoManager?.canRedo == true {
        context.redo()
        if saves { try context.save() }
      }
      #expect(try titles(school, context) == last)
      try context.save()
      context.reset()
      #expect(try titles(school, context) == last)
    }
  }

  @Test("what is set to the value that it has is nothing to undo, and leaves what can be redone")
  func sameValue() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let (ada, maths) = (school.addPupil(context, "Ada"), school.addCourse(context, 1))
      try maths.setObjects([ada], for: "pupils")
      try context.save()
      let manager = ContextUndoManager()
      context.undoManager = manager
      ada["name"] = .string("Eve")
      context.undo()
      ada.setValue("Ada", forKey: "name")
      ada.setValue(maths, forKey: "course")
      maths.setValue([ada], forKey: "pupils")
      context.processPendingChanges()
      #expect(manager.canRedo && !manager.canUndo)
      context.redo()
      #expect(ada["name"] == .string("Eve"))
    }
  }

  @Test("an object whose deletion was saved comes back with its id and links", arguments: StoreKind.allCases)
  func savedDeletion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let pupils = ["Ada", "Bob", "Cyd"].map { school.addPupil(context, $0) }
      let club = context.insert(school.club)
      try maths.setObjects([pupils[2], pupils[0], pupils[1]], for: "pupils")
      try club.setObjects(pupils, for: "members")
      try context.save()
      let id = pupils[0].objectID
      context.undoManager = ContextUndoManager()
      context.delete(pupils[0])
      try context.save()
      #expect(try school.rows(school.pupil).count == 2)
      context.undo()
      #expect(pupils[0].isInserted && pupils[0].objectID == id && !context.deletedObjects.contains(pupils[0]))
      #expect(try maths.objects(for: "pupils") == [pupils[2], pupils[0], pupils[1]])
      #expect(Set(try club.objects(for: "members")) == Set(pupils))
      try context.save()
      context.reset()
      let again = try school.first(school.course, in: context)
      #expect(try again.objectIDs(for: "pupils").compactMap(\.primaryKey) == [3, 1, 2])
      let members = try school.first(school.club, in: context).objectIDs(for: "members")
      #expect(members.contains(id) && members.count == 3)
    }
  }

  @Test("a work block is one group, groups of one's own may span several, and the number is limited")
  func groups() async throws {
    let school = try School(.inMemory)
    let context = school.container.newBackgroundContext()
    let box = Box<ManagedObject>()
    await context.perform {
      context.undoManager = ContextUndoManager()
      let ada = school.addPupil(context, "Ada")
      ada["grade"] = .integer(2)
      box.value = ada
    }
    for grade in 3...5 { await context.perform { box.value?["grade"] = .integer(Int64(grade)) } }
    await context.perform {
      context.undo()
      #expect(box.value?["grade"] == .integer(4))
      context.undoManager?.beginUndoGrouping()
      box.value?["grade"] = .integer(6)
      context.processPendingChanges()
      box.value?["grade"] = .integer(7)
      context.processPendingChanges()
      context.undoManager?.endUndoGrouping()
      #expect(context.undoManager?.canRedo == false)
      context.undo()
      #expect(box.value?["grade"] == .integer(4))
      context.undoManager?.levelsOfUndo = 1
      context.undo()
      #expect(box.value?["grade"] == .integer(3) && context.undoManager?.canUndo == false)
      context.undoManager?.disableUndoRegistration()
      box.value?["grade"] = .integer(9)
      context.processPendingChanges()
      #expect(context.undoManager?.canUndo == false)
      context.undoManager?.enableUndoRegistration()
      context.rollback()
      #expect(context.undoManager?.canRedo == false && !context.hasChanges)
    }
  }

  @Test("the manager's own undo and redo count changes that are not processed", arguments: StoreKind.allCases)
  func unprocessed(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      maths["title"] = .string("A")
      try context.save()
      let manager = ContextUndoManager()
      context.undoManager = manager
      #expect(!manager.canUndo)
      maths["title"] = .string("B")
      #expect(manager.canUndo)
      context.processPendingChanges()
      maths["title"] = .string("C")
      manager.undo()
      #expect(maths["title"] == .string("B") && manager.canUndo && manager.canRedo)
      manager.redo()
      #expect(maths["title"] == .string("C") && !manager.canRedo)
      manager.undo()
      maths["title"] = .string("D")
      #expect(!manager.canRedo)
      manager.redo()
      #expect(maths["title"] == .string("D"))
      manager.undo()
      #expect(maths["title"] == .string("B") && manager.canRedo)
      manager.undo()
      #expect(maths["title"] == .string("A") && !manager.canUndo)

      manager.disableUndoRegistration()
      maths["title"] = .string("E")
      #expect(!manager.canUndo && manager.canRedo)
      context.processPendingChanges()
      manager.enableUndoRegistration()
      context.undoManager = nil
      maths["title"] = .string("F")
      #expect(!manager.canUndo)
      manager.undo()
      #expect(context.hasChanges && maths.changedPropertyValuesForCurrentEvent() == ["title": .attribute(.string("E"))])
    }
  }

  @Test("changes belong to the group in which they are made, processed or not")
  func unprocessedGroups() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let ada = school.addPupil(context, "Ada", grade: 1)
      try context.save()
      let manager = ContextUndoManager()
      context.undoManager = manager
      ada["grade"] = .integer(2)
      manager.beginUndoGrouping()
      ada["grade"] = .integer(3)
      manager.beginUndoGrouping()
      ada["name"] = .string("Eve")
      manager.endUndoGrouping()
      manager.endUndoGrouping()
      ada["grade"] = .integer(4)
      manager.beginUndoGrouping()
      ada["grade"] = .integer(5)
      for grade in [Int64(4), 3, 2, 1] {
        manager.undo()
        #expect(ada["grade"] == .integer(grade) && ada["name"] == .string(grade > 2 ? "Eve" : "Ada"))
      }
      #expect(!manager.canUndo && manager.groupingLevel == 0)
    }
  }

  final class Counter {
    var value = 0
    func set(_ new: Int, _ manager: ContextUndoManager) {
      let old = value
      value = new
      manager.registerUndo(withTarget: self) { $0.set(old, manager) }
    }
  }

  @Test("others may register actions too, which end with their targets")
  func actions() {
    let manager = ContextUndoManager()
    manager.groupsByEvent = false
    var counter: Counter? = Counter()
    for value in 1...3 { counter?.set(value, manager) }
    manager.undo()
    manager.undo()
    #expect(counter?.value == 1)
    manager.redo()
    #expect(counter?.value == 2)
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    counter?.set(7, manager)
    manager.endUndoGrouping()
    counter?.set(8, manager)
    #expect(manager.groupingLevel == 1)
    manager.undo()
    #expect(counter?.value == 2 && manager.groupingLevel == 0)
    counter = nil
    manager.undo()
    #expect(!manager.canUndo || manager.canRedo)
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo)
  }
}
