import Foundation
package import MemoryStore
package import ObjectModel
package import StoreInterface

/// Items in a tree, with a sub-entity, tags (many-to-many, ordered on one side) and notes
/// (to-many without inverse), in an in-memory store.
package struct Warehouse {
  package let model: ManagedObjectModel
  package let store: InMemoryStore
  package let item: Entity
  package let crate: Entity
  package let tag: Entity
  package let note: Entity

  package init() throws {
    var item = EntityDefinition("Item")
    item.attributes = [
      AttributeDefinition("code", .string), AttributeDefinition("rank", .integer64),
      AttributeDefinition("weight", .double), AttributeDefinition("born", .date),
    ]
    item.relationships = [
      RelationshipDefinition("parent", toOne: "Item", inverse: "children"),
      RelationshipDefinition("children", toMany: "Item", inverse: "parent", ordered: true),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "items", ordered: true),
      RelationshipDefinition("notes", toMany: "Note"),
    ]
    item.uniquenessConstraints = [["code"]]
    var crate = EntityDefinition("Crate")
    crate.superentityName = "Item"
    crate.attributes = [AttributeDefinition("size", .integer16)]
    crate.uniquenessConstraints = [["size", "rank"]]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("name", .string)]
    tag.relationships = [RelationshipDefinition("items", toMany: "Item", inverse: "tags")]
    var note = EntityDefinition("Note")
    note.attributes = [AttributeDefinition("text", .string)]
    var thing = EntityDefinition("Thing")
    thing.isAbstract = true
    model = try ManagedObjectModel(entities: [item, crate, tag, note, thing])
    store = InMemoryStore(model: model)
    self.item = try model.required("Item")
    self.crate = try model.required("Crate")
    self.tag = try model.required("Tag")
    self.note = try model.required("Note")
  }

  package func id(_ entity: Entity, _ primaryKey: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: primaryKey))
  }

  package func snapshot(
    _ id: ObjectID, version: Int64 = 1, _ values: [String: Value] = [:], toOne: [String: ObjectID] = [:]
  ) -> Snapshot {
    Snapshot(
      objectID: id, version: version, attributes: id.entity.attributes.map { values[$0.name] ?? .null },
      toOne: id.entity.relationships.map { toOne[$0.name] })
  }

  package func insert(_ snapshots: Snapshot...) throws {
    var request = SaveRequest()
    request.inserted = snapshots
    try store.save(request)
  }

  package func keys(_ entity: Entity, _ change: (inout FetchSpecification) throws -> Void = { _ in }) throws -> [Int64]
  {
    var request = FetchSpecification(entity)
    try change(&request)
    return try store.snapshots(request).compactMap(\.objectID.primaryKey)
  }
}

extension Warehouse {
  /// Items 1 (root, rank 1), 2 and 3 below it (ranks 5 and nil), 4 below 2 (rank 9, code "é"), crate 5 alone (rank 5).
  /// Tags 1 "red" on 2 and 4, 2 "blue" on 2 (first), 3 without name on 3. Notes 1 and 2 belong to 4.
  package static func filled() throws -> Warehouse {
    let warehouse = try Warehouse()
    let item = (0...5).map { warehouse.id($0 == 5 ? warehouse.crate : warehouse.item, Int64($0)) }
    let tag = (0...3).map { warehouse.id(warehouse.tag, Int64($0)) }
    let note = (0...2).map { warehouse.id(warehouse.note, Int64($0)) }
    var request = SaveRequest()
    request.inserted = [
      warehouse.snapshot(item[1], ["code": .string("root"), "rank": .integer(1), "weight": .double(2.5)]),
      warehouse.snapshot(
        item[2], ["code": .string("b"), "rank": .integer(5), "weight": .double(1)], toOne: ["parent": item[1]]),
      warehouse.snapshot(
        item[3], ["code": .string("C"), "born": .date(Date(timeIntervalSinceReferenceDate: 90_000))],
        toOne: ["parent": item[1]]),
      warehouse.snapshot(item[4], ["code": .string("é"), "rank": .integer(9)], toOne: ["parent": item[2]]),
      warehouse.snapshot(
        item[5], ["rank": .integer(5), "size": .integer(7), "born": .date(Date(timeIntervalSinceReferenceDate: 5))]),
      warehouse.snapshot(tag[1], ["name": .string("red")]), warehouse.snapshot(tag[2], ["name": .string("blue")]),
      warehouse.snapshot(tag[3]), warehouse.snapshot(note[1], ["text": .string("x")]),
      warehouse.snapshot(note[2], ["text": .string("y")]),
    ]
    typealias Change = SaveRequest.ToManyChange
    request.toMany = [
      Change(owner: item[2], relationshipName: "tags", members: [tag[2], tag[1]]),
      Change(owner: item[3], relationshipName: "tags", members: [tag[3]]),
      Change(owner: item[4], relationshipName: "tags", members: [tag[1]]),
      Change(owner: item[4], relationshipName: "notes", members: [note[1], note[2]]),
      Change(owner: item[1], relationshipName: "children", members: [item[3], item[2]]),
    ]
    try warehouse.store.save(request)
    return warehouse
  }
}

extension ManagedObjectModel {
  package struct MissingEntity: Error {
    package let name: String
  }

  /// The entity of a name.
  package func required(_ name: String) throws -> Entity {
    guard let entity = self[name] else { throw MissingEntity(name: name) }
    return entity
  }
}
