import ObjectGraph
import ObjectModel

/// The calls that expressions make of the migration: `$manager`.
protocol MigrationCalls: AnyObject {
  /// The result of a function.
  func perform(_ selector: String, _ operands: [Any?], _ variables: MigrationVariables) throws -> Any?
  /// The result of `FETCH`.
  func fetch(_ request: Any?, in context: Any?, isCount: Bool, asIDs: Bool) throws -> Any?
  /// The context of the objects of a model.
  func context(of model: ManagedObjectModel) -> ManagedObjectContext?
  /// The context of the objects of the other model.
  func context(otherThan model: ManagedObjectModel) -> ManagedObjectContext?
}

/// The calls that expressions make of a mapping's policy: `$entityPolicy`.
protocol PolicyCalls: AnyObject {
  /// The result of a function.
  func perform(_ selector: String, _ operands: [Any?]) throws -> Any?
}

/// The values of the variables of a mapping's expressions: `$manager`, `$source` and so on.
struct MigrationVariables {
  var manager: (any MigrationCalls)?
  var source: ManagedObject?
  var destination: ManagedObject?
  var entityPolicy: (any PolicyCalls)?
  /// The property that is being set, for look-ups that depend on its destination.
  var property: String?
  /// Whether a fetch need only return ids.
  var wantsIDs = false

  /// The context of the other model's objects, seen from `object`.
  func otherContext(than object: ManagedObject) -> ManagedObjectContext? {
    if let manager { return manager.context(otherThan: object.entity.model) }
    return object === source ? destination?.managedObjectContext : source?.managedObjectContext
  }

  /// The object of an id, of either model.
  func object(_ id: ObjectID) -> ManagedObject? {
    for known in [source, destination].compactMap(\.self) where known.entity.model === id.entity.model {
      return known.objectID == id ? known : known.managedObjectContext?.object(with: id)
    }
    return manager?.context(of: id.entity.model)?.object(with: id)
  }
}

/// The names of the variables.
enum MigrationVariableName {
  static let manager = "manager"
  static let source = "source"
  static let destination = "destination"
  static let entityMapping = "entityMapping"
  static let propertyMapping = "propertyMapping"
  static let entityPolicy = "entityPolicy"
  static let all = [manager, source, destination, entityMapping, propertyMapping, entityPolicy]
}
