import Foundation
import ObjectGraph
import ObjectModel
import Testing

@Suite("Objects that two contexts move")
struct ContestedTests {
  /// Two pupils, two courses and a locker, saved; both contexts have all of them loaded, the locker with its owner and
  /// the courses with their pupils.
  private struct Scene {
    let pupils: [ManagedObject]
    let courses: [ManagedObject]
    let locker: ManagedObject

    init(_ school: School, _ context: ManagedObjectContext) throws {
      pupils = try context.fetch(school.all(school.pupil, by: "name"))
      courses = try context.fetch(school.all(school.course, by: "code"))
      locker = try #require(try context.fetch(school.all(school.locker)).first)
      for course in courses { _ = try course.objects(for: "pupils") }
      for pupil in pupils { _ = pupil.object(for: "locker") }
    }

    /// Which course each pupil is in and who has the locker, after checking that both sides agree.
    func places() throws -> [String] {
      for course in courses {
        for pupil in try course.objects(for: "pupils") { #expect(pupil.object(for: "course") === course) }
      }
      for pupil in pupils {
        if let course = pupil.object(for: "course") { #expect(try course.objects(for: "pupils").contains(pupil)) }
        if let locker = pupil.object(for: "locker") { #expect(locker.object(for: "owner") === pupil) }
      }
      if let owner = locker.object(for: "owner") { #expect(owner.object(for: "locker") === locker) }
      return pupils.map { "\($0.object(for: "course")?["code"] ?? .null) \($0.object(for: "locker") != nil)" }
    }
  }

  /// Ada goes to the second course here and to the third there; she gives the locker to Bob here, and Cyd gets it
  /// there.
  private func contest(
    _ kind: StoreKind, _ policy: MergePolicy, merges: Bool
  ) throws -> (here: [String], stored: [String]) {
    let school = try School(kind)
    try school.work { context in
      let courses = (1...3).map { school.addCourse(context, $0) }
      let pupils = ["Ada", "Bob", "Cyd"].map { school.addPupil(context, $0) }
      for pupil in pupils { pupil.setObject(courses[0], for: "course") }
      pupils[0].setObject(context.insert(school.locker), for: "locker")
      try context.save()
    }
    let here = school.container.newBackgroundContext(name: "here")
    let there = school.container.newBackgroundContext(name: "there")
    let observer = NotificationTests.Observer()
    if merges {
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, there) { notification in
        here.performAndWait { here.mergeChanges(fromContextDidSave: notification) }
      }
    }
    let places = try here.performAndWait {
      here.mergePolicy = policy
      let scene = try Scene(school, here)
      scene.pupils[0].setObject(scene.courses[1], for: "course")
      scene.locker.setObject(scene.pupils[1], for: "owner")
      try there.performAndWait {
        let scene = try Scene(school, there)
        scene.pupils[0].setObject(scene.courses[2], for: "course")
        scene.locker.setObject(scene.pupils[2], for: "owner")
        try there.save()
      }
      _ = try scene.places()
      try here.save()
      return try scene.places()
    }
    let fresh = school.container.newBackgroundContext(name: "fresh")
    let stored = try fresh.performAndWait {
      fresh.stalenessInterval = 0
      return try Scene(school, fresh).places()
    }
    return (places, stored)
  }

  @Test("what is merged yields to what was changed here, on both sides", arguments: StoreKind.allCases)
  func merged(kind: StoreKind) throws {
    let result = try contest(kind, .error, merges: true)
    #expect(result.here == ["integer(2) false", "integer(1) true", "integer(1) false"])
    #expect(result.stored == result.here)
  }

  @Test(
    "a conflict is resolved for both sides",
    arguments: StoreKind.allCases, [true, false])
  func resolved(kind: StoreKind, objectsWin: Bool) throws {
    let policy: MergePolicy = objectsWin ? .mergeByPropertyObjectTrump : .mergeByPropertyStoreTrump
    let result = try contest(kind, policy, merges: false)
    #expect(
      result.stored
        == (objectsWin
          ? ["integer(2) false", "integer(1) true", "integer(1) false"]
          : ["integer(3) false", "integer(1) false", "integer(1) true"]))
    #expect(result.here == result.stored)
  }
}
