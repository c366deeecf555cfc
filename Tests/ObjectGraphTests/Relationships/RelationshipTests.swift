import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("Relationships and delete rules")
struct RelationshipTests {
  @Test("setting one side of a relationship sets the other, before and after loading", arguments: StoreKind.allCases)
  func inverses(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let bob = school.addPupil(context, "Bob")
      let maths = school.addCourse(context, 1)
      let art = school.addCourse(context, 2)
      ada.setObject(maths, for: "course")
      #expect(try maths.objects(for: "pupils") == [ada])
      try art.setObjects([bob, ada], for: "pupils")
      #expect(ada.object(for: "course") === art && bob.object(for: "course") === art)
      #expect(try maths.objects(for: "pupils").isEmpty)
      try context.save()
      context.reset()

      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      let courses = try context.fetch(school.all(school.course, by: "code"))
      pupils[1].setObject(courses[0], for: "course")
      #expect(try courses[1].objects(for: "pupils") == [pupils[0]])
      #expect(try courses[0].objects(for: "pupils") == [pupils[1]])
      try courses[1].remove(pupils[0], from: "pupils")
      #expect(pupils[0].object(for: "course") == nil)
      try context.save()
      #expect(try courses[0].objects(for: "pupils") == [pupils[1]])
    }
    #expect(try school.rows(school.course).map(\.version) == [2, 2])
  }

  @Test(
    "adding a child by its to-one side raises the parent's version, which is one update however many come",
    arguments: StoreKind.allCases)
  func parentUpdated(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      try context.save()
      for name in ["Ada", "Bob"] { school.addPupil(context, name).setObject(maths, for: "course") }
      #expect(maths.hasChanges)
      try context.save()
      #expect(try maths.objects(for: "pupils").count == 2)
    }
    #expect(try school.rows(school.course).map(\.version) == [2])
  }

  @Test("the order of an ordered relationship is saved and read back", arguments: StoreKind.allCases)
  func order(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let pupils = ["Ada", "Bob", "Cyd"].map { school.addPupil(context, $0) }
      try maths.setObjects([pupils[2], pupils[0], pupils[1]], for: "pupils")
      try context.save()
      context.reset()
      let again = try school.first(school.course, in: context)
      var loaded = try again.objects(for: "pupils")
      #expect(loaded.map { $0["name"] } == [.string("Cyd"), .string("Ada"), .string("Bob")])
      try again.setObjects(loaded, for: "pupils")
      #expect(!again.hasChanges)
      loaded.swapAt(0, 2)
      try again.setObjects(loaded, for: "pupils")
      #expect(again.isUpdated && again.changedRelationships == ["pupils"])
      try context.save()
      context.reset()
      let third = try school.first(school.course, in: context)
      #expect(
        try third.objects(for: "pupils").map { $0["name"] } == [.string("Bob"), .string("Ada"), .string("Cyd")])
    }
  }

  @Test("a many-to-many relationship is kept on both sides", arguments: StoreKind.allCases)
  func manyToMany(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let pupils = ["Ada", "Bob"].map { school.addPupil(context, $0) }
      let clubs = (0..<2).map { _ in context.insert(school.club) }
      try pupils[0].setObjects(clubs, for: "clubs")
      try clubs[0].add(pupils[1], to: "members")
      #expect(try clubs[0].objects(for: "members") == pupils)
      try context.save()
      try pupils[0].remove(clubs[0], from: "clubs")
      #expect(try clubs[0].objects(for: "members") == [pupils[1]])
      try context.save()
      context.reset()
      let again = try context.fetch(school.all(school.pupil, by: "name"))
      #expect(try again[0].objectIDs(for: "clubs").map(\.primaryKey) == [2])
      #expect(try again[1].objectIDs(for: "clubs").map(\.primaryKey) == [1])
      context.delete(again[1])
      try context.save()
      let club = try school.first(school.club, in: context)
      #expect(try club.objectIDs(for: "members").isEmpty)
    }
  }

  @Test("a one-to-one relationship lets its former partners go", arguments: StoreKind.allCases)
  func oneToOne(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let pupils = ["Ada", "Bob"].map { school.addPupil(context, $0) }
      let lockers = (0..<2).map { _ in context.insert(school.locker) }
      pupils[0].setObject(lockers[0], for: "locker")
      pupils[1].setObject(lockers[1], for: "locker")
      try context.save()
      context.reset()
      let again = try context.fetch(school.all(school.pupil, by: "name"))
      let locker = try #require(again[0].object(for: "locker"))
      #expect(locker.isFault)
      let other = try #require(again[1].object(for: "locker"))
      again[1].setObject(locker, for: "locker")
      #expect(again[0].object(for: "locker") == nil)
      #expect(locker.object(for: "owner") === again[1])
      #expect(other.object(for: "owner") == nil)
      try context.save()
    }
    #expect(try school.rows(school.locker).map { $0.toOne[0]?.primaryKey } == [2, nil])
  }

  @Test("deleting nullifies, cascades without recursion, and is denied by the save", arguments: StoreKind.allCases)
  func deleteRules(kind: StoreKind) throws {
    let school = try School(kind)
    let lesson = try school.person.model.required("Lesson")
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      ada.setObject(maths, for: "course")
      let locker = context.insert(school.locker)
      ada.setObject(locker, for: "locker")
      var previous: ManagedObject?
      let other = school.addCourse(context, 2)
      for index in 0..<3000 {
        let next = context.insert(lesson)
        next.setObject(index < 2 ? maths : other, for: "course")
        previous?.setObject(next, for: "next")
        previous = next
      }
      try context.save()
      context.delete(maths)
      #expect(ada.object(for: "course") === maths && context.deletedObjects == [maths])
      context.processPendingChanges()
      #expect(ada.object(for: "course") == nil)
      #expect(context.deletedObjects.count == 3001)
      context.delete(locker)
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deniedDelete])
      context.delete(ada)
      try context.save()
      #expect(!ada.isDeleted && ada.managedObjectContext == nil && !context.hasChanges)
    }
    #expect(try school.rows(lesson).isEmpty)
    #expect(try school.rows(school.pupil).isEmpty)
    #expect(try school.rows(school.locker).isEmpty)
    #expect(try school.rows(school.course).count == 1)
  }

  @Test("an object may not be saved while it leads to a deleted one", arguments: StoreKind.allCases)
  func deletedDestination(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      try context.save()
      context.delete(maths)
      context.processPendingChanges()
      ada.setObject(maths, for: "course")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deletedDestination])
    }
  }

  @Test("a new object that is deleted is never saved", arguments: StoreKind.allCases)
  func deleteInserted(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      ada.setObject(maths, for: "course")
      context.delete(ada)
      context.processPendingChanges()
      #expect(try maths.objects(for: "pupils").isEmpty)
      #expect(context.insertedObjects == [maths])
      try context.save()
    }
    #expect(try school.rows(school.pupil).isEmpty)
  }
}
