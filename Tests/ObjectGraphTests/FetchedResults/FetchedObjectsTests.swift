import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Objects that come in as they are walked")
struct FetchedObjectsTests {
  @Test("the same objects in the same order as a plain fetch, pending changes included", arguments: StoreKind.allCases)
  func walking(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      for code in 0..<50 { school.addCourse(context, Int64((code * 7) % 50))["title"] = .string("t\(code)") }
      try context.save()
      context.reset()
      var request = FetchSpecification(school.course)
      request.sortDescriptors = [.init(["code"], ascending: false)]
      request.fetchBatchSize = 7
      request.fetchOffset = 3
      request.fetchLimit = 40
      let walked = try context.fetchedObjects(request)
      #expect(walked.count == 40 && walked.batchSize == 7)
      #expect(walked.map { $0["code"] } == (7..<47).reversed().map { .integer(Int64($0)) })
      #expect(walked[39] === walked[39] && walked[0].objectID == walked.objectID(at: 0))
      #expect(try walked.map(\.objectID) == context.fetch(request).map(\.objectID))

      _ = school.addCourse(context, 100)
      request.fetchOffset = 0
      request.fetchLimit = 2
      #expect(try context.fetchedObjects(request).map { $0["code"] } == [.integer(100), .integer(49)])
    }
  }

  @Test(
    "only the batches that were looked at last are kept, also in a child and beside changes of other entities",
    arguments: StoreKind.allCases, [false, true])
  func memory(kind: StoreKind, inChild: Bool) throws {
    let school = try School(kind)
    try school.work { root in
      for code in 0..<200 { _ = school.addCourse(root, Int64(code)) }
      try root.save()
      root.reset()
      let context = inChild ? ManagedObjectContext(parent: root, name: "child") : root
      try context.performAndWait {
        school.addPupil(context, "Ada")
        try walkAll(school, context)
      }
    }
  }

  private func walkAll(_ school: School, _ context: ManagedObjectContext) throws {
    var request = FetchSpecification(school.course)
    request.fetchBatchSize = 10
    let walked = try context.fetchedObjects(request)
    for course in walked { _ = course["code"] }
    // The two batches and the pupil.
    #expect(context.registeredObjects.count <= 21)
    #expect(walked.error == nil)
  }
}
