import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Relationships to what earlier saves deleted")
struct GoneDestinationTests {
  /// A pupil, and the id of a course that a save deleted.
  private func lose(_ school: School, _ context: ManagedObjectContext) throws -> (ada: ManagedObject, id: ObjectID) {
    let course = school.addCourse(context, 1)
    let ada = school.addPupil(context, "Ada")
    try context.save()
    let id = course.objectID
    context.delete(course)
    try context.save()
    return (ada, id)
  }

  @Test(
    "an id whose object an earlier save deleted is a problem of the save, also to-many", arguments: StoreKind.allCases)
  func earlierSave(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (ada, id) = try lose(school, context)
      // Another save does not make it forgotten.
      school.addPupil(context, "Bob")
      try context.save()
      ada.setObjectID(id, for: "course")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deletedDestination])
      ada.setObjectID(nil, for: "course")
      try context.save()
    }
    let row = try school.rows(school.pupil)
    #expect(row.allSatisfy { $0.toOne.allSatisfy { $0 == nil } })
  }

  @Test("so is one that a merged save deleted", arguments: StoreKind.allCases)
  func merged(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let course = school.addCourse(context, 1)
      try context.save()
      let courseID = course.objectID
      let other = school.container.newBackgroundContext(name: "other")
      try other.performAndWait {
        other.delete(try other.existingObject(with: courseID))
        try other.save()
      }
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: ContextChangeIDs(inserted: [], updated: [], deleted: [courseID]), into: [context])
      ada.setObjectID(courseID, for: "course")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deletedDestination])
    }
  }

  @Test("the row that took the id's place again is none", arguments: StoreKind.allCases)
  func returned(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let (ada, id) = try lose(school, context)
      var request = SaveRequest()
      request.inserted = [
        Snapshot(
          objectID: id, version: 1, attributes: school.course.attributes.map { _ in .null },
          toOne: school.course.relationships.map { _ in nil })
      ]
      try school.store.save(request)
      ada.setObjectID(id, for: "course")
      try context.save()
      #expect(ada.objectID(for: "course") == id)
    }
  }
}
