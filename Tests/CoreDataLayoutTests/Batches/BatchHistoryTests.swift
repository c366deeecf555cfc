import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// What batches leave in a store's history.
@Suite("The history of batches")
struct BatchHistoryTests {
  /// Boxes, some of them crates, that leave their things alone where they go, and have marks that know nothing of them.
  private static func model() throws -> ManagedObjectModel {
    var box = EntityDefinition("Box")
    var things = RelationshipDefinition("things", toMany: "Thing", inverse: "box")
    things.deleteRule = .noAction
    box.relationships = [things, RelationshipDefinition("marks", toMany: "Mark")]
    var crate = EntityDefinition("Crate")
    crate.superentityName = "Box"
    var thing = EntityDefinition("Thing")
    thing.relationships = [RelationshipDefinition("box", toOne: "Box", inverse: "things")]
    return try ManagedObjectModel(entities: [box, crate, thing, EntityDefinition("Mark")])
  }

  private func fill(_ store: any PersistentStore) throws {
    func id(_ name: String, _ key: Int64) throws -> ObjectID {
      ObjectID(
        entity: try store.model.required(name), reference: .permanent(store: store.identifier, primaryKey: key))
    }
    var request = SaveRequest()
    for (name, key, box) in [
      ("Crate", 1, nil), ("Box", 2, nil), ("Thing", 1, "Crate 1"), ("Thing", 2, "Box 2"), ("Mark", 1, nil),
    ]
      as [(String, Int64, String?)]
    {
      let object = try id(name, key)
      let owner = try box.map { try id($0 == "Crate 1" ? "Crate" : "Box", $0 == "Crate 1" ? 1 : 2) }
      request.inserted.append(
        Snapshot(
          objectID: object, version: 1, attributes: [],
          toOne: object.entity.relationships.map { $0.name == "box" ? owner : nil }))
    }
    request.toMany.append(.init(owner: try id("Box", 2), relationshipName: "marks", members: [try id("Mark", 1)]))
    try store.save(request)
  }

  /// Deletes all of an entity.
  /// - Returns: what the history tells of that.
  private func delete(_ name: String, in store: some PersistentHistoryTracking & BatchWriting) throws -> [String] {
    let start = try store.lastTransactionNumber()
    let deletion = BatchDeletion(FetchSpecification(try store.model.required(name)))
    try store.perform(StoreBatch(.delete(deletion)))
    return try store.history(PersistentHistoryQuery(after: .transaction(start))).flatMap { $0.changes ?? [] }.map {
      "\($0.changeType) \($0.changedObjectID.entity.name) \($0.changedObjectID.primaryKey ?? 0) "
        + "\(($0.updatedPropertyNames ?? []).sorted())"
    }.sorted()
  }

  private func check(_ store: some PersistentHistoryTracking & BatchWriting) throws {
    try fill(store)
    #expect(try delete("Crate", in: store) == ["delete Crate 1 []"])
    #expect(
      try delete("Thing", in: store) == ["delete Thing 1 []", "delete Thing 2 []", "update Box 2 [\"things\"]"])
    #expect(try delete("Mark", in: store) == ["delete Mark 1 []"])
  }

  @Test("an object whose reference leads nowhere tells of no object when it goes, and one without an inverse neither")
  func gone() throws {
    let model = try Self.model()
    try check(InMemoryStore(model: model, tracksHistory: true))
    let folder = try TemporaryFolder()
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    try check(try SQLiteStore.create(path: folder.path("boxes.sqlite"), model: model, options: options))
  }
}
