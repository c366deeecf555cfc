import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// The stores that every test of this target runs on.
enum StoreKind: CaseIterable, Sendable {
  case inMemory, sqlite

  /// A new store; one on disk is in a folder that `TemporaryFolder` removes when the test drops the school.
  func makeStore(_ model: ManagedObjectModel, in folder: TemporaryFolder) throws -> any PersistentStore {
    switch self {
    case .inMemory: InMemoryStore(model: model)
    case .sqlite: try SQLiteStore.create(path: folder.path + "/School.sqlite", model: model)
    }
  }
}

/// The model of these tests: people (pupils and teachers), classes with an ordered to-many and a many-to-many
/// relationship, lockers one-to-one, and every delete rule.
struct School: TestGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let person: Entity
  let pupil: Entity
  let course: Entity
  let locker: Entity
  let club: Entity

  init(_ kind: StoreKind, classes: [String: ManagedObject.Type] = [:]) throws {
    let model = try Self.model()
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "school", model: model, store: try kind.makeStore(model, in: folder), classes: classes)
    person = try model.required("Person")
    pupil = try model.required("Pupil")
    course = try model.required("Course")
    locker = try model.required("Locker")
    club = try model.required("Club")
  }

  /// Its store as one that counts, in a container of its own.
  func counted() throws -> (store: CountingStore, container: PersistentContainer) {
    let counting = CountingStore(store)
    return (counting, try PersistentContainer(name: "counted", model: store.model, store: counting))
  }

  /// The first object of an entity.
  func first(
    _ entity: Entity, in context: ManagedObjectContext, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ManagedObject {
    try #require(try context.fetch(FetchSpecification(entity)).first, sourceLocation: sourceLocation)
  }

  private static func model() throws -> ManagedObjectModel {
    var person = EntityDefinition("Person")
    var name = AttributeDefinition("name", .string)
    name.isOptional = false
    name.minimumValue = .integer(2)
    var email = AttributeDefinition("email", .string)
    email.regularExpression = "[^@]+@[^@]+"
    var age = AttributeDefinition("age", .integer16)
    age.maximumValue = .integer(120)
    age.defaultValue = .integer(7)
    var mood = AttributeDefinition("mood", .string)
    mood.isTransient = true
    person.attributes = [name, email, age, mood, AttributeDefinition("height", .float)]
    person.uniquenessConstraints = [["email"]]
    var pupil = EntityDefinition("Pupil")
    pupil.superentityName = "Person"
    pupil.attributes = [AttributeDefinition("grade", .integer32)]
    pupil.relationships = [
      RelationshipDefinition("course", toOne: "Course", inverse: "pupils"),
      RelationshipDefinition("locker", toOne: "Locker", inverse: "owner"),
      RelationshipDefinition("clubs", toMany: "Club", inverse: "members"),
    ]
    var course = EntityDefinition("Course")
    course.attributes = [AttributeDefinition("title", .string), AttributeDefinition("code", .integer64)]
    var pupils = RelationshipDefinition("pupils", toMany: "Pupil", inverse: "course", ordered: true)
    pupils.maximumCount = 3
    var lessons = RelationshipDefinition("lessons", toMany: "Lesson", inverse: "course")
    lessons.deleteRule = .cascade
    course.relationships = [pupils, lessons]
    var lesson = EntityDefinition("Lesson")
    lesson.attributes = [AttributeDefinition("topic", .string)]
    var owner = RelationshipDefinition("course", toOne: "Course", inverse: "lessons")
    owner.isOptional = false
    var next = RelationshipDefinition("next", toOne: "Lesson")
    next.deleteRule = .cascade
    lesson.relationships = [owner, next]
    var locker = EntityDefinition("Locker")
    locker.attributes = [AttributeDefinition("number", .integer32)]
    var holder = RelationshipDefinition("owner", toOne: "Pupil", inverse: "locker")
    holder.deleteRule = .deny
    locker.relationships = [holder]
    var club = EntityDefinition("Club")
    club.attributes = [AttributeDefinition("name", .string)]
    club.relationships = [RelationshipDefinition("members", toMany: "Pupil", inverse: "clubs")]
    return try ManagedObjectModel(entities: [person, pupil, course, lesson, locker, club])
  }

  /// A new pupil with a valid name.
  @discardableResult func addPupil(_ context: ManagedObjectContext, _ name: String, grade: Int64 = 1) -> ManagedObject {
    let object = context.insert(pupil)
    object["name"] = .string(name)
    object["grade"] = .integer(grade)
    return object
  }

  func addCourse(_ context: ManagedObjectContext, _ code: Int64) -> ManagedObject {
    let object = context.insert(course)
    object["code"] = .integer(code)
    return object
  }

  func rows(_ entity: Entity) throws -> [Snapshot] { try store.snapshots(FetchSpecification(entity)) }

  func all(_ entity: Entity, where predicate: FetchPredicate = .all, by key: String? = nil) -> FetchSpecification {
    var request = FetchSpecification(entity)
    request.predicate = predicate
    request.sortDescriptors = key.map { [FetchSortDescriptor([$0])] } ?? []
    return request
  }
}
