import Foundation
import ObjectModel
import StoreInterface

/// The model of these tests: items in a tree, with a sub-entity, tags (many-to-many, ordered on one side) and notes
/// (to-many without inverse).
struct Warehouse {
  let model: ManagedObjectModel
  let store: InMemoryStore
  let item: Entity
  let crate: Entity
  let tag: Entity
  let note: Entity

  init() throws {
    var item = EntityDescription("Item")
    item.attributes = [
      AttributeDescription("code", .string), AttributeDescription("rank", .integer64),
      AttributeDescription("weight", .double), AttributeDescription("born", .date),
    ]
    item.relationships = [
      RelationshipDescription("parent", toOne: "Item", inverse: "children"),
      RelationshipDescription("children", toMany: "Item", inverse: "parent", ordered: true),
      RelationshipDescription("tags", toMany: "Tag", inverse: "items", ordered: true),
      RelationshipDescription("notes", toMany: "Note"),
    ]
    item.uniquenessConstraints = [["code"]]
    var crate = EntityDescription("Crate")
    crate.superentityName = "Item"
    crate.attributes = [AttributeDescription("size", .integer16)]
    crate.uniquenessConstraints = [["size", "rank"]]
    var tag = EntityDescription("Tag")
    tag.attributes = [AttributeDescription("name", .string)]
    tag.relationships = [RelationshipDescription("items", toMany: "Item", inverse: "tags")]
    var note = EntityDescription("Note")
    note.attributes = [AttributeDescription("text", .string)]
    var thing = EntityDescription("Thing")
    thing.isAbstract = true
    model = try ManagedObjectModel(entities: [item, crate, tag, note, thing])
    store = InMemoryStore(model: model)
    self.item = try model.required("Item")
    self.crate = try model.required("Crate")
    self.tag = try model.required("Tag")
    self.note = try model.required("Note")
  }

  func id(_ entity: Entity, _ primaryKey: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: primaryKey))
  }

  func snapshot(
    _ id: ObjectID, version: Int64 = 1, _ values: [String: Value] = [:], toOne: [String: ObjectID] = [:]
  ) -> Snapshot {
    Snapshot(
      objectID: id, version: version, attributes: id.entity.attributes.map { values[$0.name] ?? .null },
      toOne: id.entity.relationships.map { toOne[$0.name] })
  }

  func insert(_ snapshots: Snapshot...) throws {
    var request = SaveRequest()
    request.inserted = snapshots
    try store.save(request)
  }

  func keys(_ entity: Entity, _ change: (inout FetchRequest) throws -> Void = { _ in }) throws -> [Int64] {
    var request = FetchRequest(entity)
    try change(&request)
    return try store.snapshots(request).compactMap(\.objectID.primaryKey)
  }
}

extension ManagedObjectModel {
  struct MissingEntity: Error {}

  func required(_ name: String) throws -> Entity {
    guard let entity = self[name] else { throw MissingEntity() }
    return entity
  }
}
