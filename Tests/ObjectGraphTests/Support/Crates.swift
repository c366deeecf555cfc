import CoreDataLayout
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport

/// Crates in crates, in order, which are deleted with the crate that they are in; and labels on crates, in order.
struct Crates {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  let container: PersistentContainer
  let crate: Entity
  let label: Entity

  init(_ kind: StoreKind) throws {
    var crate = EntityDefinition("Crate")
    crate.attributes = [AttributeDefinition("number", .integer64)]
    var contents = RelationshipDefinition("contents", toMany: "Crate", inverse: "place", ordered: true)
    contents.deleteRule = .cascade
    crate.relationships = [
      contents, RelationshipDefinition("place", toOne: "Crate", inverse: "contents"),
      RelationshipDefinition("labels", toMany: "Label", inverse: "crates", ordered: true),
    ]
    var label = EntityDefinition("Label")
    label.attributes = [AttributeDefinition("number", .integer64)]
    label.relationships = [RelationshipDefinition("crates", toMany: "Crate", inverse: "labels")]
    model = try ManagedObjectModel(entities: [crate, label])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "crates", model: model, store: try kind.makeStore(model, in: folder))
    self.crate = try model.required("Crate")
    self.label = try model.required("Label")
  }

  /// Works in a new context.
  func inContext<Result>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    let context = container.newBackgroundContext(name: "crates")
    return try context.performAndWait { try body(context) }
  }

  /// Works in a context of another coordinator with the store's file.
  func elsewhere(_ body: (ManagedObjectContext) throws -> Void) throws {
    let path = folder.path + "/School.sqlite"
    let other = try PersistentContainer(
      name: "elsewhere", model: model, store: try SQLiteStore.open(path: path, model: model))
    let context = other.newBackgroundContext(name: "elsewhere")
    try context.performAndWait { try body(context) }
    try other.persistentStoreCoordinator.store.close()
  }

  func add(_ entity: Entity, _ number: Int64, _ context: ManagedObjectContext) -> ManagedObject {
    let object = context.insert(entity)
    object["number"] = .integer(number)
    return object
  }

  struct Missing: Error {
    let number: Int64
  }

  /// The crate or label of a number.
  func find(_ number: Int64, _ context: ManagedObjectContext) throws -> ManagedObject {
    let all = try context.fetch(FetchSpecification(crate)) + context.fetch(FetchSpecification(label))
    guard let found = all.first(where: { $0["number"] == .integer(number) }) else { throw Missing(number: number) }
    return found
  }

  func numbers(_ list: String, of object: ManagedObject) throws -> [Int] {
    try object.objects(for: list).compactMap { $0["number"]?.number }
  }

  /// The numbers that a new context finds in a list.
  func stored(_ list: String, of number: Int64) throws -> [Int] {
    try inContext { try numbers(list, of: try find(number, $0)) }
  }
}
