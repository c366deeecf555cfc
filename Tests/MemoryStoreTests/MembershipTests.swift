import MemoryStore
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("In-memory store: to-many relationships")
struct MembershipTests {
  func members(_ warehouse: Warehouse, _ owner: ObjectID, _ name: String) throws -> [Int64] {
    let relationship = try #require(owner.entity.relationship(name))
    return try warehouse.store.members(of: owner, relationship: relationship).compactMap(\.primaryKey)
  }

  func change(_ warehouse: Warehouse, _ owner: ObjectID, _ name: String, _ members: [ObjectID]) throws {
    var request = SaveRequest()
    request.toMany = [SaveRequest.ToManyChange(owner: owner, relationshipName: name, members: members)]
    try warehouse.store.save(request)
  }

  @Test("the to-one side decides the members, a change only the order, and newcomers come last")
  func orderedWithToOneInverse() throws {
    let warehouse = try Warehouse()
    let ids = (1...5).map { warehouse.id(warehouse.item, $0) }
    let crate = warehouse.id(warehouse.crate, 6)
    try warehouse.insert(
      warehouse.snapshot(ids[0]), warehouse.snapshot(ids[1], toOne: ["parent": ids[0]]),
      warehouse.snapshot(ids[2], toOne: ["parent": ids[0]]), warehouse.snapshot(crate, toOne: ["parent": ids[0]]))
    #expect(try members(warehouse, ids[0], "children") == [2, 3, 6])
    try change(warehouse, ids[0], "children", [crate, ids[4], ids[2]])
    #expect(try members(warehouse, ids[0], "children") == [6, 3, 2])
    try warehouse.insert(warehouse.snapshot(ids[3], toOne: ["parent": ids[0]]))
    #expect(try members(warehouse, ids[0], "children") == [6, 3, 2, 4])
    var request = SaveRequest()
    request.updated = [warehouse.snapshot(ids[2], toOne: ["parent": crate])]
    request.deleted = [(objectID: ids[1], version: 1)]
    try warehouse.store.save(request)
    #expect(try members(warehouse, ids[0], "children") == [6, 4])
    #expect(try members(warehouse, crate, "children") == [3])
  }

  @Test("both sides of a many-to-many relationship follow a change of one, and a deleted object leaves both")
  func manyToMany() throws {
    let warehouse = try Warehouse()
    let items = (1...3).map { warehouse.id(warehouse.item, $0) }
    let tags = (1...3).map { warehouse.id(warehouse.tag, $0) }
    for id in items + tags { try warehouse.insert(warehouse.snapshot(id)) }
    try change(warehouse, items[0], "tags", [tags[2], tags[0]])
    try change(warehouse, items[1], "tags", [tags[0]])
    #expect(try members(warehouse, items[0], "tags") == [3, 1])
    #expect(try members(warehouse, tags[0], "items") == [1, 2])
    try change(warehouse, tags[0], "items", [items[2]])
    #expect(try members(warehouse, items[0], "tags") == [3])
    #expect(try members(warehouse, items[2], "tags") == [1])
    var request = SaveRequest()
    request.deleted = [(objectID: tags[2], version: 1)]
    try warehouse.store.save(request)
    #expect(try members(warehouse, items[0], "tags") == [])
  }

  @Test("a member of a to-many relationship without inverse has one owner at most")
  func withoutInverse() throws {
    let warehouse = try Warehouse()
    let items = [warehouse.id(warehouse.item, 1), warehouse.id(warehouse.crate, 2)]
    let notes = (1...2).map { warehouse.id(warehouse.note, $0) }
    for id in items + notes { try warehouse.insert(warehouse.snapshot(id)) }
    try change(warehouse, items[0], "notes", notes)
    try change(warehouse, items[1], "notes", [notes[1]])
    #expect(try members(warehouse, items[0], "notes") == [1])
    #expect(try members(warehouse, items[1], "notes") == [2])
    var request = SaveRequest()
    request.deleted = [(objectID: notes[0], version: 1)]
    try warehouse.store.save(request)
    #expect(try members(warehouse, items[0], "notes") == [])
  }

  @Test("a change of something that is no to-many relationship is refused", arguments: ["parent", "code", "nope"])
  func notToMany(name: String) throws {
    let warehouse = try Warehouse()
    try warehouse.insert(warehouse.snapshot(warehouse.id(warehouse.item, 1)))
    #expect(throws: StoreError.self) { try change(warehouse, warehouse.id(warehouse.item, 1), name, []) }
  }
}
