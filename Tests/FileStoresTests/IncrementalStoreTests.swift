import FileStores
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import Testing

@Suite("Incremental stores of one's own")
struct IncrementalStoreTests {
  private let store: NotebookStore
  private let container: PersistentContainer
  private let note: Entity

  init() throws {
    let model = try NotebookStore.model()
    store = try NotebookStore(model: model)
    container = try PersistentContainer(name: "Notebook", model: model, store: store)
    note = try model.required("Note")
    let context = container.newBackgroundContext()
    let entity = note
    try context.performAndWait {
      var parent: ManagedObject?
      for (index, name) in ["a", "b", "c", "d"].enumerated() {
        let object = context.insert(entity)
        object["name"] = .string(name)
        object["text"] = .string("text \(index % 2)")
        object["rank"] = index == 2 ? .null : .integer(Int64(10 - index))
        object.setObject(parent, for: "parent")
        parent = object
      }
      try context.save()
    }
  }

  @Test("a store that can only enumerate is filtered, sorted and limited")
  func evaluation() throws {
    func names(_ change: (inout FetchSpecification) -> Void) throws -> [String] {
      var request = FetchSpecification(note)
      change(&request)
      return try store.objectIDs(request).compactMap { id in
        if case .string(let name) = store.referenceObject(for: id) { name } else { nil }
      }
    }
    #expect(try names { _ in } == ["a", "b", "c", "d"])
    #expect(try names { $0.predicate = .comparison(["text"], .equal, .string("text 0")) } == ["a", "c"])
    #expect(try names { $0.predicate = .comparison(["parent", "parent", "name"], .equal, .string("b")) } == ["d"])
    #expect(try names { $0.sortDescriptors = [FetchSortDescriptor(["rank"])] } == ["c", "d", "b", "a"])
    #expect(
      try names {
        $0.sortDescriptors = [FetchSortDescriptor(["parent", "name"], ascending: false)]
        $0.fetchOffset = 1
        $0.fetchLimit = 2
      } == ["c", "b"])
    var wrong = FetchSpecification(note)
    wrong.predicate = .comparison(["colour"], .equal, .null)
    let request = wrong
    #expect(throws: StoreError.self) { try store.objectIDs(request) }
  }

  @Test("contexts follow relationships, change and delete")
  func contexts() throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
      var request = FetchSpecification(note)
      request.predicate = .comparison(["name"], .equal, .string("b"))
      let b = try #require(try context.fetch(request).first)
      #expect(b.object(for: "parent")?["name"] == .string("a"))
      #expect(try b.objects(for: "children").map { $0["name"] } == [.string("c")])
      b["text"] = .string("new")
      context.delete(try b.objects(for: "children")[0])
      try context.save()
    }
    #expect(store.notes["b"]?.text == "new")
    #expect(store.notes["c"] == nil)
    #expect(store.notes["d"]?.parent == nil)
  }

  @Test("constraints and versions are checked before the store is asked to save")
  func checks() throws {
    let all = try store.snapshots(FetchSpecification(note))
    func insertion(_ name: String, _ text: String, parent: ObjectID?) throws -> SaveRequest {
      let key = try store.reservePrimaryKeys(1, for: note)
      var request = SaveRequest()
      request.inserted = [
        try IncrementalStoreNode(
          objectID: store.id(of: note, key),
          values: ["name": .string(name), "text": .string(text)], destinations: parent.map { ["parent": $0] } ?? [:]
        ).snapshot
      ]
      return request
    }
    let before = store.notes.count
    for request in [
      try insertion("a", "other", parent: nil), try insertion("e", "text 1", parent: all[0].objectID),
    ] {
      #expect {
        try store.save(request)
      } throws: { if case StoreError.constraintConflict = $0 { true } else { false } }
    }
    var stale = SaveRequest()
    stale.updated = [all[1]]
    stale.updated[0].version += 1
    let update = stale
    #expect {
      try store.save(update)
    } throws: { if case StoreError.optimisticLockingFailure = $0 { true } else { false } }
    #expect(store.notes.count == before)
  }

  @Test("a subclass is given whole lists of members, with what others added and removed meanwhile")
  func members() throws {
    let contexts = (0..<2).map { container.newBackgroundContext(name: "\($0)") }
    func change(_ context: ManagedObjectContext, _ body: @Sendable (_ notes: [ManagedObject]) throws -> Void) throws {
      let entity = note
      try context.performAndWait {
        var request = FetchSpecification(entity)
        request.sortDescriptors = [FetchSortDescriptor(["name"])]
        try body(try context.fetch(request))
        try context.save()
      }
    }
    try change(contexts[0]) { notes in try notes[0].add(notes[1], to: "related") }
    let entity = note
    try contexts[1].performAndWait {
      contexts[1].mergePolicy = .mergeByPropertyStoreTrump
      let all = try contexts[1].fetch(FetchSpecification(entity))
      let a = try #require(all.first { $0["name"] == .string("a") })
      #expect(try a.objectIDs(for: "related").count == 1)
      try change(contexts[0]) { notes in
        try notes[2].add(notes[0], to: "mentions")
        try notes[1].remove(notes[0], from: "mentions")
      }
      try a.add(try #require(all.first { $0["name"] == .string("d") }), to: "related")
      try contexts[1].save()
    }
    #expect(store.notes["a"]?.related == ["c", "d"])
  }

  @Test("a save that the store refuses leaves no ids behind")
  func refusal() throws {
    store.refusesSaves = true
    let context = container.newBackgroundContext()
    context.performAndWait {
      let object = context.insert(note)
      object["name"] = .string("late")
      #expect(throws: StoreError.self) { try context.save() }
    }
    store.refusesSaves = false
    let id = store.newObjectID(for: note, referenceObject: "late")
    #expect(try store.newValues(for: id) == nil)
    #expect(store.referenceObject(for: id) == "late")
    #expect(store.newObjectID(for: note, referenceObject: "late") == id)
  }

  @Test("a subclass without a method says which one is missing")
  func missingOverride() throws {
    let bare = try IncrementalStore(
      description: PersistentStoreDescription(type: .inMemory), model: try NotebookStore.model())
    #expect { try bare.load() } throws: { "\($0)".contains("loadMetadata") }
  }
}
