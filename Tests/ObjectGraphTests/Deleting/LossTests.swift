import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Objects that are gone")
struct LossTests {
  private func expectDeletedDestination(_ work: () throws -> Void) {
    let error = #expect(throws: ValidationError.self) { try work() }
    #expect(error?.problems.map(\.code) == [.deletedDestination])
  }

  /// Two pupils, a course and a club, saved.
  private func fill(
    _ school: School, _ context: ManagedObjectContext
  ) throws -> (ada: ManagedObject, bob: ManagedObject, maths: ManagedObject, club: ManagedObject) {
    let made = (
      ada: school.addPupil(context, "Ada"), bob: school.addPupil(context, "Bob"), maths: school.addCourse(context, 1),
      club: context.insert(school.club)
    )
    try context.save()
    return made
  }

  @Test("a relationship that leads to an object deleted before is a problem of the save", arguments: StoreKind.allCases)
  func deletedDestination(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (ada, bob, maths, club) = try fill(school, context)
      context.delete(maths)
      context.delete(bob)
      try context.save()
      ada.setObject(maths, for: "course")
      expectDeletedDestination { try context.save() }
      ada.setObject(nil, for: "course")
      #expect(throws: ContextError.self) { try club.add(bob, to: "members") }
      #expect(throws: ContextError.self) { try club.setObjects([ada, bob], for: "members") }
      #expect(try club.objects(for: "members").isEmpty)
      ada["grade"] = .integer(3)
      try context.save()
    }
    #expect(try school.rows(school.pupil).count == 1)
  }

  @Test(
    "a pending relationship to an object that another context deleted leads nowhere after the merge",
    arguments: StoreKind.allCases)
  func mergedDeletion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (ada, bob, maths, club) = try fill(school, context)
      ada.setObject(maths, for: "course")
      ada["grade"] = .integer(4)
      let eve = school.addPupil(context, "Eve")
      eve.setObject(maths, for: "course")
      try club.add(bob, to: "members")
      try club.add(eve, to: "members")
      let (mathsID, bobID) = (maths.objectID, bob.objectID)
      try school.work { other in
        other.delete(other.object(with: mathsID))
        other.delete(other.object(with: bobID))
        try other.save()
      }
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: ContextChangeIDs(inserted: [], updated: [], deleted: [mathsID, bobID]), into: [context])
      #expect(ada.object(for: "course") == nil && eve.object(for: "course") == nil)
      #expect(try club.objects(for: "members") == [eve])
      try context.save()
      #expect(ada["grade"] == .integer(4) && !context.hasChanges)
      #expect(try school.rows(school.pupil).allSatisfy { $0.toOne.allSatisfy { $0 == nil } })
      context.reset()
      #expect(try school.first(school.club, in: context).objectIDs(for: "members") == [eve.objectID])
    }
  }

  @Test("a row that comes back is another object's than the one that was gone", arguments: StoreKind.allCases)
  func comeback(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      try context.save()
      let id = maths.objectID
      context.refresh(maths, mergeChanges: false)
      let other = school.container.newBackgroundContext(name: "other")
      try other.performAndWait {
        other.undoManager = ContextUndoManager()
        other.delete(try other.existingObject(with: id))
        try other.save()
      }
      #expect(maths["code"] == nil && maths.isDeleted)
      #expect(context.registeredObject(for: id) == nil)
      try other.performAndWait {
        other.undo()
        try other.save()
      }
      let returned = try context.existingObject(with: id)
      #expect(returned !== maths && returned["code"] == .integer(1))
    }
  }
}
