import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Objects beyond their context's changes")
struct LooseEndTests {
  @Test("changes told as URIs bring loaded to-many relationships up to date", arguments: StoreKind.allCases)
  func remoteMembers(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let courses = [1, 2].map { school.addCourse(context, $0) }
      let pupils = ["Ada", "Bob", "Cyd"].map { school.addPupil(context, $0) }
      for pupil in pupils.prefix(2) { pupil.setObject(courses[0], for: "course") }
      let club = context.insert(school.club)
      try club.setObjects([pupils[0]], for: "members")
      try context.save()
      #expect(try courses.map { try $0.objects(for: "pupils").count } == [2, 0])
      let other = school.container.newBackgroundContext(name: "other")
      let ids = (pupils + courses).map(\.objectID)
      let uris = try other.performAndWait { () throws -> [[URL]] in
        let (ada, bob, cyd) = (other.object(with: ids[0]), other.object(with: ids[1]), other.object(with: ids[2]))
        other.delete(ada)
        bob.setObject(other.object(with: ids[4]), for: "course")
        cyd.setObject(other.object(with: ids[3]), for: "course")
        let dan = school.addPupil(other, "Dan")
        dan.setObject(other.object(with: ids[3]), for: "course")
        try other.save()
        return [[dan], [bob, cyd], [ada]].map { $0.map { $0.objectID.uriRepresentation() } }
      }
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: uris[0], updated: uris[1], deleted: uris[2], into: [context])
      func names(_ course: ManagedObject) throws -> [Value] {
        try course.objects(for: "pupils").map { $0.attributeValue("name") }
      }
      #expect(try names(courses[0]) == [.string("Cyd"), .string("Dan")])
      #expect(try names(courses[1]) == [.string("Bob")])
      #expect(try club.objects(for: "members").isEmpty)
      #expect(!context.hasChanges)
    }
  }

  @Test(
    "objects that were new when they were fetched in batches are there after the save", arguments: StoreKind.allCases)
  func batchesOverNewObjects(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      var request = school.all(school.pupil, by: "name")
      request.fetchBatchSize = 5
      let names = (10..<30).map { "Pupil \($0)" }
      for name in names { school.addPupil(context, name) }
      let found = try context.fetchedObjects(request)
      #expect(found[0]["name"] == .string("Pupil 10") && found.objectID(at: 7).isTemporary)
      try context.save()
      #expect(found.map { $0["name"] } == names.map { .string($0) })
      #expect(!found.objectID(at: 7).isTemporary && found.allSatisfy { !$0.isDeleted })
    }
  }

  @Test("objects that nothing is saved of link nothing", arguments: StoreKind.allCases, ["reset", "deleted"])
  func inertOwners(kind: StoreKind, way: String) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let old = school.addCourse(context, 7)
      if way == "reset" {
        context.reset()
      } else {
        try context.save()
        context.delete(ada)
        context.delete(old)
        try context.save()
      }
      let maths = school.addCourse(context, 1)
      let club = context.insert(school.club)
      let bob = school.addPupil(context, "Bob")
      try context.save()
      ada.setObject(maths, for: "course")
      try ada.add(club, to: "clubs")
      try old.add(bob, to: "pupils")
      context.processPendingChanges()
      #expect(try maths.objects(for: "pupils").isEmpty)
      #expect(try club.objects(for: "members").isEmpty)
      #expect(bob.object(for: "course") == nil)
      #expect(!context.hasChanges)
      try context.save()
    }
  }

  @Test("what observers change when changes are processed is processed too", arguments: StoreKind.allCases)
  func observersChanges(kind: StoreKind) throws {
    let graph = try NodeGraph(kind)
    let context = graph.container.newBackgroundContext(name: "nodes")
    let objects = Objects()
    try context.performAndWait {
      let (parent, child) = (graph.add(context, 1), graph.add(context, 2))
      child.setObject(parent, for: "parent")
      try context.save()
      objects.all = [parent, child]
      context.undoManager = ContextUndoManager()
    }
    let observer = NotificationTests.Observer()
    observer.on(ManagedObjectContext.didChangeObjectsNotification, context) { _ in
      objects.rounds += 1
      if objects.rounds == 1 { context.delete(objects.all[0]) }
    }
    context.performAndWait { objects.all[1]["value"] = .integer(5) }
    context.performAndWait {
      #expect(objects.rounds == 2)
      #expect(objects.all.map(\.isDeleted) == [true, true])
      context.undo()
      #expect(objects.all.map(\.isDeleted) == [false, false])
      #expect(objects.all[1]["value"] == nil)
    }
  }

  private final class Objects: @unchecked Sendable {
    var all: [ManagedObject] = []
    var rounds = 0
  }

  @Test("permanent ids ahead of the save reach lists that are not loaded", arguments: StoreKind.allCases)
  func permanentIDs(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for code in 1...2 { _ = school.addCourse(context, Int64(code)) }
      let clubs = (0..<2).map { _ in context.insert(school.club) }
      try context.save()
      context.reset()
      let found = try context.fetch(school.all(school.course, by: "code"))
      let ids = clubs.map(\.objectID)
      var pupils: [ManagedObject] = []
      for index in 0..<3 {
        let pupil = school.addPupil(context, "Pupil \(index)")
        pupil.setObject(found[0], for: "course")
        try pupil.add(try context.existingObject(with: ids[0]), to: "clubs")
        try context.obtainPermanentIDs(for: [pupil])
        #expect(!pupil.objectID.isTemporary && context.registeredObject(for: pupil.objectID) === pupil)
        pupils.append(pupil)
      }
      pupils[2].setObject(found[1], for: "course")
      try pupils[1].remove(try context.existingObject(with: ids[0]), from: "clubs")
      #expect(try found[0].objects(for: "pupils") == [pupils[0], pupils[1]])
      #expect(try context.existingObject(with: ids[0]).objects(for: "members") == [pupils[0], pupils[2]])
      try context.save()
      context.reset()
      let again = try context.fetch(school.all(school.course, by: "code"))
      #expect(try again.map { try $0.objects(for: "pupils").count } == [2, 1])
      #expect(try context.existingObject(with: ids[0]).objects(for: "members").count == 2)
    }
  }
}
