import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Prefetching")
struct PrefetchingTests {
  @Test("what a key path leads to comes with one fetch for each relationship, and is the same as without")
  func fetches() throws {
    for isPrefetching in [false, true] {
      let school = try School(.sqlite)
      let counting = CountingStore(school.store)
      let container = try PersistentContainer(name: "counted", model: school.store.model, store: counting)
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
        var request = FetchRequest(school.course)
        request.sortDescriptors = [.init(["code"])]
        if isPrefetching { request.relationshipKeyPathsForPrefetching = [["lessons"]] }
        let before = counting.fetchCount
        let topics = try reader.fetch(request).map { course in
          try course.objects(for: "lessons").map { $0["topic"] }
        }
        #expect(topics == (0..<12).map { code in (0..<3).map { .string("\(code).\($0)") } })
        let count = counting.fetchCount - before
        #expect(isPrefetching ? count == 2 : count == 13)

        var lessons = FetchRequest(lesson)
        lessons.relationshipKeyPathsForPrefetching = [["course"]]
        reader.reset()
        #expect(try reader.fetch(lessons).allSatisfy { $0.object(for: "course")?["code"] != .null })
        lessons.relationshipKeyPathsForPrefetching = [["nowhere"]]
        #expect(throws: StoreError.self) { try reader.fetch(lessons) }
      }
    }
  }
}
