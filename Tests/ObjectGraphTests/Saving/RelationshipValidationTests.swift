import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Validation of relationships")
struct RelationshipValidationTests {
  struct NoBeginners: Error {}

  /// Takes no pupil of the first grade, and leaves out those without a grade.
  final class StrictCourse: ManagedObject {
    override func validateValue(_ value: inout PropertyValue, forKey key: String) throws {
      if key == "pupils", case .toMany(let members) = value, let context = managedObjectContext {
        let graded = members.filter { context.object(with: $0)["grade"] != nil }
        if graded.contains(where: { context.object(with: $0)["grade"] == .integer(1) }) { throw NoBeginners() }
        if graded != members { value = .toMany(graded) }
      }
      try super.validateValue(&value, forKey: key)
    }
  }

  /// Goes into the first course when it has none.
  final class EagerPupil: ManagedObject {
    override func validateValue(_ value: inout PropertyValue, forKey key: String) throws {
      if key == "course", value == .toOne(nil), let context = managedObjectContext,
        let course = context.coordinator.model["Course"]
      {
        value = .toOne(try context.fetch(FetchSpecification(course)).first?.objectID)
      }
      try super.validateValue(&value, forKey: key)
    }
  }

  @Test("a subclass refuses and replaces what relationships lead to", arguments: StoreKind.allCases)
  func subclass(kind: StoreKind) throws {
    let school = try School(kind, classes: ["Course": StrictCourse.self])
    try school.work { context in
      let course = school.addCourse(context, 1)
      let (ada, bob) = (school.addPupil(context, "Ada", grade: 1), school.addPupil(context, "Bob", grade: 2))
      let eve = school.addPupil(context, "Eve")
      eve["grade"] = .null
      try course.setObjects([ada, bob, eve], for: "pupils")
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.custom] && error?.problems.map(\.property) == ["pupils"])
      ada["grade"] = .integer(2)
      try context.save()
      #expect(try course.objects(for: "pupils") == [ada, bob] && eve.object(for: "course") == nil)
    }
    let eager = try School(kind, classes: ["Pupil": EagerPupil.self])
    try eager.work { context in
      let course = eager.addCourse(context, 1)
      let ada = eager.addPupil(context, "Ada")
      try context.save()
      #expect(ada.object(for: "course") === course)
    }
  }

  @Test("the model's rules can be asked of a value that is not set", arguments: StoreKind.allCases)
  func rules(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let course = school.addCourse(context, 1)
      let pupils = (0..<4).map { school.addPupil(context, "Ada \($0)") }
      func codes(_ value: PropertyValue, _ key: String, of object: ManagedObject) -> [ValidationError.Code] {
        var value = value
        do {
          try object.validateValue(&value, forKey: key)
          return []
        } catch {
          return (error as? ValidationError)?.problems.map(\.code) ?? []
        }
      }
      #expect(codes(.toMany(pupils.map(\.objectID)), "pupils", of: course) == [.tooManyObjects])
      #expect(codes(.toMany(pupils.prefix(3).map(\.objectID)), "pupils", of: course).isEmpty)
      #expect(codes(.toMany([course.objectID]), "pupils", of: course) == [.wrongDestination])
      #expect(codes(.toOne(course.objectID), "course", of: pupils[0]).isEmpty)
      #expect(codes(.toOne(pupils[1].objectID), "course", of: pupils[0]) == [.wrongDestination])
      #expect(codes(.attribute(.integer(200)), "age", of: pupils[0]).count == 1)
      let members = try course.objects(for: "pupils")
      #expect(members.isEmpty)
    }
  }
}
