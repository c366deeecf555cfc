import ObjectGraph
import ObjectModel
import TestStores
import TestSupport
import Testing

@Suite("To-many relationships without inverse")
struct InverselessTests {
  private struct Boxes: TestGraph {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let box: Entity
    let thing: Entity

    init(_ kind: StoreKind) throws {
      var box = EntityDefinition("Box")
      box.attributes = [AttributeDefinition("name", .string)]
      box.relationships = [RelationshipDefinition("things", toMany: "Thing")]
      var thing = EntityDefinition("Thing")
      thing.attributes = [AttributeDefinition("name", .string)]
      let model = try ManagedObjectModel(entities: [box, thing])
      folder = try TemporaryFolder()
      container = try PersistentContainer(name: "boxes", model: model, store: try kind.makeStore(model, in: folder))
      self.box = try model.required("Box")
      self.thing = try model.required("Thing")
    }

    /// What the store has.
    func things(of id: ObjectID) throws -> [ObjectID] {
      let context = container.newBackgroundContext(name: "reader")
      return try context.performAndWait { try context.object(with: id).objectIDs(for: "things") }
    }

    /// Two boxes, the first with a thing, and another thing.
    func fill() throws -> (first: ObjectID, second: ObjectID, member: ObjectID, spare: ObjectID) {
      let context = container.newBackgroundContext(name: "fill")
      return try context.performAndWait {
        let boxes = [context.insert(box), context.insert(box)]
        let things = [context.insert(thing), context.insert(thing)]
        try boxes[0].add(things[0], to: "things")
        try context.save()
        return (boxes[0].objectID, boxes[1].objectID, things[0].objectID, things[1].objectID)
      }
    }
  }

  @Test("a member that joined another owner stays there when the first is saved again", arguments: StoreKind.allCases)
  func unedited(kind: StoreKind) throws {
    let boxes = try Boxes(kind)
    let ids = try boxes.fill()
    try boxes.work { context in
      let first = context.object(with: ids.first)
      let second = context.object(with: ids.second)
      let member = context.object(with: ids.member)
      #expect(try first.objects(for: "things") == [member])
      try second.add(member, to: "things")
      #expect(try first.objects(for: "things").isEmpty)
      try context.save()
      try first.add(context.object(with: ids.spare), to: "things")
      try context.save()
    }
    #expect(try boxes.things(of: ids.first) == [ids.spare] && boxes.things(of: ids.second) == [ids.member])
  }

  @Test("a list that is loaded later is without the members that left since", arguments: StoreKind.allCases)
  func loadedLater(kind: StoreKind) throws {
    let boxes = try Boxes(kind)
    let ids = try boxes.fill()
    try boxes.work { context in
      let first = context.object(with: ids.first)
      try context.object(with: ids.second).add(context.object(with: ids.member), to: "things")
      try first.add(context.object(with: ids.spare), to: "things")
      #expect(try first.objectIDs(for: "things") == [ids.spare])
      try context.save()
    }
    #expect(try boxes.things(of: ids.first) == [ids.spare] && boxes.things(of: ids.second) == [ids.member])
  }
}
