import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Objects after a saved deletion, and new objects that are refreshed")
struct SavedDeletionTests {
  @Test("an object whose deletion was saved has no context and is not deleted any more", arguments: StoreKind.allCases)
  func savedDeletion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      try context.save()
      context.undoManager = ContextUndoManager()
      context.delete(ada)
      #expect(ada.isDeleted && ada.managedObjectContext === context)
      context.processPendingChanges()
      #expect(ada.isDeleted && ada.managedObjectContext === context)
      let observer = NotificationTests.Observer()
      let log = Log()
      observer.on(ManagedObjectContext.didSaveObjectsNotification, context) { notification in
        if notification.contextChanges?.deletedObjects.first?.isDeleted == true { log.add("deleted") }
      }
      try context.save()
      #expect(log.lines == ["deleted"])
      #expect(!ada.isDeleted && ada.managedObjectContext == nil && !ada.hasChanges && !ada.isFault)
      #expect(ada["name"] == .string("Ada"))
      #expect(throws: ContextError.self) { try context.existingObject(with: ada.objectID) }
      // Undo inserts it again.
      context.undo()
      #expect(ada.isInserted && !ada.isDeleted && ada.managedObjectContext === context)
      context.redo()
      try context.save()
      #expect(ada.managedObjectContext == nil && !ada.isDeleted)
    }
  }

  @Test("so has an object of a child whose deletion the parent took; the parent's own is still to be deleted")
  func childDeletion() throws {
    let school = try School(.inMemory)
    try school.work { parent in
      let ada = school.addPupil(parent, "Ada")
      try parent.save()
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        let copy = try child.existingObject(with: ada.objectID)
        child.delete(copy)
        try child.save()
        #expect(copy.managedObjectContext == nil && !copy.isDeleted)
      }
      #expect(ada.isDeleted && ada.managedObjectContext === parent)
      try parent.save()
      #expect(!ada.isDeleted && ada.managedObjectContext == nil)
    }
  }

  @Test("a link to an object whose deletion was saved is still found out")
  func linkToDeleted() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      try context.save()
      context.delete(maths)
      try context.save()
      ada.setObject(maths, for: "course")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deletedDestination])
    }
  }

  @Test(
    "a new object that is refreshed becomes a fault, and is new again when it is used", arguments: StoreKind.allCases)
  func refreshedInsertion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let club = context.insert(school.club)
      try context.save()
      let ada = school.addPupil(context, "Ada")
      ada["age"] = .integer(30)
      ada.setObject(maths, for: "course")
      try club.add(ada, to: "members")
      let id = ada.objectID
      context.refresh(ada, mergeChanges: true)
      #expect(!ada.isFault && ada["name"] == .string("Ada"))
      context.refresh(ada, mergeChanges: false)
      #expect(ada.isFault && ada.isInserted && context.insertedObjects == [ada] && ada.objectID == id)
      #expect(try maths.objects(for: "pupils").isEmpty && club.objects(for: "members").isEmpty)
      #expect(ada["name"] == nil && ada["age"] == .integer(7) && ada.object(for: "course") == nil)
      #expect(!ada.isFault && ada.isInserted && !ada.isDeleted)
      // A save judges it as it is.
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.property) == ["name"])
      ada["name"] = .string("Eve")
      try context.save()
      #expect(try school.rows(school.pupil).map(\.attributes.count) == [6])
      #expect(ada["name"] == .string("Eve") && ada["age"] == .integer(7))
    }
  }

  @Test("undo brings back what a new object was before it was refreshed")
  func undoRefresh() throws {
    let school = try School(.inMemory)
    try school.work { context in
      context.undoManager = ContextUndoManager()
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      ada.setObject(maths, for: "course")
      context.processPendingChanges()
      context.refresh(ada, mergeChanges: false)
      #expect(ada.isFault)
      context.processPendingChanges()
      context.undo()
      #expect(ada["name"] == .string("Ada") && ada.object(for: "course") === maths && !ada.isFault)
      context.redo()
      #expect(ada["name"] == nil && ada.isInserted)
      context.undo()
      try context.save()
      #expect(try school.rows(school.pupil).count == 1 && maths.objects(for: "pupils") == [ada])
    }
  }

  @Test("a refreshed new object that is saved without being used is written with its defaults")
  func savedFault() throws {
    let school = try School(.inMemory)
    try school.work { context in
      let course = school.addCourse(context, 5)
      context.refresh(course, mergeChanges: false)
      context.refresh(course, mergeChanges: false)
      #expect(course.isFault)
      try context.save()
      #expect(!course.isFault && course["code"] == nil && !course.objectID.isTemporary)
      #expect(try school.rows(school.course).count == 1)
    }
  }
}
