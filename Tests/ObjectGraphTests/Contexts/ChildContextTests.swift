import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Child contexts")
struct ChildContextTests {
  @Test("a child sees the parent's pending state, and its save goes one level up", arguments: StoreKind.allCases)
  func scratchPad(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { parent in
      let saved = school.addPupil(parent, "Ada")
      try parent.save()
      saved["grade"] = .integer(4)
      let pending = school.addPupil(parent, "Bob")
      let maths = school.addCourse(parent, 1)
      pending.setObject(maths, for: "course")

      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        let found = try child.fetch(school.all(school.pupil, by: "name"))
        #expect(found.map { $0["name"] } == [.string("Ada"), .string("Bob")])
        #expect(found[0]["grade"] == .integer(4) && found[1].objectID == pending.objectID)
        #expect(!child.hasChanges && found[0] !== saved)
        #expect(found[1].object(for: "course")?["code"] == .integer(1))
        let course = try #require(found[1].object(for: "course"))
        #expect(try course.objects(for: "pupils") == [found[1]])
        found[0]["height"] = .double(2)
        found[1].setObject(nil, for: "course")
        let club = child.insert(school.club)
        club["name"] = .string("Chess")
        try club.setObjects(found, for: "members")
        let eve = school.addPupil(child, "Eve")
        try course.add(eve, to: "pupils")
        #expect(saved["height"] == nil)
        try child.save()
        #expect(!child.hasChanges && club.objectID.isTemporary && !club.isInserted)
      }
      #expect(saved["height"] == .double(2) && saved["grade"] == .integer(4))
      #expect(pending.object(for: "course") == nil)
      #expect(try maths.objects(for: "pupils").map { $0["name"] } == [.string("Eve")])
      #expect(try saved.objects(for: "clubs").map { $0["name"] } == [.string("Chess")])
      #expect(try school.rows(school.club).isEmpty && parent.insertedObjects.count == 4)
      try parent.save()
      #expect(try school.rows(school.club).count == 1 && school.rows(school.pupil).count == 3)
    }
  }

  @Test("an object that a child deleted is a member of nothing in the parent at once", arguments: StoreKind.allCases)
  func deletedMember(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { parent in
      let (ada, bob) = (school.addPupil(parent, "Ada"), school.addPupil(parent, "Bob"))
      let (club, maths) = (parent.insert(school.club), school.addCourse(parent, 1))
      try club.setObjects([ada, bob], for: "members")
      try maths.setObjects([ada, bob], for: "pupils")
      try parent.save()
      let id = ada.objectID
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        child.delete(try child.existingObject(with: id))
        try child.save()
      }
      #expect(try club.objects(for: "members") == [bob] && maths.objects(for: "pupils") == [bob])
      #expect(ada.isDeleted && parent.deletedObjects == [ada])
      try parent.save()
      #expect(try school.rows(school.pupil).count == 1)
    }
  }

  @Test("a transient attribute alone reaches the parent, and is nothing to write there", arguments: StoreKind.allCases)
  func transientAttribute(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { parent in
      let ada = school.addPupil(parent, "Ada")
      try parent.save()
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        let copy = try child.existingObject(with: ada.objectID)
        copy["mood"] = .string("glad")
        #expect(child.hasChanges && copy.isUpdated && !copy.hasPersistentChangedValues)
        try child.save()
        #expect(!child.hasChanges && copy["mood"] == .string("glad"))
      }
      #expect(ada["mood"] == .string("glad") && !parent.hasChanges && !ada.isUpdated)
    }
  }

  @Test(
    "ids stay temporary until the topmost save, and then become permanent everywhere", arguments: StoreKind.allCases)
  func temporaryIDs(kind: StoreKind) throws {
    let school = try School(kind)
    try school.work { root in
      let middle = ManagedObjectContext(parent: root, name: "middle")
      let leaf = ManagedObjectContext(parent: middle, name: "leaf")
      try leaf.performAndWait {
        let maths = school.addCourse(leaf, 1)
        let ada = school.addPupil(leaf, "Ada")
        ada.setObject(maths, for: "course")
        try leaf.save()
        let temporary = ada.objectID
        try middle.performAndWait { try middle.save() }
        #expect(ada.objectID.isTemporary && root.registeredObject(for: temporary) != nil)
        try root.save()
        #expect(try leaf.existingObject(with: temporary) === ada)
        #expect(ada.objectID.primaryKey == 1 && ada.objectID(for: "course") == maths.objectID)
        #expect(maths.objectID.primaryKey == 1)
        #expect(try leaf.fetch(FetchSpecification(school.pupil)) == [ada])
        #expect(!leaf.hasChanges)

        let bob = school.addPupil(leaf, "Bob")
        try leaf.obtainPermanentIDs(for: [bob])
        #expect(bob.objectID.primaryKey == 2)
        try leaf.save()
        try middle.performAndWait { try middle.save() }
        try root.save()
        #expect(try school.rows(school.pupil).compactMap(\.objectID.primaryKey) == [1, 2])
      }
    }
  }

  @Test("a child that is dropped leaves nothing behind")
  func discard() throws {
    let school = try School(.inMemory)
    try school.work { parent in
      let ada = school.addPupil(parent, "Ada")
      try parent.save()
      do {
        let child = ManagedObjectContext(parent: parent, name: "child")
        try child.performAndWait {
          try child.existingObject(with: ada.objectID)["name"] = .string("Eve")
          school.addPupil(child, "Bob")
        }
      }
      #expect(!parent.hasChanges && ada["name"] == .string("Ada"))
    }
  }

  @Test("deletions and validation work in a child, and what the parent deleted is a conflict")
  func deletions() throws {
    let school = try School(.inMemory)
    try school.work { parent in
      let maths = school.addCourse(parent, 1)
      let ada = school.addPupil(parent, "Ada")
      ada.setObject(maths, for: "course")
      let bob = school.addPupil(parent, "Bob")
      try parent.save()
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        child.delete(try child.existingObject(with: maths.objectID))
        let mine = try child.existingObject(with: ada.objectID)
        mine["name"] = .string("A")
        #expect(throws: ValidationError.self) { try child.save() }
        mine["name"] = .string("Ann")
        try child.save()
        #expect(mine.object(for: "course") == nil)
      }
      parent.processPendingChanges()
      #expect(maths.isDeleted && ada["name"] == .string("Ann") && ada.object(for: "course") == nil)
      try child.performAndWait {
        let mine = try child.existingObject(with: bob.objectID)
        mine["grade"] = .integer(3)
        parent.delete(bob)
        let error = #expect(throws: SaveConflictError.self) { try child.save() }
        #expect(error?.optimisticLockingConflicts.first?.persistedPropertyValues == nil)
        child.mergePolicy = .overwrite
        try child.save()
        #expect(mine.isDeleted && !child.hasChanges)
      }
      try parent.save()
      #expect(try school.rows(school.pupil).count == 1 && school.rows(school.course).isEmpty)
    }
  }

  @Test("a new object may be assigned to one of several stores, in a child too")
  func assignment() throws {
    let school = try School(.inMemory)
    let model = school.person.model
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let stores = [InMemoryStore(model: model), InMemoryStore(model: model)]
    for store in stores { try coordinator.add(store) }
    let context = ManagedObjectContext(coordinator: coordinator, name: "two")
    try context.performAndWait {
      let child = ManagedObjectContext(parent: context, name: "child")
      try child.performAndWait {
        child.assign(school.addPupil(child, "Ada"), to: stores[1])
        try child.save()
      }
      let bob = school.addPupil(context, "Bob")
      context.assign(bob, to: stores[1])
      try context.obtainPermanentIDs(for: [bob])
      school.addPupil(context, "Cyd")
      try context.save()
      #expect(try context.fetch(school.all(school.pupil, by: "name")).count == 3)
    }
    #expect(try stores.map { try $0.count(FetchSpecification(school.pupil)) } == [1, 2])
  }

  @Test("a child follows what its siblings save when it is asked to")
  func siblings() async throws {
    let school = try School(.inMemory)
    let parent = school.container.newBackgroundContext(name: "parent")
    let id = try await parent.perform {
      let ada = school.addPupil(parent, "Ada")
      try parent.save()
      return ada.objectID
    }
    let first = ManagedObjectContext(parent: parent, name: "first")
    let second = ManagedObjectContext(parent: parent, name: "second")
    let box = Box<ManagedObject>()
    try await second.perform {
      second.automaticallyMergesChangesFromParent = true
      box.value = try second.existingObject(with: id)
    }
    try await first.perform {
      try first.existingObject(with: id)["grade"] = .integer(9)
      try first.save()
    }
    await second.perform { #expect(box.value?["grade"] == .integer(9)) }
  }

  @Test("a child follows what its parent saves itself, and what the parent merges")
  func parentSaves() async throws {
    let school = try School(.inMemory)
    let root = school.container.newBackgroundContext(name: "root")
    let parent = school.container.newBackgroundContext(name: "parent")
    let id = try await parent.perform {
      let ada = school.addPupil(parent, "Ada")
      try parent.save()
      parent.automaticallyMergesChangesFromParent = true
      return ada.objectID
    }
    let child = ManagedObjectContext(parent: parent, name: "child")
    let box = Box<ManagedObject>()
    try await child.perform {
      child.automaticallyMergesChangesFromParent = true
      box.value = try child.existingObject(with: id)
      #expect(box.value?["grade"] == .integer(1))
    }
    try await parent.perform {
      try parent.existingObject(with: id)["grade"] = .integer(2)
      try parent.save()
    }
    await child.perform { #expect(box.value?["grade"] == .integer(2)) }
    try await root.perform {
      try root.existingObject(with: id)["grade"] = .integer(3)
      try root.save()
    }
    await parent.perform {}
    await child.perform { #expect(box.value?["grade"] == .integer(3)) }
  }

  @Test("a context of the main queue works there, with children elsewhere")
  func mainQueue() async throws {
    let school = try School(.inMemory)
    let main = school.container.viewContext
    #expect(main.concurrencyType == .mainQueue)
    let id = try await MainActor.run {
      let ada = school.addPupil(main, "Ada")
      try main.save()
      return ada.objectID
    }
    let child = ManagedObjectContext(parent: main, name: "child")
    try await child.perform {
      try child.existingObject(with: id)["grade"] = .integer(6)
      try child.save()
    }
    let grade = try await main.perform { try main.existingObject(with: id)["grade"] }
    #expect(grade == .integer(6))
    await confirmation { done in
      await withCheckedContinuation { continuation in
        main.perform { () -> Void in
          done()
          continuation.resume()
        }
      }
    }
  }
}
