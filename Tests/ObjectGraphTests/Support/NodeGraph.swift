import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// One entity that refers to itself in every way: parent and children (deleted with their parent), friends on both
/// sides.
struct NodeGraph: TestGraph {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let node: Entity

  init(_ kind: StoreKind, classes: [String: ManagedObject.Type] = [:]) throws {
    var node = EntityDefinition("Node")
    node.attributes = [AttributeDefinition("number", .integer64), AttributeDefinition("value", .integer64)]
    var children = RelationshipDefinition("children", toMany: "Node", inverse: "parent")
    children.deleteRule = .cascade
    node.relationships = [
      RelationshipDefinition("parent", toOne: "Node", inverse: "children"), children,
      RelationshipDefinition("friends", toMany: "Node", inverse: "friendOf"),
      RelationshipDefinition("friendOf", toMany: "Node", inverse: "friends"),
    ]
    let model = try ManagedObjectModel(entities: [node])
    folder = try TemporaryFolder()
    container = try PersistentContainer(
      name: "nodes", model: model, store: try kind.makeStore(model, in: folder), classes: classes)
    self.node = try model.required("Node")
  }

  func add(_ context: ManagedObjectContext, _ number: Int) -> ManagedObject {
    let object = context.insert(node)
    object["number"] = .integer(Int64(number))
    return object
  }

  /// The versions of all nodes in the store, by number.
  func versions() throws -> [Int: Int64] {
    var versions: [Int: Int64] = [:]
    for row in try store.snapshots(FetchSpecification(node)) {
      if let number = row.attributes[0].number { versions[number] = row.version }
    }
    return versions
  }

  /// A relationship that one side does not know of.
  struct OneSided: Error {
    var text: String
  }

  /// Everything as dictionaries.
  /// - Throws: `OneSided` where the two sides of a relationship do not agree.
  func contents(_ context: ManagedObjectContext) throws -> PlainGraph.Nodes {
    func number(_ object: ManagedObject) -> Int? {
      if case .integer(let number) = object["number"] { Int(number) } else { nil }
    }
    func shown(_ object: ManagedObject) -> String {
      "\(number(object) ?? -1) (\(object.isDeleted ? "deleted" : "there"))"
    }
    var nodes: PlainGraph.Nodes = [:]
    for object in try context.fetch(FetchSpecification(node)) {
      guard let key = number(object) else { continue }
      var plain = PlainNode()
      if case .integer(let value) = object["value"] { plain.value = Int(value) }
      plain.parent = object.object(for: "parent").flatMap { number($0) }
      plain.friends = Set(try object.objects(for: "friends").compactMap { number($0) })
      for (name, inverse) in [("friends", "friendOf"), ("friendOf", "friends")] {
        for other in try object.objects(for: name) {
          if try !other.objects(for: inverse).contains(object) {
            throw OneSided(text: "\(key) has \(shown(other)) in \(name)")
          }
        }
      }
      for child in try object.objects(for: "children") where child.object(for: "parent") !== object {
        throw OneSided(text: "\(key) has the child \(shown(child))")
      }
      if let parent = object.object(for: "parent"), try !parent.objects(for: "children").contains(object) {
        throw OneSided(text: "\(key) has the parent \(shown(parent))")
      }
      nodes[key] = plain
    }
    return nodes
  }
}

extension Value {
  /// A whole number.
  var number: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}
