import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Saving", .serialized)
struct SavingTests {
  @Test(
    "a new object has defaults and a temporary id, and a permanent id after the save", arguments: StoreKind.allCases)
  func insertion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      #expect(ada["age"] == .integer(7))
      #expect(ada.objectID.isTemporary && ada.isInserted && ada.hasChanges && !ada.isFault)
      #expect(context.hasChanges)
      try context.save()
      #expect(ada.objectID.primaryKey == 1)
      #expect(!ada.isInserted && !ada.hasChanges && !context.hasChanges)
      #expect(context.registeredObject(for: ada.objectID) === ada)
      #expect(try context.fetch(FetchSpecification(school.person)).first === ada)
    }
    let row = try #require(try school.rows(school.person).first)
    #expect(row.version == 1)
    #expect(row.objectID.entity == school.pupil)
  }

  @Test("primary keys follow the order of insertion, also after a save that failed", arguments: StoreKind.allCases)
  func keysFollowInsertion(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let names = ["Cy", "Al", "Bo"]
      let pupils = names.map { school.addPupil(context, $0) }
      pupils[1]["email"] = .string("nonsense")
      #expect(throws: ValidationError.self) { try context.save() }
      #expect(pupils.allSatisfy { $0.isInserted && $0.objectID.isTemporary })
      pupils[1]["email"] = .string("al@example.org")
      school.addPupil(context, "Di")
      try context.save()
      #expect(pupils.map(\.objectID.primaryKey) == [1, 2, 3])
    }
    #expect(try school.rows(school.pupil).count == 4)
  }

  @Test("an object that is set to what it was is not saved and keeps its version", arguments: StoreKind.allCases)
  func unchanged(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      try context.save()
      ada["name"] = .string("Ada")
      ada["mood"] = .string("sunny")
      #expect(!ada.hasChanges && !context.hasChanges)
      ada["name"] = .string("Eve")
      #expect(ada.changedPropertyValues() == ["name": .attribute(.string("Eve"))])
      #expect(context.updatedObjects == [ada])
      ada["name"] = .string("Ada")
      #expect(!ada.hasChanges && ada.changedPropertyValues().isEmpty)
      try context.save()
      #expect(try school.rows(school.pupil).map(\.version) == [1])
      ada["grade"] = .integer(2)
      try context.save()
      #expect(try school.rows(school.pupil).map(\.version) == [2])
      #expect(ada["mood"] == .string("sunny"))
    }
  }

  @Test("text that differs only in Unicode normalisation is a change", arguments: StoreKind.allCases)
  func normalisation(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let object = school.addPupil(context, "Ren\u{E9}")
      try context.save()
      object["name"] = .string("Rene\u{301}")
      #expect(object.isUpdated)
    }
  }

  @Test(
    "of two contexts that change one object the second fails to save and keeps its changes",
    arguments: StoreKind.allCases)
  func locking(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      school.addPupil(context, "Ada")
      try context.save()
    }
    try school.work { first in
      let mine = try school.first(school.pupil, in: first)
      mine["grade"] = .integer(5)
      try school.work { second in
        let yours = try school.first(school.pupil, in: second)
        yours["grade"] = .integer(6)
        try second.save()
      }
      #expect(throws: SaveConflictError.self) { try first.save() }
      #expect(mine["grade"] == .integer(5) && mine.isUpdated)
      first.refresh(mine, mergeChanges: true)
      try first.save()
    }
    let row = try #require(try school.rows(school.pupil).first)
    #expect(row.version == 3)
    #expect(row.attributes.contains(.integer(5)))
  }

  @Test(
    "a save that breaks a uniqueness constraint leaves store and context as they were", arguments: StoreKind.allCases)
  func constraint(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      ada["email"] = .string("a@b")
      try context.save()
      let eve = school.addPupil(context, "Eve")
      eve["email"] = .string("a@b")
      ada["grade"] = .integer(9)
      #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(eve.isInserted && ada.isUpdated)
      #expect(try school.rows(school.pupil).map(\.version) == [1])
      eve["email"] = .string("e@b")
      try context.save()
      #expect(eve.objectID.primaryKey == 2)
    }
  }

  @Test("rollback takes back insertions, changes, deletions and links", arguments: StoreKind.allCases)
  func rollback(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let bob = school.addPupil(context, "Bob")
      let maths = school.addCourse(context, 1)
      try maths.setObjects([bob, ada], for: "pupils")
      try context.save()
      let eve = school.addPupil(context, "Eve")
      ada["name"] = .string("Eva")
      try maths.add(eve, to: "pupils")
      try maths.remove(ada, from: "pupils")
      context.delete(bob)
      context.processPendingChanges()
      #expect(try maths.objects(for: "pupils") == [eve])
      context.rollback()
      #expect(!context.hasChanges && !bob.isDeleted && eve.managedObjectContext == nil)
      #expect(ada["name"] == .string("Ada"))
      #expect(try maths.objects(for: "pupils") == [bob, ada])
      #expect(ada.object(for: "course") === maths)
    }
  }

  final class Watcher: ManagedObject {
    var events: [String] = []
    override func awakeFromInsert() {
      events.append("awakeFromInsert")
      self["grade"] = .integer(4)
    }
    override func awakeFromFetch() { events.append("awakeFromFetch") }
    override func willSave() {
      events.append("willSave")
      self["height"] = .double(1.1)
    }
    override func didSave() { events.append("didSave") }
    override func validateForUpdate() throws {
      try super.validateForUpdate()
      struct Refusal: Error {}
      if self["grade"] == .integer(13) { throw Refusal() }
    }
  }

  @Test("subclasses are told of insertion, fetch and save, and may refuse", arguments: StoreKind.allCases)
  func hooks(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Watcher.self])
    try school.work { context in
      let watcher = try #require(context.insert(school.pupil) as? Watcher)
      watcher["name"] = .string("Ada")
      try context.save()
      #expect(watcher.events == ["awakeFromInsert", "willSave", "willSave", "didSave"])
      #expect(watcher["height"] == .double(Double(Float(1.1))))
      context.reset()
      let again = try #require(try context.fetch(FetchSpecification(school.person)).first as? Watcher)
      #expect(again.isFault && again.events.isEmpty && again["name"] == .string("Ada"))
      #expect(again.events == ["awakeFromFetch"])
      again["grade"] = .integer(13)
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.custom])
    }
  }

  final class Climber: ManagedObject {
    var calls = 0
    override func willSave() {
      calls += 1
      if case .integer(let grade) = self["grade"], grade < 5 { self["grade"] = .integer(grade + 1) }
    }
  }

  @Test("willSave is called until nothing changes, and endless changes are an error", arguments: StoreKind.allCases)
  func repeatedWillSave(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Climber.self])
    try school.work { context in
      let climber = try #require(school.addPupil(context, "Ada") as? Climber)
      try context.save()
      #expect(climber["grade"] == .integer(5) && climber.calls == 5)
      climber["age"] = .integer(8)
      try context.save()
      #expect(climber.calls == 6)
      climber["grade"] = .integer(-2000)
      #expect(throws: ContextError.self) { try context.save() }
    }
  }

  final class Stamped: ManagedObject {
    var calls = 0
    var isPrimitive = true
    override func willSave() {
      calls += 1
      let value = (isPrimitive ? 1000 : 2000) + calls
      if isPrimitive {
        setPrimitiveValue(value, forKey: "grade")
      } else if calls < 4 || attributeValue("age") == .integer(99) {
        setValue(value, forKey: "grade")
      }
    }
  }

  @Test(
    "what willSave sets by key-value coding has it called again, and a primitive value does not",
    arguments: StoreKind.allCases)
  func keyValueCoding(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Stamped.self])
    try school.work { context in
      let stamped = try #require(school.addPupil(context, "Ada") as? Stamped)
      try context.save()
      #expect(stamped.calls == 1 && stamped["grade"] == .integer(1001))
      (stamped.calls, stamped.isPrimitive) = (0, false)
      stamped["age"] = .integer(8)
      try context.save()
      #expect(stamped.calls == 4 && stamped["grade"] == .integer(2003))
      stamped["age"] = .integer(99)
      let error = #expect(throws: ContextError.self) { try context.save() }
      guard case .endlessWillSave = try #require(error) else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  final class Guarded: ManagedObject {
    struct Refusal: Error {}
    override func validateForInsert() throws {
      try super.validateForInsert()
      if self["grade"] == .integer(0) { throw Refusal() }
    }
    override func validateForDelete() throws {
      try super.validateForDelete()
      if self["grade"] == .integer(9) { throw Refusal() }
    }
  }

  @Test("subclasses may refuse insertion and deletion", arguments: StoreKind.allCases)
  func refusals(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Guarded.self])
    try school.work { context in
      let ada = school.addPupil(context, "Ada", grade: 0)
      let first = #expect(throws: ValidationError.self) { try context.save() }
      #expect(first?.problems.count == 1 && first?.problems[0].underlyingError is Guarded.Refusal)
      let eve = school.addPupil(context, "E", grade: 1)
      let several = #expect(throws: ValidationError.self) { try context.save() }
      #expect(several?.problems.map(\.code) == [.custom, .stringTooShort])
      #expect(several?.problems[0].underlyingError is Guarded.Refusal && several?.problems[1].underlyingError == nil)
      context.delete(eve)
      ada["grade"] = .integer(9)
      try context.save()
      context.delete(ada)
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.custom] && ada.isDeleted)
      #expect(try school.rows(school.pupil).count == 1)
      context.rollback()
      ada["grade"] = .integer(1)
      try context.save()
      context.delete(ada)
      try context.save()
      #expect(try school.rows(school.pupil).isEmpty)
    }
  }

  @Test("all problems of a save are reported at once", arguments: StoreKind.allCases)
  func validation(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let first = school.addPupil(context, "A")
      first["email"] = .string("none")
      first["age"] = .integer(130)
      let second = context.insert(school.pupil)
      second["grade"] = .string("two")
      let lesson = context.insert(try #require(school.person.model["Lesson"]))
      let maths = school.addCourse(context, 1)
      for index in 0..<4 { school.addPupil(context, "Pupil \(index)").setObject(maths, for: "course") }
      let error = #expect(throws: ValidationError.self) { try context.save() }
      let problems = try #require(error?.problems)
      let found = Set(problems.map { "\($0.entity).\($0.property ?? "") \($0.code.rawValue)" })
      #expect(
        found == [
          "Pupil.name string-too-short", "Pupil.email pattern-mismatch", "Pupil.age number-too-large",
          "Pupil.name missing-value", "Pupil.grade wrong-type", "Lesson.course missing-relationship",
          "Course.pupils too-many-objects",
        ])
      #expect(problems.count == 7)
      #expect(problems.contains { $0.objectID == lesson.objectID })
    }
    #expect(try school.rows(school.person).isEmpty)
  }

  @Test("a limit on members holds when only the to-one side was set", arguments: StoreKind.allCases)
  func limitFromOtherSide(kind: StoreKind) throws {
    let school = try School(kind)
    let courseID = Box<ObjectID>()
    try school.work { context in
      let maths = school.addCourse(context, 1)
      try maths.setObjects((0..<3).map { school.addPupil(context, "Pupil \($0)") }, for: "pupils")
      try context.save()
      courseID.value = maths.objectID
    }
    try school.work { context in
      let late = school.addPupil(context, "Late")
      late.setObjectID(courseID.value, for: "course")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.tooManyObjects])
      late.setObjectID(nil, for: "course")
      try context.save()
    }
  }
}

/// Carries a value out of a context's queue; every use is on one thread at a time.
final class Box<Value>: @unchecked Sendable {
  var value: Value?
}
