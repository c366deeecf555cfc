public import ObjectModel
package import Predicates

/// The model of histories, with Core Data's names, so that predicates and sort descriptors can be about transactions
/// and changes.
///
/// A transaction has `author`, `bundleID`, `contextName`, `processID`, `timestamp`, `transactionNumber` and `changes`.
/// A change has `changeID`, `changeType` (0, 1 or 2), `changedEntity` (a name), `changedObjectID`, `updatedProperties`,
/// `transactionNumber` and `transaction`.
/// `changedObjectID` can be compared with ids by `=`, `!=` and `IN`; `updatedProperties` can be tested with `CONTAINS`
/// and a name, or with a name that is `IN` it.
public enum PersistentHistoryModel {
  /// The model with the entities `TRANSACTION` and `CHANGE`.
  public static let model: ManagedObjectModel = {
    var transaction = EntityDefinition("TRANSACTION")
    transaction.attributes = [
      AttributeDefinition("author", .string), AttributeDefinition("bundleID", .string),
      AttributeDefinition("contextName", .string), AttributeDefinition("processID", .string),
      AttributeDefinition("timestamp", .date), AttributeDefinition("transactionNumber", .integer64),
    ]
    transaction.relationships = [RelationshipDefinition("changes", toMany: "CHANGE", inverse: "transaction")]
    var change = EntityDefinition("CHANGE")
    change.attributes = [
      AttributeDefinition("changeID", .integer64), AttributeDefinition("changeType", .integer64),
      AttributeDefinition("changedEntity", .string), AttributeDefinition(entityNumberName, .integer64),
      AttributeDefinition(primaryKeyName, .integer64), AttributeDefinition(transactionNumberName, .integer64),
      AttributeDefinition("updatedProperties", .string),
    ]
    change.relationships = [RelationshipDefinition("transaction", toOne: "TRANSACTION", inverse: "changes")]
    do {
      return try ManagedObjectModel(entities: [change, transaction])
    } catch {
      preconditionFailure("the model is a constant: \(error)")
    }
  }()

  /// The entity of transactions.
  public static var transaction: Entity { entity("TRANSACTION") }
  /// The entity of changes.
  public static var change: Entity { entity("CHANGE") }

  private static func entity(_ name: String) -> Entity {
    guard let entity = model[name] else { preconditionFailure("the model is a constant") }
    return entity
  }

  /// The number of the changed object's entity, and its primary key, which a store keeps in place of `changedObjectID`.
  package static let entityNumberName = "changedEntityNumber"
  package static let primaryKeyName = "changedPrimaryKey"
  /// The number of a change's transaction: comparing it costs less than following the relationship.
  package static let transactionNumberName = "transactionNumber"
  /// The separator before and after each name in a store's text of `updatedProperties`. No property has it in its name.
  package static let nameSeparator = "\u{1F}"

  /// A predicate with the properties of stores in place of `changedObjectID` and `updatedProperties`.
  /// - Parameter place: the number of an object's entity and the primary key; nil for objects that do not belong to the
  ///   store.
  /// - Throws: `StoreError.unsupported` for comparisons of these two that stores cannot answer.
  package static func resolved(
    _ predicate: FetchPredicate, place: @escaping (ObjectID) -> (entityNumber: Int64, primaryKey: Int64)?
  ) throws -> FetchPredicate {
    try HistoryPredicateResolution(place: place).resolve(predicate)
  }
}
