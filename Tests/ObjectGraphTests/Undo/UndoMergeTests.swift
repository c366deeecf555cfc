import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Undo after a merge")
struct UndoMergeTests {
  /// Two pupils, two clubs and a course in a context with an undo manager, and changes that another context saves.
  private struct Scene {
    let school: School
    let context: ManagedObjectContext
    let pupils: [ManagedObject]
    let clubs: [ManagedObject]
    let course: ManagedObject

    init(_ school: School, _ context: ManagedObjectContext) throws {
      self.school = school
      self.context = context
      pupils = ["Ada", "Bob"].map { school.addPupil(context, $0) }
      clubs = (0..<2).map { _ in context.insert(school.club) }
      course = school.addCourse(context, 1)
      try clubs[0].add(pupils[0], to: "members")
      try context.save()
      context.undoManager = ContextUndoManager()
    }

    /// What another context saves, merged.
    func elsewhere(_ change: (ManagedObjectContext, (ManagedObject) -> ManagedObject) throws -> Void) throws {
      let other = school.container.newBackgroundContext(name: "other")
      let ids = Ids()
      let token = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didSaveObjectIDsNotification, object: other, queue: nil
      ) { ids.value = $0.contextChangeIDs }
      defer { NotificationCenter.default.removeObserver(token) }
      let objects = Dictionary(uniqueKeysWithValues: (pupils + clubs + [course]).map { ($0, $0.objectID) })
      try other.performAndWait {
        try change(other) { other.object(with: objects[$0] ?? $0.objectID) }
        try other.save()
      }
      if let changes = ids.value {
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
      }
    }
  }

  private final class Ids: @unchecked Sendable {
    var value: ContextChangeIDs?
  }

  @Test("only what the group changed goes back", arguments: StoreKind.allCases, [false, true])
  func properties(kind: StoreKind, saves: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      let (ada, bob) = (scene.pupils[0], scene.pupils[1])
      ada["name"] = .string("Eve")
      try scene.clubs[0].add(bob, to: "members")
      if saves { try context.save() } else { context.processPendingChanges() }
      try scene.elsewhere { _, here in
        here(ada)["grade"] = .integer(5)
        here(ada).setObject(here(scene.course), for: "course")
        try here(scene.clubs[1]).setObjects([here(ada)], for: "members")
      }
      #expect(ada["grade"] == .integer(5) && ada.object(for: "course") === scene.course)
      context.undo()
      #expect(ada["name"] == .string("Ada"))
      #expect(ada["grade"] == .integer(5) && ada.object(for: "course") === scene.course)
      #expect(try scene.clubs[0].objects(for: "members") == [ada])
      #expect(try scene.clubs[1].objects(for: "members") == [ada])
      context.redo()
      #expect(ada["name"] == .string("Eve") && ada["grade"] == .integer(5))
      #expect(Set(try scene.clubs[0].objects(for: "members")) == [ada, bob])
      context.undo()
      try context.save()
      let rows = try school.rows(school.pupil)
      #expect(rows.count == 2)
      context.reset()
      let again = try context.fetch(school.all(school.pupil, by: "name"))
      #expect(again.map { $0["name"] } == [.string("Ada"), .string("Bob")])
      #expect(again[0]["grade"] == .integer(5) && again[0].object(for: "course")?["code"] == .integer(1))
      #expect(try again[0].objectIDs(for: "clubs").count == 2)
      #expect(try again[1].objectIDs(for: "clubs").isEmpty)
    }
  }

  @Test(
    "members that came from elsewhere stay in a relationship that is undone, loaded or not",
    arguments: StoreKind.allCases,
    [false, true])
  func members(kind: StoreKind, looks: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      let cyd = school.addPupil(context, "Cyd")
      try context.save()
      context.undoManager?.removeAllActions()
      let (ada, bob) = (scene.pupils[0], scene.pupils[1])
      try scene.clubs[0].setObjects([bob], for: "members")
      try context.save()
      let id = cyd.objectID
      try scene.elsewhere { other, here in try here(scene.clubs[0]).add(other.object(with: id), to: "members") }
      if looks { #expect(Set(try scene.clubs[0].objects(for: "members")) == [bob, cyd]) }
      context.undo()
      #expect(Set(try scene.clubs[0].objects(for: "members")) == [ada, cyd])
      try context.save()
      context.reset()
      let again = context.object(with: scene.clubs[0].objectID)
      #expect(try again.objectIDs(for: "members").count == 2)
    }
  }

  @Test("an order comes back, with what came from elsewhere behind it", arguments: StoreKind.allCases)
  func order(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      let (ada, bob) = (scene.pupils[0], scene.pupils[1])
      let cyd = school.addPupil(context, "Cyd")
      try scene.course.setObjects([ada, bob], for: "pupils")
      try context.save()
      context.undoManager?.removeAllActions()
      try scene.course.setObjects([bob, ada], for: "pupils")
      try context.save()
      let id = cyd.objectID
      try scene.elsewhere { other, here in other.object(with: id).setObject(here(scene.course), for: "course") }
      context.undo()
      #expect(try scene.course.objects(for: "pupils") == [ada, bob, cyd])
      try scene.course.setObjects([bob, cyd], for: "pupils")
      context.processPendingChanges()
      context.undo()
      #expect(try scene.course.objects(for: "pupils") == [ada, bob, cyd])
    }
  }

  @Test("what a refresh brings in the midst of an event stays", arguments: StoreKind.allCases)
  func refreshed(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      let ada = scene.pupils[0]
      let id = ada.objectID
      ada["name"] = .string("Eve")
      try school.work { other in
        try other.existingObject(with: id)["grade"] = .integer(5)
        try other.save()
      }
      context.refresh(ada, mergeChanges: true)
      #expect(ada["name"] == .string("Eve") && ada["grade"] == .integer(5))
      context.undo()
      #expect(ada["name"] == .string("Ada") && ada["grade"] == .integer(5))
    }
  }

  @Test("an object that others deleted does not come back with an older edit", arguments: StoreKind.allCases)
  func deletedElsewhere(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      scene.pupils[1]["name"] = .string("Eve")
      scene.pupils[0]["name"] = .string("Amy")
      try context.save()
      try scene.elsewhere { other, here in other.delete(here(scene.pupils[1])) }
      context.undo()
      #expect(scene.pupils[0]["name"] == .string("Ada"))
      try context.save()
      #expect(try school.rows(school.pupil).map(\.objectID) == [scene.pupils[0].objectID])
    }
  }

  @Test(
    "an object that another context brought back does not come back a second time", arguments: StoreKind.allCases,
    [false, true])
  func broughtBackElsewhere(kind: StoreKind, fetches: Bool) throws {
    let school = try School(kind)
    try school.work { context in
      let scene = try Scene(school, context)
      let (bob, id) = (scene.pupils[1], scene.pupils[1].objectID)
      let other = school.container.newBackgroundContext(name: "other")
      other.mergePolicy = .mergeByPropertyObjectTrump
      let theirs = try other.performAndWait { try other.existingObject(with: id) }
      context.delete(bob)
      try context.save()
      try other.performAndWait {
        theirs["name"] = .string("Zed")
        try other.save()
      }
      let found = fetches ? try context.fetch(school.all(school.pupil, by: "name")) : []
      #expect(found.count == (fetches ? 2 : 0))
      context.undo()
      let after = try context.fetch(school.all(school.pupil, by: "name"))
      #expect(after.map { $0["name"] } == [.string("Ada"), .string("Zed")])
      #expect(after[1] !== bob && !fetches || after == found)
      #expect(!context.hasChanges)
      after[1]["grade"] = .integer(3)
      try context.save()
      #expect(try school.rows(school.pupil).count == 2)
    }
  }
}
