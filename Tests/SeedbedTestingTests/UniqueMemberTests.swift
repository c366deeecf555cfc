import Foundation
import Seedbed
import SeedbedTesting
import Testing

/// Uniqueness constraints that no attribute makes hold.
@Suite("Generated objects that are unique by what they lead to")
struct UniqueMemberTests {
  private static func seats(_ change: (inout RelationshipDefinition) -> Void) throws -> ManagedObjectModel {
    var seat = EntityDefinition("Seat")
    var room = RelationshipDefinition("room", toOne: "Room", inverse: "seats")
    change(&room)
    seat.relationships = [room]
    seat.attributes = [.init("front", .boolean)]
    seat.uniquenessConstraints = [["room"]]
    var box = EntityDefinition("Box")
    box.superentityName = "Seat"
    var place = EntityDefinition("Room")
    place.attributes = [.init("title", .string)]
    place.relationships = [RelationshipDefinition("seats", toMany: "Seat", inverse: "room")]
    return try ManagedObjectModel(entities: [seat, box, place])
  }

  /// Inserts and saves, in the store in memory, which refuses what is not unique.
  private func generate(
    _ model: ManagedObjectModel, _ counts: KeyValuePairs<String, Int>, seed: UInt64 = 1,
    _ check: ([String: [ManagedObject]]) throws -> Void
  ) throws {
    let context = try PersistentContainer.inMemory(model).newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator(seed: seed)
      let objects = try generator.insert(counts, into: context)
      try context.save()
      try check(objects)
      // A second call makes others.
      try generator.insert(counts, into: context)
      try context.save()
    }
  }

  @Test(
    "each leads to another one, sub-entities included, and those that are left over to none",
    arguments: 1...6 as ClosedRange<UInt64>)
  func optional(seed: UInt64) throws {
    try generate(Self.seats { _ in }, ["Seat": 20, "Box": 20, "Room": 25], seed: seed) { objects in
      let seats = (objects["Seat"] ?? []) + (objects["Box"] ?? [])
      let rooms = seats.compactMap { $0.objectID(for: "room") }
      #expect(Set(rooms).count == rooms.count)
      #expect(rooms.count > 15 && rooms.count <= 25)
      #expect(objects["Room"]?.count == 25)
    }
  }

  @Test("where each must lead to one, enough of them are made")
  func required() throws {
    try generate(Self.seats { $0.isOptional = false }, ["Seat": 12, "Box": 5, "Room": 3]) { objects in
      #expect(objects["Room"]?.count == 17)
      let seats = (objects["Seat"] ?? []) + (objects["Box"] ?? [])
      #expect(Set(seats.compactMap { $0.objectID(for: "room") }).count == 17)
    }
  }

  @Test("a constraint of a sub-entity alone lets the others share, and a name that is unique lets all")
  func partly() throws {
    var seat = EntityDefinition("Seat")
    var room = RelationshipDefinition("room", toOne: "Room", inverse: "seats")
    room.isOptional = false
    seat.relationships = [room]
    seat.attributes = [.init("name", .string)]
    seat.uniquenessConstraints = [["name", "room"]]
    var box = EntityDefinition("Box")
    box.superentityName = "Seat"
    box.attributes = [.init("closed", .boolean)]
    box.uniquenessConstraints = [["room", "closed"]]
    var place = EntityDefinition("Room")
    place.relationships = [RelationshipDefinition("seats", toMany: "Seat", inverse: "room")]
    try generate(ManagedObjectModel(entities: [seat, box, place]), ["Seat": 30, "Box": 6]) { objects in
      #expect(objects["Room"]?.count == 6)
      #expect(Set((objects["Box"] ?? []).compactMap { $0.objectID(for: "room") }).count == 6)
      #expect((objects["Seat"] ?? []).allSatisfy { $0.objectID(for: "room") != nil })
    }
  }

  @Test("a parent that none of its children shares makes a chain", arguments: [true, false])
  func chain(isOptional: Bool) throws {
    var node = EntityDefinition("Node")
    var next = RelationshipDefinition("next", toOne: "Node", inverse: "before")
    next.isOptional = isOptional
    node.relationships = [next, RelationshipDefinition("before", toMany: "Node", inverse: "next")]
    node.uniquenessConstraints = [["next"]]
    try generate(ManagedObjectModel(entities: [node]), ["Node": 300]) { objects in
      let next = (objects["Node"] ?? []).compactMap { $0.objectID(for: "next") }
      #expect(Set(next).count == next.count && next.count > 200)
      #expect(isOptional || next.count == 300)
    }
  }

  @Test("an element of a composite is unique, too")
  func composites() throws {
    var item = EntityDefinition("Item")
    var place = AttributeDefinition("place", .composite)
    place.composite = .init(name: "Place", elements: [.init("code", .string), .init("indoors", .boolean)])
    item.attributes = [place]
    item.uniquenessConstraints = [["place.code"]]
    try generate(ManagedObjectModel(entities: [item]), ["Item": 100]) { objects in
      let codes = (objects["Item"] ?? []).compactMap { $0["place"]?.element(at: ["code"]).string }
      #expect(Set(codes).count == codes.count && codes.count > 50)
    }
  }

  @Test("what cannot be unique is an error that names the constraint")
  func impossible() throws {
    // Each room has two seats, and each seat is alone in its room.
    let model = try Self.seats { $0.isOptional = false }
    var entities = model.handles.map(\.definition)
    let room = try #require(entities.firstIndex { $0.name == "Room" })
    entities[room].relationships[0].isOptional = false
    entities[room].relationships[0].minimumCount = 2
    let context = try PersistentContainer.inMemory(ManagedObjectModel(entities: entities)).newBackgroundContext()
    var hidden = EntityDefinition("Hidden")
    var kind = AttributeDefinition("kind", .composite)
    kind.composite = .init(name: "Kind", elements: [.init("round", .boolean)])
    hidden.attributes = [kind]
    hidden.uniquenessConstraints = [["kind.round"]]
    let other = try PersistentContainer.inMemory(ManagedObjectModel(entities: [hidden])).newBackgroundContext()
    for (context, entity, words) in [
      (context, "Seat", "Seat.room: each object must lead to another Room, which needs 2 of them"),
      (other, "Hidden", "Hidden.kind.round: two objects would have the same kind.round, which must be unique"),
    ] {
      context.performAndWait {
        var generator = ObjectGenerator()
        let error = #expect(throws: GenerationError.self) { try generator.insert(20, of: entity, into: context) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      }
    }
  }
}
