import CoreDataLayout
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// One entity with one-to-one relationships between two sides and to itself, and a one-to-many relationship.
struct CoupleGraph: TestGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let node: Entity

  init(_ kind: StoreKind) throws {
    var node = EntityDefinition("Node")
    node.attributes = [AttributeDefinition("number", .integer64), AttributeDefinition("value", .integer64)]
    node.relationships = [
      RelationshipDefinition("next", toOne: "Node", inverse: "previous"),
      RelationshipDefinition("previous", toOne: "Node", inverse: "next"),
      RelationshipDefinition("spouse", toOne: "Node", inverse: "spouse"),
      RelationshipDefinition("parent", toOne: "Node", inverse: "children"),
      RelationshipDefinition("children", toMany: "Node", inverse: "parent"),
    ]
    let model = try ManagedObjectModel(entities: [node])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "couples", model: model, store: try kind.makeStore(model, in: folder))
    self.node = try model.required("Node")
  }

  func add(_ context: ManagedObjectContext, _ number: Int) -> ManagedObject {
    let object = context.insert(node)
    object["number"] = .integer(Int64(number))
    return object
  }

  func nodes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    var request = FetchSpecification(node)
    request.sortDescriptors = [.init(["number"])]
    return try context.fetch(request)
  }

  /// One line for each node: its number, value and what it leads to.
  func contents(_ context: ManagedObjectContext) throws -> [String] {
    func number(_ object: ManagedObject?) -> String {
      object.map { "\($0.attributeValue("number").number ?? -1)" } ?? "-"
    }
    return try nodes(context).map { object in
      let ends = ["next", "previous", "spouse", "parent"].map { "\($0) \(number(object.object(for: $0)))" }
      let children = try object.objects(for: "children").compactMap { $0.attributeValue("number").number }.sorted()
      return
        "\(number(object)) value \(object.attributeValue("value").number ?? 0) \(ends.joined(separator: " ")) children \(children)"
    }
  }

  /// Where the two sides of a relationship do not agree.
  func problems(_ context: ManagedObjectContext) throws -> [String] {
    var problems: [String] = []
    for object in try nodes(context) {
      let name = "\(object.attributeValue("number").number ?? -1)"
      for (there, back) in [("next", "previous"), ("previous", "next"), ("spouse", "spouse")] {
        if let other = object.object(for: there), other.object(for: back) !== object {
          problems.append("\(name) \(there)")
        }
      }
      if let parent = object.object(for: "parent"), try !parent.objects(for: "children").contains(object) {
        problems.append("\(name) parent")
      }
      for child in try object.objects(for: "children") where child.object(for: "parent") !== object {
        problems.append("\(name) children")
      }
    }
    return problems
  }

  /// What a check of the file finds; nothing for a store in memory.
  func findings() throws -> [StoreFinding] {
    guard let store = store as? SQLiteStore else { return [] }
    return try StoreChecker.check(path: store.path, model: store.model).findings
  }
}
