import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface

/// A school with the pupils a, b and c in one course, and the context that reads it.
struct GenerationScene {
  let school: School
  let context: ManagedObjectContext

  init(_ kind: StoreKind) throws {
    school = try School(kind)
    let school = school
    try school.work { context in
      let course = school.addCourse(context, 1)
      for (grade, name) in ["aa", "bb", "cc"].enumerated() {
        school.addPupil(context, name, grade: Int64(grade)).setObject(course, for: "course")
      }
      try context.save()
    }
    context = school.container.newBackgroundContext(name: "reader")
  }

  func read<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
    try context.performAndWait { try body(context) }
  }

  /// Another context gives the pupil aa another grade, removes bb and adds a pupil.
  func change(grade: Int64 = 9, adding name: String = "dd") throws {
    try school.work { context in
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      pupils.first { $0["name"] == .string("aa") }?["grade"] = .integer(grade)
      let added = school.addPupil(context, name)
      // A course has at most three pupils.
      if let second = pupils.first(where: { $0["name"] == .string("bb") }) {
        added.setObject(second.object(for: "course"), for: "course")
        context.delete(second)
      }
      try context.save()
    }
  }

  func names(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(school.all(school.pupil, by: "name")).map { $0["name"]?.string ?? "" }
  }

  func grades(_ context: ManagedObjectContext) throws -> [Int64] {
    try context.fetch(school.all(school.pupil, by: "name")).map { $0["grade"]?.integer ?? -1 }
  }

  /// Everything that a context can ask, as it is without objects that it had before.
  func view(_ context: ManagedObjectContext) throws -> [String] {
    var lines: [String] = []
    let request = school.all(school.pupil, by: "name")
    lines.append("count \(try context.count(request))")
    lines.append("ids \(try context.objectIDs(request).map { $0.primaryKey ?? 0 })")
    var dictionaries = request
    dictionaries.propertiesToFetch = [.init("name", .keyPath(["name"])), .init("grade", .keyPath(["grade"]))]
    lines.append(
      "rows \(try context.dictionaries(dictionaries).map { "\($0["name"] as Any) \($0["grade"] as Any)" })")
    for object in try context.fetchedObjects(request) {
      lines.append("\(object["name"] ?? .null) \(object["grade"] ?? .null) \(object.object(for: "course") != nil)")
    }
    for course in try context.fetch(school.all(school.course)) {
      lines.append("pupils \(try course.objects(for: "pupils").map { $0["name"] ?? .null })")
    }
    return lines
  }

  func batchDelete(_ predicate: FetchPredicate) throws {
    try school.work { context in
      let request = FetchRequest<ManagedObject>(entityName: "Pupil")
      request.predicate = predicate
      _ = try context.execute(BatchDeleteRequest(fetchRequest: request))
    }
  }
}
