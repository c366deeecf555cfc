import ObjectGraph
import ObjectModel
import StoreInterface

/// One entity that refers to itself in every way: parent and children (deleted with their parent), friends on both
/// sides.
struct NodeGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let node: Entity

  init(_ kind: StoreKind, classes: [String: ManagedObject.Type] = [:]) throws {
    var node = EntityDescription("Node")
    node.attributes = [AttributeDescription("number", .integer64), AttributeDescription("value", .integer64)]
    var children = RelationshipDescription("children", toMany: "Node", inverse: "parent")
    children.deleteRule = .cascade
    node.relationships = [
      RelationshipDescription("parent", toOne: "Node", inverse: "children"), children,
      RelationshipDescription("friends", toMany: "Node", inverse: "friendOf"),
      RelationshipDescription("friendOf", toMany: "Node", inverse: "friends"),
    ]
    let model = try ManagedObjectModel(entities: [node])
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "nodes", model: model, store: try kind.makeStore(model, in: folder), classes: classes)
    self.node = try model.required("Node")
  }

  var store: any PersistentStore { container.coordinator.store }

  func work(_ body: @Sendable (ManagedObjectContext) throws -> Void) throws {
    let context = container.newBackgroundContext(name: "nodes")
    try context.performAndWait { try body(context) }
  }

  func add(_ context: ManagedObjectContext, _ number: Int) -> ManagedObject {
    let object = context.insert(node)
    object["number"] = .integer(Int64(number))
    return object
  }
}
