import CoreDataLayout
import ObjectGraph
import ObjectModel
import Platform
import StoreInterface

/// All objects of an entity deleted, or an integer of them raised, by objects: fetched, changed and saved once in one
/// context.
struct ContextWork {
  /// What is done with every object.
  enum Kind: String {
    case delete, update
  }

  /// The objects that the work was done with, and the time and memory that it took.
  struct Outcome {
    var objects: Int
    var seconds: Double
    /// The most memory that the process had.
    var peakBytes: Int
  }

  /// There is no such entity or attribute.
  struct Unknown: Error, CustomStringConvertible {
    let name: String
    var description: String { "the model has no \(name)" }
  }

  private let container: PersistentContainer
  private let entity: Entity
  private let kind: Kind
  private let attribute: String

  /// - Parameter attribute: an integer, which an update raises by one.
  init(_ kind: Kind, storePath: String, model: ManagedObjectModel, entityName: String, attribute: String) throws {
    guard let entity = model[entityName] else { throw Unknown(name: entityName) }
    guard entity.attributesByName[attribute] != nil else { throw Unknown(name: "\(entityName).\(attribute)") }
    self.entity = entity
    self.kind = kind
    self.attribute = attribute
    container = try PersistentContainer(
      name: "benchmark", model: model, store: try SQLiteStore.open(path: storePath, model: model))
  }

  func run() throws -> Outcome {
    var count = 0
    let (seconds, _) = try Pair.time {
      count = try work()
      return Answer(rows: count)
    }
    return Outcome(objects: count, seconds: seconds, peakBytes: PeakMemory.bytes)
  }

  private func work() throws -> Int {
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      let objects = try context.fetch(FetchSpecification(entity))
      for object in objects {
        switch kind {
        case .delete: context.delete(object)
        case .update:
          guard case .integer(let value) = object[attribute] else { continue }
          object[attribute] = .integer(value + 1)
        }
      }
      try context.save()
      return objects.count
    }
  }
}
