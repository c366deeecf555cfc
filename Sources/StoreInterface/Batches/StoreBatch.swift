public import ObjectModel
public import Predicates

/// A change of many objects that a store carries out by itself, in one transaction, without a context
/// (see `BatchWriting`).
public struct StoreBatch {
  /// What is to be done.
  public enum Work {
    case delete(BatchDeletion)
    case update(BatchUpdate)
    case insert(BatchInsertion)
  }

  /// What is to be done.
  public var work: Work
  /// Whether the outcome has the ids of the objects concerned. They take memory; counts do not.
  public var wantsObjectIDs: Bool
  /// What the history of the store says of the batch, as of a save: who made the changes.
  public var author: String?
  /// The name of the context, for the history of the store.
  public var contextName: String?

  /// A change, by default without ids in its outcome.
  public init(_ work: Work, wantsObjectIDs: Bool = false) {
    self.work = work
    self.wantsObjectIDs = wantsObjectIDs
  }
}

/// Deletes objects, and applies the model's delete rules to other objects.
///
/// Relationships to deleted objects are nullified, objects that cascades reach are deleted too. A deletion that a rule
/// denies, or that would leave an object without what it requires, fails as a whole.
public struct BatchDeletion: Sendable {
  /// The requests that select the objects; an object need meet only one of them. Entity, predicate, order, limit and
  /// offset count, the rest does not.
  public var selections: [FetchSpecification]
  /// Deletes what the requests select.
  public init(_ selections: FetchSpecification...) { self.selections = selections }
}

/// Gives attributes of objects new values.
public struct BatchUpdate: Sendable {
  /// Which objects: entity, predicate and `includesSubentities` count.
  public var selection: FetchSpecification
  /// By the name of a stored attribute, or the dotted path of a composite's element, the new value: a constant, or an
  /// expression over the object as it was before the update.
  public var assignments: [String: FetchExpression]
  /// Updates what the request selects.
  public init(_ selection: FetchSpecification, assignments: [String: FetchExpression]) {
    self.selection = selection
    self.assignments = assignments
  }
}

/// Inserts rows, and updates objects that have a row's values for a uniqueness constraint already.
public struct BatchInsertion {
  /// How a row is treated when another object has its values for a uniqueness constraint.
  public enum ConflictRule: Sendable, Hashable, CaseIterable {
    /// Nothing is inserted: the batch fails.
    case fail
    /// The object stays as it is.
    case keep
    /// The object takes the row's values: null clears one, an absent cell leaves it.
    case update
    /// The object takes the row's values, and absent cells and attributes without a column go back to the model's
    /// defaults.
    case replace
  }

  /// The entity of the new objects.
  public var entity: Entity
  /// How rows in conflict are treated.
  public var conflictRule: ConflictRule
  /// Gives the rows, some at a time, until it returns nil. A batch that it has returned before may come again, filled
  /// anew. All batches are of the entity.
  public var next: () throws -> RowBatch?

  /// Inserts the rows of the batches that `next` returns.
  public init(_ entity: Entity, conflictRule: ConflictRule = .fail, next: @escaping () throws -> RowBatch?) {
    self.entity = entity
    self.conflictRule = conflictRule
    self.next = next
  }
}

/// The result of a batch.
public struct BatchOutcome: Sendable, Hashable {
  /// The number of new objects.
  public var insertedCount = 0
  /// Objects that got other values from the request itself.
  public var updatedCount = 0
  /// Deleted objects, those that cascades reached included.
  public var deletedCount = 0
  /// Other objects whose relationships changed with that: delete rules nullified them, or they have other members.
  public var relatedCount = 0
  /// Ids of new objects, in the order of their rows; empty unless they were asked for.
  public var inserted: [ObjectID] = []
  /// Ids of updated objects, by table and primary key; empty unless they were asked for.
  public var updated: [ObjectID] = []
  /// Ids of deleted objects, by table and primary key; empty unless they were asked for.
  public var deleted: [ObjectID] = []
  /// Ids of related objects, by table and primary key; empty unless they were asked for.
  public var related: [ObjectID] = []

  /// An outcome without changes.
  public init() {}

  /// Adds the outcome of another store.
  package mutating func add(_ other: BatchOutcome) {
    insertedCount += other.insertedCount
    updatedCount += other.updatedCount
    deletedCount += other.deletedCount
    relatedCount += other.relatedCount
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    related += other.related
  }

  /// The same outcome without ids.
  package var counts: BatchOutcome {
    var outcome = self
    (outcome.inserted, outcome.updated, outcome.deleted, outcome.related) = ([], [], [], [])
    return outcome
  }
}
