import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("What validation changes")
struct ValidationChangesTests {
  /// Does what the test says when it is validated.
  final class Applicant: ManagedObject {
    @TaskLocal static var hook: (@Sendable (ManagedObject) throws -> Void)?

    override func validateForInsert() throws {
      try super.validateForInsert()
      try Self.hook?(self)
    }
  }

  @Test("deletions follow their rules in the same save", arguments: StoreKind.allCases)
  func deletion(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      let course = school.addCourse(context, 1)
      school.addPupil(context, "Ada").setObject(course, for: "course")
      let lesson = context.insert(try school.course.model.required("Lesson"))
      lesson.setObject(course, for: "course")
      try context.save()
      let held = Box<ManagedObject>()
      held.value = course
      try Applicant.$hook.withValue({ _ in
        if let course = held.value, !course.isDeleted { context.delete(course) }
      }) {
        school.addPupil(context, "Bob")
        try context.save()
      }
      #expect(!context.hasChanges)
    }
    #expect(try school.rows(school.course).isEmpty)
    #expect(try school.rows(try school.course.model.required("Lesson")).isEmpty)
    let pupils = try school.rows(school.pupil)
    #expect(!pupils.isEmpty && pupils.allSatisfy { row in row.toOne.allSatisfy { $0 == nil } })
  }

  @Test("objects that it inserts and changes are validated too", arguments: StoreKind.allCases)
  func insertion(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      let old = context.insert(school.person)
      old["name"] = .string("Old")
      try context.save()
      let held = Box<ManagedObject>()
      held.value = old
      let error = try Applicant.$hook.withValue({ object in
        guard object["name"] == .string("Bob") else { return }
        held.value?["name"] = .null
        object.managedObjectContext?.insert(school.person)["age"] = .integer(30)
      }) { () throws -> ValidationError? in
        school.addPupil(context, "Bob")
        return #expect(throws: ValidationError.self) { try context.save() }
      }
      let problems = try #require(error).problems
      #expect(problems.filter { $0.code == .missingValue && $0.property == "name" }.count == 2)
      #expect(problems.contains { $0.objectID == old.objectID })
    }
    #expect(try school.rows(school.person).count == 1)
  }

  @Test("what is processed in a hook is validated all the same", arguments: StoreKind.allCases)
  func processed(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      Applicant.$hook.withValue({ object in
        guard object["name"] == .string("Ada"), let context = object.managedObjectContext else { return }
        context.insert(school.person)["age"] = .integer(30)
        context.processPendingChanges()
      }) {
        school.addPupil(context, "Ada")
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.problems.map(\.property) == ["name"])
      }
    }
    #expect(try school.rows(school.person).isEmpty)
  }

  @Test("an object that another one's hook breaks is validated again", arguments: StoreKind.allCases)
  func broken(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      let held = Box<ManagedObject>()
      held.value = school.addPupil(context, "Ada")
      Applicant.$hook.withValue({ object in
        if object["name"] == .string("Bob") { held.value?["name"] = .null }
      }) {
        school.addPupil(context, "Bob")
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.problems.map(\.code) == [.missingValue])
      }
    }
    #expect(try school.rows(school.person).isEmpty)
  }

  @Test("the problems of objects that another one's hook deletes are none", arguments: StoreKind.allCases)
  func deletedProblem(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      let held = Box<[ManagedObject]>()
      held.value = [context.insert(school.person)]
      school.addPupil(context, "Ada")
      held.value?.append(context.insert(school.person))
      try Applicant.$hook.withValue({ object in
        for nameless in held.value ?? [] { object.managedObjectContext?.delete(nameless) }
        held.value = []
      }) {
        try context.save()
      }
    }
    #expect(try school.rows(school.person).count == 1)
  }

  @Test("a value that is set at every validation does not keep the save going", arguments: StoreKind.allCases)
  func everyTime(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Pupil": Applicant.self])
    try school.work { context in
      try Applicant.$hook.withValue({ object in
        guard case .integer(let grade) = object["grade"] else { return }
        object["grade"] = .integer(grade + 1)
      }) {
        school.addPupil(context, "Ada", grade: 1)
        try context.save()
      }
    }
    let grade = school.pupil.attributes.firstIndex { $0.name == "grade" }
    #expect(try school.rows(school.pupil).map { $0.attributes[try #require(grade)] } == [.integer(2)])
  }
}
