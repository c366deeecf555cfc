import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

/// What relationships keep where objects of other entities, objects that are gone, orders and undo come together.
@Suite("Relationships that are hard to keep")
struct LinkedGraphTests {
  private static func model() throws -> ManagedObjectModel {
    var node = EntityDefinition("Node")
    node.attributes = [AttributeDefinition("name", .string), AttributeDefinition("isOpen", .boolean)]
    node.relationships = [
      RelationshipDefinition("parent", toOne: "Node", inverse: "children"),
      RelationshipDefinition("children", toMany: "Node", inverse: "parent"),
      RelationshipDefinition("friends", toMany: "Node", inverse: "friends"),
      RelationshipDefinition("steps", toMany: "Step", inverse: "node", ordered: true),
      RelationshipDefinition("tags", toMany: "Step", inverse: "nodes", ordered: true),
    ]
    var step = EntityDefinition("Step")
    step.attributes = [AttributeDefinition("number", .integer32)]
    step.relationships = [
      RelationshipDefinition("node", toOne: "Node", inverse: "steps"),
      RelationshipDefinition("nodes", toMany: "Node", inverse: "tags"),
    ]
    return try ManagedObjectModel(entities: [node, step])
  }

  /// Runs a test with a stack of one kind, and a way to see what the store has.
  private static func work(
    _ kind: StoreKind, _ body: (ManagedObjectContext, PersistentContainer) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let model = try model()
    let container = try PersistentContainer(name: "graph", model: model, store: try kind.makeStore(model, in: folder))
    let context = container.newBackgroundContext()
    try withExtendedLifetime(folder) { try context.performAndWait { try body(context, container) } }
  }

  private static func insert(_ context: ManagedObjectContext, _ entity: String, _ name: Any) -> ManagedObject {
    let object = EntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(name, forKey: entity == "Node" ? "name" : "number")
    return object
  }

  private static func numbers(_ node: ManagedObject, _ name: String) throws -> [Int64] {
    try node.objects(for: name).compactMap { $0["number"]?.integer }
  }

  @Test("a to-many relationship takes no object of another entity", arguments: StoreKind.allCases)
  func foreignMember(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let node = Self.insert(context, "Node", "a")
      let step = Self.insert(context, "Step", 1)
      try context.save()
      try node.add(step, to: "friends")
      #expect(throws: ValidationError.self) { try context.save() }
      try node.remove(step, from: "friends")
      try context.save()
      try node.add(step, to: "children")
      #expect(throws: ValidationError.self) { try context.save() }
    }
  }

  @Test("the order in which members were set at the other side of a new object is saved", arguments: StoreKind.allCases)
  func orderFromMembers(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let node = Self.insert(context, "Node", "a")
      let steps = (0..<3).map { Self.insert(context, "Step", $0) }
      for index in [2, 0, 1] { steps[index].setObject(node, for: "node") }
      for index in [1, 2, 0] { try steps[index].add(node, to: "nodes") }
      #expect(try Self.numbers(node, "steps") == [2, 0, 1])
      try context.save()
      context.reset()
      let read = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")).first)
      #expect(try Self.numbers(read, "steps") == [2, 0, 1])
      #expect(try Self.numbers(read, "tags") == [1, 2, 0])
    }
  }

  /// How the members of a saved object come to another order at their own side.
  enum Arrangement: CaseIterable {
    /// New members, the last first.
    case added
    /// A member leaves and comes back.
    case returned
    /// A member goes to another object, and comes back after a save.
    case moved
    /// The members of a relationship of many to many.
    case shared
  }

  @Test(
    "the order in which members were set at the other side of a saved object is saved", arguments: StoreKind.allCases,
    Arrangement.allCases)
  func orderAtSavedObject(kind: StoreKind, arrangement: Arrangement) throws {
    for isLoaded in [true, false] {
      for isInChild in [true, false] {
        try Self.work(kind) { context, _ in
          let node = Self.insert(context, "Node", "a")
          let other = Self.insert(context, "Node", "b")
          let steps = (0..<3).map { Self.insert(context, "Step", $0) }
          if arrangement == .returned || arrangement == .moved { try node.setObjects(steps, for: "steps") }
          try context.save()
          context.refreshAllObjects()
          let child = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
          child.parent = context
          let here = isInChild ? child : context
          let name = arrangement == .shared ? "tags" : "steps"
          let expected = try here.performAndWait {
            let (node, other) = (here.object(with: node.objectID), here.object(with: other.objectID))
            let steps = steps.map { here.object(with: $0.objectID) }
            if isLoaded { _ = try node.objects(for: name) }
            switch arrangement {
            case .added: for index in [1, 2, 0] { steps[index].setObject(node, for: "node") }
            case .shared: for index in [1, 2, 0] { try steps[index].add(node, to: "nodes") }
            case .returned:
              steps[0].setObject(nil, for: "node")
              steps[0].setObject(node, for: "node")
            case .moved:
              steps[0].setObject(other, for: "node")
              try here.save()
              steps[0].setObject(node, for: "node")
            }
            try here.save()
            return try Self.numbers(node, name)
          }
          let isBack = arrangement == .returned || arrangement == .moved
          // A member that left a relationship which is not loaded, and came back, keeps its place there.
          #expect(expected == [1, 2, 0] || !isLoaded && isBack && expected == [0, 1, 2])
          try context.save()
          context.reset()
          #expect(try Self.numbers(context.object(with: node.objectID), name) == expected)
        }
      }
    }
  }

  @Test("an order that is stated is saved, also where the members had it already", arguments: StoreKind.allCases)
  func statedOrder(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let node = Self.insert(context, "Node", "a")
      let steps = (0..<3).map { Self.insert(context, "Step", $0) }
      try context.save()
      _ = try node.objects(for: "steps")
      for index in [2, 0, 1] { steps[index].setObject(node, for: "node") }
      try node.setObjects([steps[2], steps[0], steps[1]], for: "steps")
      try context.save()
      context.reset()
      let read = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")).first)
      #expect(try Self.numbers(read, "steps") == [2, 0, 1])
    }
  }

  @Test("a link to a fault whose row is gone is refused by the save", arguments: StoreKind.allCases)
  func goneFault(kind: StoreKind) throws {
    try Self.work(kind) { context, container in
      let node = Self.insert(context, "Node", "a")
      let other = Self.insert(context, "Node", "b")
      try context.save()
      let id = node.objectID
      context.reset()
      let fault = context.object(with: id)
      let elsewhere = container.newBackgroundContext()
      try elsewhere.performAndWait {
        elsewhere.delete(elsewhere.object(with: id))
        try elsewhere.save()
      }
      let child = context.object(with: other.objectID)
      child.setObject(fault, for: "parent")
      #expect(throws: (any Error).self) { try context.save() }
      child.setObject(nil, for: "parent")
      try context.save()
    }
  }

  @Test(
    "a deletion that wins a conflict takes along links that others made meanwhile", arguments: StoreKind.allCases,
    ["parent", "node"])
  func deletionWins(kind: StoreKind, link: String) throws {
    try Self.work(kind) { context, container in
      context.mergePolicy = .mergeByPropertyObjectTrump
      let node = Self.insert(context, "Node", "a")
      let member = Self.insert(context, link == "node" ? "Step" : "Node", link == "node" ? 1 : "b")
      try context.save()
      // The member is loaded, and does not know that it leads to the object.
      _ = try node.objects(for: "children")
      let elsewhere = container.newBackgroundContext()
      try elsewhere.performAndWait {
        elsewhere.object(with: member.objectID).setObject(elsewhere.object(with: node.objectID), for: link)
        try elsewhere.save()
      }
      context.delete(node)
      try context.save()
      elsewhere.performAndWait {
        elsewhere.reset()
        #expect(elsewhere.object(with: member.objectID).object(for: link) == nil)
      }
    }
  }

  @Test("undo brings back a link whose two objects were deleted together", arguments: StoreKind.allCases)
  func deletedPair(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let (one, two) = (Self.insert(context, "Node", "a"), Self.insert(context, "Node", "b"))
      try one.add(two, to: "friends")
      try context.save()
      context.reset()
      context.undoManager = ContextUndoManager()
      for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")) { context.delete(object) }
      context.processPendingChanges()
      context.undo()
      try context.save()
      context.reset()
      for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")) {
        #expect(try object.objects(for: "friends").count == 1)
      }
    }
  }

  @Test("undo takes back a member that came after another change of its owner", arguments: StoreKind.allCases)
  func lateMember(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let (one, two) = (Self.insert(context, "Node", "a"), Self.insert(context, "Node", "b"))
      try context.save()
      context.reset()
      context.undoManager = ContextUndoManager()
      let (a, b) = (context.object(with: one.objectID), context.object(with: two.objectID))
      a.setValue("c", forKey: "name")
      try a.add(b, to: "friends")
      context.processPendingChanges()
      context.undo()
      #expect(a["name"] == .string("a"))
      #expect(try a.objects(for: "friends").isEmpty && b.objects(for: "friends").isEmpty)
      context.redo()
      #expect(try a.objects(for: "friends") == [b])
    }
  }

  @Test("undo and redo restore an order that changed together with members", arguments: StoreKind.allCases)
  func orderAndMembers(kind: StoreKind) throws {
    try Self.work(kind) { context, _ in
      let node = Self.insert(context, "Node", "a")
      let steps = (0..<3).map { Self.insert(context, "Step", $0) }
      try node.setObjects(steps, for: "steps")
      try context.save()
      context.undoManager = ContextUndoManager()
      let new = Self.insert(context, "Step", 3)
      try node.setObjects([steps[1], steps[2], steps[0], new], for: "steps")
      context.processPendingChanges()
      context.undo()
      #expect(try Self.numbers(node, "steps") == [0, 1, 2])
      context.redo()
      #expect(try Self.numbers(node, "steps") == [1, 2, 0, 3])
      context.undo()
      try node.setObjects([steps[2], steps[1], steps[0]], for: "steps")
      context.delete(steps[1])
      context.processPendingChanges()
      context.undo()
      #expect(try Self.numbers(node, "steps") == [0, 1, 2])
      context.redo()
      #expect(try Self.numbers(node, "steps") == [2, 0])
    }
  }

  /// Sets a value when it is fetched, and deletes itself when it is deleted.
  private final class Waking: ManagedObject {
    override func awakeFromFetch() {
      super.awakeFromFetch()
      setValue("awake", forKey: "name")
    }

    override func prepareForDeletion() { managedObjectContext?.delete(self) }
  }

  @Test("what awakeFromFetch sets is no change, and prepareForDeletion may delete its object")
  func hooks() throws {
    var node = EntityDefinition("Node")
    node.attributes = [AttributeDefinition("name", .string)]
    let model = try ManagedObjectModel(entities: [node])
    let container = try PersistentContainer(
      name: "graph", model: model, store: InMemoryStore(model: model), classes: ["Node": Waking.self])
    let context = container.newBackgroundContext()
    try context.performAndWait {
      _ = Self.insert(context, "Node", "a")
      try context.save()
      context.reset()
      let read = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Node")).first)
      #expect(read["name"] == .string("awake"))
      #expect(!context.hasChanges && !read.isUpdated)
      context.delete(read)
      try context.save()
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 0)
    }
  }

  @Test("values of the object itself have keys, and numbers are flags")
  func keys() throws {
    try Self.work(.inMemory) { context, _ in
      let node = Self.insert(context, "Node", "a")
      #expect(node.value(forKey: "objectID") as? ObjectID == node.objectID)
      #expect(node.value(forKey: "isInserted") as? Bool == true)
      #expect(node.value(forKey: "managedObjectContext") as? ManagedObjectContext === context)
      node.setValue(3, forKey: "isOpen")
      #expect(node["isOpen"] == .boolean(true))
      node.setValue(0, forKey: "isOpen")
      #expect(node["isOpen"] == .boolean(false))
    }
  }
}
