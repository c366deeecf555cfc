import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import Synchronization
import TestStores
import Testing

@Suite("Errors of the store")
struct StoreFailureTests {
  /// An in-memory store whose disk can be pulled.
  final class FragileStore: ForwardingStore {
    let base: any PersistentStore
    let isBroken = Atomic<Bool>(false)

    init(_ model: ManagedObjectModel) { base = InMemoryStore(model: model) }

    private func check() throws {
      if isBroken.load(ordering: .relaxed) { throw StoreError.inputOutput(path: "store", message: "pulled") }
    }
    func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
      try check()
      return try base.snapshots(request)
    }
    func count(_ request: FetchSpecification) throws -> Int {
      try check()
      return try base.count(request)
    }
    func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
      try check()
      return try base.members(of: owner, relationship: relationship)
    }
    func save(_ request: SaveRequest) throws {
      try check()
      try base.save(request)
    }
  }

  /// A context over such a store, with the entities of a school.
  private func fragile() throws -> (School, FragileStore, ManagedObjectContext) {
    let school = try School(.inMemory)
    let store = FragileStore(school.person.model)
    let container = try PersistentContainer(name: "fragile", model: store.model, store: store)
    return (school, store, container.newBackgroundContext())
  }

  @Test("after a failed save the context is as it was and saves the same keys later")
  func failedSave() throws {
    let (school, store, context) = try fragile()
    try context.performAndWait {
      let ada = school.addPupil(context, "Ada")
      let maths = school.addCourse(context, 1)
      ada.setObject(maths, for: "course")
      store.isBroken.store(true, ordering: .relaxed)
      #expect(throws: StoreError.self) { try context.save() }
      #expect(ada.isInserted && ada.objectID.isTemporary && ada.object(for: "course") === maths)
      store.isBroken.store(false, ordering: .relaxed)
      try context.save()
      #expect(ada.objectID.primaryKey == 1 && ada.objectID(for: "course") == maths.objectID)
    }
  }

  @Test("an error of loading members that no call threw is thrown by the next fetch or save, and they load later")
  func failedMembers() throws {
    let (school, store, context) = try fragile()
    try context.performAndWait {
      let maths = school.addCourse(context, 1)
      let ada = school.addPupil(context, "Ada")
      ada.setObject(maths, for: "course")
      try context.save()
      for isFault in [false, true] {
        context.stalenessInterval = 0
        context.refresh(maths, mergeChanges: false)
        if !isFault { #expect(maths["code"] == .integer(1)) }
        store.isBroken.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) { try maths.objects(for: "pupils") }
        #expect(maths.members(of: "pupils").isEmpty)
        store.isBroken.store(false, ordering: .relaxed)
        #expect(throws: StoreError.self) { try context.fetch(school.all(school.course)) }
        #expect(maths.members(of: "pupils") == [ada])
        try context.save()
      }
    }
  }

  @Test("an error while a fault loads is thrown by the next fetch or save, and the object loads later")
  func failedFault() throws {
    let (school, store, context) = try fragile()
    try context.performAndWait {
      context.stalenessInterval = 0
      let ada = school.addPupil(context, "Ada")
      try context.save()
      context.refresh(ada, mergeChanges: false)
      store.isBroken.store(true, ordering: .relaxed)
      #expect(ada["name"] == nil && ada.isFault && !ada.isDeleted)
      ada["name"] = .string("Eve")
      store.isBroken.store(false, ordering: .relaxed)
      #expect(throws: StoreError.self) { try context.save() }
      #expect(ada["name"] == .string("Ada"))
      ada["name"] = .string("Eve")
      try context.save()
    }
    #expect(try store.snapshots(FetchSpecification(school.pupil)).map(\.version) == [2])
  }

  @Test("a child's save that the store fails leaves nothing in the parent, and later saves once")
  func failedChildSave() throws {
    let (school, store, parent) = try fragile()
    try parent.performAndWait {
      let club = parent.insert(school.club)
      try parent.save()
      let child = ManagedObjectContext(parent: parent, name: "child")
      try child.performAndWait {
        let ada = school.addPupil(child, "Ada")
        try child.existingObject(with: club.objectID).add(ada, to: "members")
        parent.refresh(club, mergeChanges: false)
        store.isBroken.store(true, ordering: .relaxed)
        #expect(throws: StoreError.self) { try child.save() }
        #expect(!parent.hasChanges && child.hasChanges)
        store.isBroken.store(false, ordering: .relaxed)
        try child.save()
      }
      #expect(parent.insertedObjects.count == 1)
      try parent.save()
      #expect(try club.objects(for: "members").map { $0["name"] } == [.string("Ada")])
    }
    #expect(try store.snapshots(FetchSpecification(school.pupil)).count == 1)
  }
}
