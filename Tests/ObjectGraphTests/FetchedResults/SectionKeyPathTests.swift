import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Section key paths")
struct SectionKeyPathTests {
  private func sectionNames(
    _ context: ManagedObjectContext, _ entity: Entity, _ path: String, by sort: [String]
  ) throws -> [String] {
    var request = FetchSpecification(entity)
    request.sortDescriptors = [.init(sort)]
    let results = FetchedResultsController<ManagedObject>(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: path)
    try results.performFetch()
    return results.sections?.map(\.name) ?? []
  }

  static let wrongPaths = [
    "", "nmae", "course", "clubs", "clubs.name", "course.nope", "course.pupils.name", "name.length", "course.",
    "entity.nope", "objectID", "course..title",
  ]

  @Test(
    "a key path that leads to no attribute is an error before anything is fetched", arguments: StoreKind.allCases,
    wrongPaths)
  func wrongPath(kind: StoreKind, path: String) throws {
    let school = try School(kind)
    try school.work { context in
      for isEmpty in [true, false] {
        if !isEmpty { school.addPupil(context, "Ada") }
        #expect {
          try sectionNames(context, school.pupil, path, by: ["name"])
        } throws: { error in
          "\(error)".contains("\"\(path)\" leads to no attribute of Pupil")
        }
      }
    }
  }

  @Test(
    "sections are named behind to-one relationships, by transient attributes and by entities",
    arguments: StoreKind.allCases)
  func names(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let ada = school.addPupil(context, "Ada")
      let course = school.addCourse(context, 5)
      ada.setObject(course, for: "course")
      ada["mood"] = .string("glad")
      let teacher = context.insert(school.person)
      teacher["name"] = .string("Zoe")
      try context.save()
      #expect(try sectionNames(context, school.pupil, "course.code", by: ["course", "code"]) == ["5"])
      #expect(try sectionNames(context, school.pupil, "mood", by: ["name"]) == ["glad"])
      #expect(try sectionNames(context, school.person, "entity.name", by: ["name"]) == ["Pupil", "Person"])
      #expect(try sectionNames(context, school.person, "entity", by: ["name"]) == ["Pupil", "Person"])
      #expect(try sectionNames(context, school.pupil, "course.entity.name", by: ["name"]) == ["Course"])
    }
  }

  @Test("different dates are different sections, whatever their fraction of a second", arguments: StoreKind.allCases)
  func dates(kind: StoreKind) throws {
    var visit = EntityDefinition("Visit")
    visit.attributes = [AttributeDefinition("at", .date)]
    let model = try ManagedObjectModel(entities: [visit])
    let folder = try TemporaryFolder()
    let container = try PersistentContainer(name: "visits", model: model, store: try kind.makeStore(model, in: folder))
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let entity = try model.required("Visit")
      for seconds in [-Double.infinity, -0.25, 0, 0.5, 0.5, 0.500001, 1, 1e300] {
        context.insert(entity)["at"] = .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      try context.save()
      context.reset()
      #expect(
        try sectionNames(context, entity, "at", by: ["at"]) == [
          "-inf", "2000-12-31T23:59:59.75Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.5Z",
          "2001-01-01T00:00:00.500001Z", "2001-01-01T00:00:01Z", "1e+300",
        ])
    }
  }
}
