import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import Testing

@Suite("Fetching")
struct FetchingTests {
  @Test("a fetch returns one object per id and keeps pending changes", arguments: StoreKind.allCases)
  func uniquing(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada", grade: 1)
      school.addPupil(context, "Bob", grade: 1)
      try context.save()
      ada["grade"] = .integer(3)
      let found = try context.fetch(school.all(school.pupil, by: "name"))
      #expect(found[0] === ada && found[0]["grade"] == .integer(3))
      #expect(try context.existingObject(with: ada.objectID) === ada)
    }
  }

  @Test("new, changed and deleted objects are judged by their current values", arguments: StoreKind.allCases)
  func pendingChanges(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for (name, grade) in [("Ada", Int64(1)), ("Bob", 1), ("Cyd", 2), ("Dan", 1)] {
        school.addPupil(context, name, grade: grade)
      }
      try context.save()
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      pupils[1]["grade"] = .integer(2)
      pupils[2]["grade"] = .integer(1)
      context.delete(pupils[3])
      let eve = school.addPupil(context, "Aaa", grade: 1)
      var request = school.all(school.person, where: .all, by: "name")
      request.entity = school.pupil
      request.predicate = .comparison(["grade"], .equal, .integer(1))
      #expect(try context.fetch(request) == [eve, pupils[0], pupils[2]])
      #expect(try context.count(request) == 3)
      request.fetchOffset = 1
      request.fetchLimit = 1
      #expect(try context.fetch(request) == [pupils[0]])
      request.sortDescriptors = []
      request.fetchOffset = 0
      request.fetchLimit = 0
      #expect(try context.fetch(request) == [pupils[0], pupils[2], eve])
      request.predicate = .selfIsIn([eve.objectID, pupils[3].objectID])
      #expect(try context.fetch(request) == [eve])
    }
  }

  @Test("objects are found by match keys, saved or not, with one call", arguments: StoreKind.allCases)
  func matchKeys(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let maths = school.addCourse(context, 7)
      for (name, grade) in [("Ada", Int64(1)), ("Bob", 2), ("Rene\u{301}", 3)] {
        school.addPupil(context, name, grade: grade).setObject(maths, for: "course")
      }
      try context.save()
      context.reset()
      let fresh = school.addPupil(context, "Eve", grade: 1)
      let composed = school.addPupil(context, "Ren\u{E9}", grade: 3)
      let names: [Value] = ["Ada", "Eve", "Ren\u{E9}", "Rene\u{301}", "?", "Ada"].map { .string($0) }
      let byName = try context.fetch(matching: "name", values: names, entity: school.pupil)
      #expect(byName.count == 6)
      #expect(byName[0]?["grade"] == .integer(1))
      #expect(byName[1] === fresh)
      #expect(byName[2] === composed)
      #expect(byName[3]?.objectID.primaryKey == 3)
      #expect(byName[4] == nil)
      #expect(byName[5] === byName[0])
      #expect(try context.fetch(matching: ["name"], tuples: names.map { [$0] }, entity: school.pupil) == byName)

      let tuples: [[Value]] = [[.integer(2), .integer(7)], [.integer(1), .null], [.integer(9), .integer(7)]]
      let byTwo = try context.fetch(matching: ["grade", "course.code"], tuples: tuples, entity: school.pupil)
      #expect(byTwo.count == 3)
      #expect(byTwo[0]?["name"] == .string("Bob"))
      #expect(byTwo[1] === fresh)
      #expect(byTwo[2] == nil)
      #expect(try context.fetch(matching: ["name"], tuples: [], entity: school.pupil).isEmpty)
      #expect(try context.fetch(matching: "name", values: [], entity: school.pupil).isEmpty)
      #expect(throws: StoreError.self) {
        try context.fetch(matching: ["nope"], tuples: [[.null]], entity: school.pupil)
      }
    }
  }

  @Test("a fault loads on first access; one whose row is gone counts as deleted", arguments: StoreKind.allCases)
  func faults(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      try context.save()
      let id = ada.objectID
      context.refresh(ada, mergeChanges: false)
      #expect(ada.isFault)
      #expect(ada["name"] == .string("Ada") && !ada.isFault)
      ada["name"] = .string("Eve")
      context.refresh(ada, mergeChanges: false)
      #expect(ada["name"] == .string("Ada") && !context.hasChanges)
      let gone = school.store.id(of: id.entity, 99)
      let ghost = context.object(with: gone)
      #expect(ghost["name"] == nil && ghost.isDeleted)
      #expect(throws: ContextError.self) { try context.existingObject(with: gone) }
      #expect(!context.hasChanges)
    }
  }

  @Test("thousands of objects are found, changed and saved batch by batch", arguments: StoreKind.allCases)
  func batches(kind: StoreKind) throws {
    let school = try School(kind)
    for batch in 0..<4 {
      try school.work { context in
        let names = (0..<1000).map { "Pupil \(batch * 500 + $0)" }
        let found = try context.fetch(matching: "name", values: names.map { .string($0) }, entity: school.pupil)
        for (name, known) in zip(names, found) {
          let pupil = known ?? school.addPupil(context, name)
          pupil["grade"] = .integer(Int64(batch))
        }
        try context.save()
      }
    }
    let rows = try school.rows(school.pupil)
    #expect(rows.count == 2500)
    #expect(rows.count { $0.version == 2 } == 1500)
  }
}
