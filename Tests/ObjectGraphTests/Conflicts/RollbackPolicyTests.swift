import Foundation
import ObjectGraph
import ObjectModel
import Testing

@Suite("The rollback policy and both sides of relationships")
struct RollbackPolicyTests {
  /// What is changed here of a pupil, a course with lists that are loaded, and a club.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (ManagedObject, [ManagedObject], ManagedObject) throws -> Void
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(name: "it joins a course") { pupil, courses, _ in pupil.setObject(courses[1], for: "course") },
    Case(name: "a course adds it") { pupil, courses, _ in try courses[1].add(pupil, to: "pupils") },
    Case(name: "it leaves its course") { pupil, _, _ in pupil.setObject(nil, for: "course") },
    Case(name: "its course removes it") { pupil, courses, _ in try courses[0].remove(pupil, from: "pupils") },
    Case(name: "it joins a club") { pupil, _, club in try pupil.add(club, to: "clubs") },
    Case(name: "a club adds it") { pupil, _, club in try club.add(pupil, to: "members") },
  ]

  /// A saved pupil, three courses, the first of which has it, and a club, as a context finds them again.
  /// - Parameters:
  ///   - isMember: whether the club has the pupil.
  ///   - isLoaded: whether their lists are.
  private static func scene(
    _ school: School, _ context: ManagedObjectContext, isMember: Bool, isLoaded: Bool
  ) throws -> (ids: [ObjectID], objects: [ManagedObject]) {
    let pupil = school.addPupil(context, "Ada")
    let others = [school.addPupil(context, "Bob"), school.addPupil(context, "Cleo")]
    let courses = (1...3).map { school.addCourse(context, $0) }
    let club = context.insert(school.club)
    try courses[0].setObjects([others[0], pupil, others[1]], for: "pupils")
    if isMember { try club.setObjects([others[1], pupil], for: "members") }
    try context.save()
    context.reset()
    let ids = ([pupil] + courses + [club]).map(\.objectID)
    let mine = try context.objects(with: ids)
    if isLoaded {
      for course in mine[1...3] { _ = try course.objects(for: "pupils") }
      _ = try mine[4].objects(for: "members")
      _ = try mine[0].objects(for: "clubs")
    }
    return (ids, mine)
  }

  @Test(
    "lists follow what is taken back, whether they are loaded or not, and wherever others moved the object",
    arguments: StoreKind.allCases, cases)
  func listsFollow(kind: StoreKind, example: Case) throws {
    for (isLoaded, theirs) in [(true, -1), (true, 0), (true, 1), (true, 2), (false, -1), (false, 1)] {
      let school = try School(kind)
      try school.work(.rollback) { context in
        let (ids, mine) = try Self.scene(school, context, isMember: false, isLoaded: isLoaded)
        try school.work { other in
          let object = try other.existingObject(with: ids[0])
          object["grade"] = .integer(5)
          if theirs >= 0 { object.setObject(try other.existingObject(with: ids[1 + theirs]), for: "course") }
          try other.save()
        }
        mine[0]["grade"] = .integer(7)
        try example.change(mine[0], Array(mine[1...3]), mine[4])
        try context.save()
        #expect(!context.hasChanges)
        let note: Comment = "\(isLoaded) \(theirs)"
        let here = try Self.state(context, ids)
        try school.work { fresh in
          let there = try Self.state(fresh, ids)
          #expect(here == there, note)
        }
        for object in mine { context.refresh(object, mergeChanges: true) }
        let refreshed = try Self.state(context, ids)
        #expect(refreshed == here, note)
      }
    }
  }

  @Test(
    "lists follow when a deletion is taken back, wherever others moved the object", arguments: StoreKind.allCases,
    [MergePolicy.Kind.mergeByPropertyStoreTrump, .rollback])
  func deletionTakenBack(kind: StoreKind, policy: MergePolicy.Kind) throws {
    // The pupil, its course and its club, in this order.
    for (victim, isLoaded, isMoved) in [
      (0, true, false), (0, true, true), (0, false, false), (0, false, true), (1, true, false), (1, false, false),
      (4, true, false), (4, false, false),
    ] {
      let school = try School(kind)
      try school.work(MergePolicy(policy)) { context in
        let (ids, mine) = try Self.scene(school, context, isMember: true, isLoaded: isLoaded)
        try school.work { other in
          let names = [0: "grade", 1: "code", 4: "name"]
          let object = try other.existingObject(with: ids[victim])
          object[names[victim] ?? ""] = victim == 4 ? .string("chess") : .integer(9)
          if isMoved { object.setObject(try other.existingObject(with: ids[2]), for: "course") }
          try other.save()
        }
        context.delete(mine[victim])
        try context.save()
        let note: Comment = "\(victim) \(isLoaded) \(isMoved)"
        #expect(!context.hasChanges && !mine[victim].isDeleted, note)
        let here = try Self.state(context, ids)
        try school.work { fresh in
          let there = try Self.state(fresh, ids)
          #expect(here == there, note)
        }
        #expect((victim == 1) == (mine[0].objectID(for: "course") == nil), note)
        #expect(try mine[0].objectIDs(for: "clubs") == [ids[4]], note)
        for object in mine { context.refresh(object, mergeChanges: true) }
        #expect(try Self.state(context, ids) == here, note)
      }
    }
  }

  /// What a context has of the pupil, the courses and the club.
  private static func state(_ context: ManagedObjectContext, _ ids: [ObjectID]) throws -> [String] {
    let objects = try context.objects(with: ids)
    func text(_ ids: [ObjectID]) -> String { ids.map { $0.uriRepresentation().path }.joined(separator: " ") }
    // Only the courses have an order.
    func unordered(_ ids: [ObjectID]) -> String { text(ids.sorted { $0.primaryKey ?? 0 < $1.primaryKey ?? 0 }) }
    let courses = try objects[1...3].map { text(try $0.objectIDs(for: "pupils")) }
    let course = objects[0].objectID(for: "course").map { [$0] } ?? []
    return ["\(objects[0].attributeValue("grade"))", text(course)] + courses
      + [unordered(try objects[0].objectIDs(for: "clubs")), unordered(try objects[4].objectIDs(for: "members"))]
  }
}
