public import ObjectModel
public import Predicates
public import StoreInterface

/// Gives attributes of objects new values in their stores, without bringing them into a context:
/// `try context.execute(request)`.
///
/// An object that has its new values already is left alone, keeps its version and is not counted. The rules of the
/// model for the attributes hold; methods of classes are not called.
public final class BatchUpdateRequest {
  /// The entity by name.
  public let entityName: String
  /// The entity of the updated objects; looked up by name when it is first used.
  @_disfavoredOverload public var entity: Entity? { knownEntity }
  package private(set) var knownEntity: Entity?
  /// The condition that objects must meet; nil for all objects.
  public var predicate: FetchPredicate?
  /// Whether objects of sub-entities are updated too.
  public var includesSubentities = true
  /// The new values by the names of attributes, or the dotted paths of composites' elements: a constant, nil for none,
  /// or an expression over the object as it was: `["wins": FetchExpression(format: "wins + 1"), "note": nil]`.
  public var propertiesToUpdate: [String: (any PredicateArgument)?]?
  /// What the result tells.
  public var resultType = BatchUpdateRequestResultType.statusOnlyResultType
  /// The stores that are asked; nil: all that have the entity.
  public var affectedStores: [any PersistentStore]?

  /// An update of an entity's objects, by name.
  public init(entityName: String) { self.entityName = entityName }

  /// An update of an entity's objects.
  public init(entity: Entity) {
    entityName = entity.name
    knownEntity = entity
  }

  /// What the stores are asked.
  func update(in context: ManagedObjectContext) -> BatchUpdate {
    let entity = context.batchEntity(entityName, entity)
    knownEntity = entity
    var selection = FetchSpecification(entity)
    selection.predicate = predicate?.withNumbersForTexts(in: ExpressionScope(entity)) ?? .all
    selection.includesSubentities = includesSubentities
    selection.affectedStores = affectedStores.map { $0.map(\.identifier) }
    return BatchUpdate(
      selection, assignments: (propertiesToUpdate ?? [:]).mapValues { $0?.predicateExpression ?? .constant(.null) })
  }
}

/// What the result of a batch update tells, with Core Data's names.
public enum BatchUpdateRequestResultType: Sendable, Hashable, CaseIterable {
  case statusOnlyResultType
  case updatedObjectIDsResultType
  case updatedObjectsCountResultType
}
