import ObjectModel
import Predicates
import Testing

@testable import ObjectGraph

@Suite("Contexts that retain their objects", .serialized)
struct RetainedObjectsTests {
  private let school: School
  private let ids: [ObjectID]

  init() throws {
    school = try School(.sqlite)
    let school = school
    let context = school.container.newBackgroundContext()
    ids = try context.performAndWait {
      let people = (0..<40).map { school.addPupil(context, "Pupil \($0 + 10)") }
      try context.save()
      return people.map(\.objectID)
    }
  }

  private func count(_ context: ManagedObjectContext) -> Int {
    context.performAndWait { context.registeredObjects.count }
  }

  @Test("fetched objects that nothing else holds stay, and go when the context is told so", arguments: [true, false])
  func fetched(isSetBefore: Bool) throws {
    let context = school.container.newBackgroundContext()
    if isSetBefore { context.retainsRegisteredObjects = true }
    try context.performAndWait {
      let found = try context.fetch(school.all(school.pupil, by: "name"))
      if !isSetBefore { context.retainsRegisteredObjects = true }
      #expect(found.count == 40)
    }
    #expect(count(context) == 40)
    context.performAndWait {
      #expect(context.retainsRegisteredObjects)
      #expect(ids.allSatisfy { context.registeredObject(for: $0) != nil })
      context.retainsRegisteredObjects = false
      #expect(!context.retainsRegisteredObjects)
    }
    #expect(count(context) == 0)
  }

  @Test("without it they go with the event")
  func notRetained() throws {
    let context = school.container.newBackgroundContext()
    try context.performAndWait { _ = try context.fetch(school.all(school.pupil, by: "name")) }
    #expect(count(context) == 0 && !context.performAndWait { context.retainsRegisteredObjects })
  }

  @Test("faults, new objects and objects of rows in any order stay; deleted ones go with the save, all with a reset")
  func others() throws {
    let context = school.container.newBackgroundContext()
    context.retainsRegisteredObjects = true
    context.performAndWait { for id in ids.reversed() { _ = context.object(with: id) } }
    #expect(count(context) == 40)
    try context.performAndWait {
      for number in 0..<3 { _ = school.addPupil(context, "New \(number)") }
      try context.save()
    }
    #expect(count(context) == 43)
    try context.performAndWait {
      for id in ids.prefix(5) { context.delete(context.object(with: id)) }
      try context.save()
    }
    #expect(count(context) == 38)
    context.performAndWait { context.reset() }
    #expect(count(context) == 0)
    try context.performAndWait { _ = try context.fetch(school.all(school.pupil, by: "name")) }
    #expect(count(context) == 38)
  }

  final class Returning: ManagedObject {
    nonisolated(unsafe) static weak var context: ManagedObjectContext?
    nonisolated(unsafe) static var count = 0

    deinit {
      unsafe Self.count += 1
      // The object that this makes goes the same way.
      if unsafe Self.count <= 20 { _ = unsafe Self.context?.object(with: objectID) }
    }
  }

  @Test("objects whose deinitializers come back to the context", arguments: ["reset", "off", "delete"])
  func returning(way: String) throws {
    let school = try School(.inMemory, classes: ["Course": Returning.self])
    let context = school.container.newBackgroundContext()
    context.retainsRegisteredObjects = true
    unsafe Returning.count = 0
    try context.performAndWait {
      for number in 0..<20 { _ = school.addCourse(context, Int64(number)) }
      try context.save()
      unsafe Returning.context = context
      switch way {
      case "reset": context.reset()
      case "off": context.retainsRegisteredObjects = false
      default:
        for object in context.registeredObjects { context.delete(object) }
        try context.save()
      }
    }
    context.performAndWait { unsafe Returning.context = nil }
    #expect(unsafe Returning.count >= (way == "off" ? 0 : 20))
    context.performAndWait { context.reset() }
  }

  @Test("a context that is dropped takes its objects with it")
  func dropped() throws {
    weak var object: ManagedObject?
    do {
      let context = school.container.newBackgroundContext()
      context.retainsRegisteredObjects = true
      context.performAndWait { object = context.object(with: ids[0]) }
      #expect(object != nil)
    }
    #expect(object == nil)
  }
}
