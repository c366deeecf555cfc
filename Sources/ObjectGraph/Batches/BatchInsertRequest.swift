public import Foundation
public import ObjectModel
public import StoreInterface

/// Inserts objects in a store, without bringing them into a context: `try context.execute(request)`.
///
/// Where a row has the values of another object for a uniqueness constraint, the context's merge policy decides: under
/// `mergeByPropertyObjectTrump` the object takes the row's values (a key that is absent leaves one, null clears it),
/// under `overwrite` absent ones go back to the model's defaults, under `mergeByPropertyStoreTrump` and `rollback` the
/// object stays as it is, and under `error` the request fails. The rules of the model for attributes hold; methods of
/// classes are not called.
///
/// The keys of a dictionary are names of attributes, dotted paths of composites' elements, and names of to-one
/// relationships, whose values are ids of saved objects. A relationship that is to-one at both sides cannot be set.
public final class BatchInsertRequest {
  /// The entity by name.
  public let entityName: String
  /// The dictionaries of a request that was made of some; nil of others. A request may be carried out again.
  public var objectsToInsert: [[String: Any]]? { if case .objects(let rows) = source { rows } else { nil } }
  /// The entity of the new objects; looked up by name when it is first used.
  @_disfavoredOverload public var entity: Entity? { knownEntity }
  package private(set) var knownEntity: Entity?
  /// What the result tells.
  public var resultType = BatchInsertRequestResultType.statusOnly
  /// The stores that may get the objects: the first that holds the entity and can be written does. Nil: any.
  public var affectedStores: [any PersistentStore]?
  let source: Source

  /// Where the rows come from.
  enum Source {
    case objects([[String: Any]])
    /// Fills one dictionary; true when there are no more.
    case dictionaries((inout [String: Any]) throws -> Bool)
    /// Fills one object; true when there are no more.
    case managedObjects((ManagedObject) throws -> Bool)
    case batches(() throws -> RowBatch?)
  }

  private init(_ entityName: String, _ entity: Entity?, _ source: Source) {
    self.entityName = entityName
    knownEntity = entity
    self.source = source
  }

  /// Inserts an object per dictionary.
  public convenience init(entityName: String, objects: [[String: Any]]) {
    self.init(entityName, nil, .objects(objects))
  }

  /// Inserts an object per dictionary.
  public convenience init(entity: Entity, objects: [[String: Any]]) {
    self.init(entity.name, entity, .objects(objects))
  }

  /// Inserts an object for every dictionary that the closure fills. It gets an empty one each time and returns true
  /// when there are no more, whatever is in it then.
  public convenience init(entityName: String, dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool) {
    self.init(entityName, nil, .dictionaries(dictionaryHandler))
  }

  /// Inserts an object for every dictionary that the closure fills.
  public convenience init(entity: Entity, dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool) {
    self.init(entity.name, entity, .dictionaries(dictionaryHandler))
  }

  /// Inserts an object for every dictionary of Foundation's that the closure fills.
  @_disfavoredOverload
  public convenience init(entityName: String, dictionaryHandler: @escaping (NSMutableDictionary) throws -> Bool) {
    self.init(entityName, nil, Self.source(dictionaryHandler))
  }

  /// Inserts an object for every dictionary of Foundation's that the closure fills.
  @_disfavoredOverload
  public convenience init(entity: Entity, dictionaryHandler: @escaping (NSMutableDictionary) throws -> Bool) {
    self.init(entity.name, entity, Self.source(dictionaryHandler))
  }

  private static func source(_ fill: @escaping (NSMutableDictionary) throws -> Bool) -> Source {
    .dictionaries { row in
      let dictionary = NSMutableDictionary()
      if try fill(dictionary) { return true }
      for (key, value) in dictionary {
        guard let name = key as? String else { throw StoreError.failure("\(key) is no name of a property") }
        row[name] = value
      }
      return false
    }
  }

  /// Inserts an object for every managed object that the closure fills. It gets a new one each time, which must not be
  /// kept, and returns true when there are no more. All attributes of the object count as given, so that an object that
  /// takes the row's values takes the defaults of those that were not set, too. Relationships are not read.
  public convenience init(entityName: String, managedObjectHandler: @escaping (ManagedObject) throws -> Bool) {
    self.init(entityName, nil, .managedObjects(managedObjectHandler))
  }

  /// Inserts an object for every managed object that the closure fills.
  public convenience init(entity: Entity, managedObjectHandler: @escaping (ManagedObject) throws -> Bool) {
    self.init(entity.name, entity, .managedObjects(managedObjectHandler))
  }

  /// Inserts an object for every row of the batches that the closure returns until it returns nil. A batch that was
  /// returned may be filled anew and returned again.
  public convenience init(entity: Entity, rowBatches: @escaping () throws -> RowBatch?) {
    self.init(entity.name, entity, .batches(rowBatches))
  }

  /// What the store is asked.
  func insertion(in context: ManagedObjectContext) -> BatchInsertion {
    let entity = context.batchEntity(entityName, entity)
    knownEntity = entity
    return BatchInsertion(
      entity, conflictRule: context.mergePolicy.kind.conflictRule, next: rowBatches(of: entity, in: context))
  }
}

/// What the result of a batch insertion tells, with Core Data's names.
public enum BatchInsertRequestResultType: Sendable, Hashable, CaseIterable {
  case statusOnly
  case objectIDs
  case count
}

extension MergePolicy.Kind {
  /// What becomes of a row of a batch whose values for a constraint another object has.
  fileprivate var conflictRule: BatchInsertion.ConflictRule {
    switch self {
    case .error: .fail
    case .mergeByPropertyStoreTrump, .rollback: .keep
    case .mergeByPropertyObjectTrump: .update
    case .overwrite: .replace
    }
  }
}
