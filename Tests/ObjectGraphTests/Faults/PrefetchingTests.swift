import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import Testing

@Suite("Prefetching")
struct PrefetchingTests {
  @Test("what a key path leads to comes with one fetch for each relationship, and is the same as without")
  func fetches() throws {
    for isPrefetching in [false, true] {
      let school = try School(.sqlite)
      let (counting, container) = try school.counted()
      let writer = container.newBackgroundContext(name: "writer")
      let lesson = try school.store.model.required("Lesson")
      // Contexts that keep no rows for later leave the cache empty.
      try writer.performAndWait {
        writer.stalenessInterval = 0
        for code in 0..<12 {
          let course = school.addCourse(writer, Int64(code))
          for part in 0..<3 {
            let object = writer.insert(lesson)
            object["topic"] = .string("\(code).\(part)")
            object.setObject(course, for: "course")
          }
        }
        try writer.save()
      }
      let reader = container.newBackgroundContext(name: "reader")
      try reader.performAndWait {
        var request = FetchSpecification(school.course)
        request.sortDescriptors = [.init(["code"])]
        if isPrefetching { request.relationshipKeyPathsForPrefetching = [["lessons"]] }
        let before = counting.fetchCount
        let topics = try reader.fetch(request).map { course in
          try course.objects(for: "lessons").map { $0["topic"] }
        }
        #expect(topics == (0..<12).map { code in (0..<3).map { .string("\(code).\($0)") } })
        let count = counting.fetchCount - before
        #expect(isPrefetching ? count == 2 : count == 13)

        var lessons = FetchSpecification(lesson)
        lessons.relationshipKeyPathsForPrefetching = [["course"]]
        reader.reset()
        #expect(try reader.fetch(lessons).allSatisfy { $0.object(for: "course")?["code"] != nil })
        lessons.relationshipKeyPathsForPrefetching = [["nowhere"]]
        #expect(throws: StoreError.self) { try reader.fetch(lessons) }
      }
    }
  }

  /// Pupils in courses with an order, and in clubs, as a store that counts has them.
  private func counted(_ kind: StoreKind) throws -> (school: School, container: PersistentContainer, CountingStore) {
    let school = try School(kind)
    let (counting, container) = try school.counted()
    let writer = container.newBackgroundContext(name: "writer")
    try writer.performAndWait {
      writer.stalenessInterval = 0
      let clubs = (0..<5).map { number in
        let club = writer.insert(school.club)
        club["name"] = .string("Club \(number)")
        return club
      }
      for code in 0..<300 {
        let course = school.addCourse(writer, Int64(code))
        let pupils = (0..<2).map { school.addPupil(writer, "Pupil \(code).\($0)") }
        try course.setObjects(pupils.reversed(), for: "pupils")
        for (index, pupil) in pupils.enumerated() {
          try pupil.setObjects([clubs[code % 5], clubs[(code + 1 + index) % 5]], for: "clubs")
        }
      }
      try writer.save()
    }
    return (school, container, counting)
  }

  @Test(
    "members in an order and of many-to-many relationships come together, in child contexts and beside changes too",
    arguments: StoreKind.allCases, ["plain", "child", "pending"])
  func members(kind: StoreKind, place: String) throws {
    let (school, container, counting) = try counted(kind)
    func names(_ context: ManagedObjectContext, _ keyPaths: [[String]]) throws -> [[Value]] {
      var request = school.all(school.course, by: "code")
      request.relationshipKeyPathsForPrefetching = keyPaths
      return try context.fetch(request).map { course in
        try course.objects(for: "pupils").flatMap { pupil in
          try [pupil.attributeValue("name")] + pupil.objects(for: "clubs").map { $0.attributeValue("name") }
        }
      }
    }
    var results: [[[Value]]] = []
    for keyPaths in [[], [["pupils", "clubs"]]] {
      let root = container.newBackgroundContext(name: "reader")
      if place != "child" { root.stalenessInterval = 0 }
      let context = place == "child" ? ManagedObjectContext(parent: root, name: "child") : root
      try context.performAndWait {
        if place == "pending" {
          let last = try context.fetch(
            school.all(school.course, where: try FetchPredicate(parsing: "code > 297"), by: "code"))
          let pupil = school.addPupil(context, "New")
          pupil.setObject(last[0], for: "course")
          let moved = try #require(try last[1].objects(for: "pupils").first)
          moved.setObject(last[0], for: "course")
        }
        let before = counting.memberCount
        results.append(try names(context, keyPaths))
        let asked = counting.memberCount - before
        #expect(keyPaths.isEmpty ? asked > 800 : asked <= 4, "\(keyPaths) \(asked)")
        #expect(try names(context, keyPaths) == results.last)
      }
    }
    #expect(results[0] == results[1])
    #expect(results[1][7].first == .string("Pupil 7.1") && results[1][7].count == 6)
  }

  /// A course that looks at its lessons as soon as it is there.
  private final class EagerCourse: ManagedObject {
    override func awakeFromFetch() { _ = try? objects(for: "lessons") }
  }

  @Test("a hook that loads a relationship before prefetching keeps what was changed", arguments: StoreKind.allCases)
  func eagerHooks(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Course": EagerCourse.self])
    let lesson = try school.store.model.required("Lesson")
    try school.work { context in
      let courses = [1, 2].map { school.addCourse(context, $0) }
      for course in courses { context.insert(lesson).setObject(course, for: "course") }
      try context.save()
    }
    try school.work { context in
      let lessons = try context.fetch(FetchSpecification(lesson))
      let ids = lessons.compactMap { $0.objectID(for: "course") }
      lessons[1].setObjectID(ids[0], for: "course")
      var request = school.all(school.course, by: "code")
      request.relationshipKeyPathsForPrefetching = [["lessons"]]
      #expect(try context.fetch(request).map { try $0.objects(for: "lessons").count } == [2, 0])
    }
  }
}
