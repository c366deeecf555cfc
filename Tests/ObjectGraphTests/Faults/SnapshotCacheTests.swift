import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("Rows in memory")
struct SnapshotCacheTests {
  private struct Setup {
    let school: School
    let store: InterruptedStore
    let container: PersistentContainer
    let id: ObjectID

    init(_ kind: StoreKind) throws {
      let school = try School(kind)
      self.school = school
      store = InterruptedStore(school.store)
      container = try PersistentContainer(name: "interrupted", model: store.model, store: store)
      let context = container.newBackgroundContext(name: "fill")
      id = try context.performAndWait {
        let ada = school.addPupil(context, "Ada")
        try context.save()
        return ada.objectID
      }
    }

    func setGrade(_ grade: Int64) throws {
      let context = container.newBackgroundContext(name: "writer")
      try context.performAndWait {
        try context.existingObject(with: id)["grade"] = .integer(grade)
        try context.save()
      }
    }

    func grade() throws -> Value {
      let context = container.newBackgroundContext(name: "reader")
      return try context.performAndWait { try context.existingObject(with: id).attributeValue("grade") }
    }
  }

  @Test("a row that was read before another context saved it is not kept", arguments: StoreKind.allCases)
  func readBeforeSave(kind: StoreKind) throws {
    let setup = try Setup(kind)
    setup.store.interruptNext { try setup.setGrade(2) }
    let context = setup.container.newBackgroundContext(name: "slow")
    try context.performAndWait { _ = try context.fetch(FetchSpecification(setup.school.pupil)) }
    #expect(try setup.grade() == .integer(2))
  }

  @Test(
    "of two saves that overlap, the row of the first does not replace that of the second", arguments: StoreKind.allCases
  )
  func overlappingSaves(kind: StoreKind) throws {
    let setup = try Setup(kind)
    setup.store.interruptNext {
      let context = setup.container.newBackgroundContext(name: "second")
      try context.performAndWait {
        // The first save's row is not in memory yet.
        context.stalenessInterval = 0
        try context.existingObject(with: setup.id)["grade"] = .integer(3)
        try context.save()
      }
    }
    try setup.setGrade(2)
    #expect(try setup.grade() == .integer(3))
  }
}
