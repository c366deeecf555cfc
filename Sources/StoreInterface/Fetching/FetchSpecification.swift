public import ObjectModel
public import Predicates

/// A request to a store: which objects to fetch, in which order, and which of their values.
///
/// Programs ask contexts with a `FetchRequest`, which makes one of these.
public struct FetchSpecification: Sendable {
  /// The entity of the selected objects.
  public var entity: Entity
  /// The condition that objects must meet.
  public var predicate: FetchPredicate = .all
  /// The order: by the first descriptor, then by the next. Equal objects are ordered by primary key, ascending. In a
  /// request for dictionaries groups are ordered by their keys after that, and distinct rows by their columns,
  /// ascending; objects there sort by their primary keys, as numbers do.
  public var sortDescriptors: [FetchSortDescriptor] = []
  /// The greatest number of results; 0: no limit.
  public var fetchLimit = 0
  /// How many results to leave out at the start of the ordered result.
  public var fetchOffset = 0
  /// Whether objects of sub-entities are selected too.
  public var includesSubentities = true
  /// Coordinators: the identifiers of the stores that are asked; nil: all that have the entity.
  public var affectedStores: [String]?

  /// What is wanted. The functions of contexts and stores say themselves what they return: `fetch` objects, `objectIDs`
  /// ids, `rows` dictionaries, `count` the count; a fetch request template of a model says it here.
  public var resultType = ResultType.objects
  /// Dictionaries: what is fetched. Empty: every attribute that is stored and every to-one relationship.
  public var propertiesToFetch: [FetchedExpression] = []
  /// Dictionaries: rows with equal values of these make one group. Names of fetched expressions, or key paths through
  /// to-one relationships to an attribute or a to-one relationship; what is fetched beside them must be made of
  /// aggregates. Empty: no groups, and when an aggregate is fetched, one group of all rows, even of none.
  public var propertiesToGroupBy: [FetchPredicate.KeyPath] = []
  /// Dictionaries: which groups are wanted. Its key paths are group keys or names of fetched expressions, or stand
  /// inside aggregates.
  public var havingPredicate: FetchPredicate?
  /// Dictionaries: whether equal ones are returned once. Objects and ids are distinct by themselves.
  public var returnsDistinctResults = false

  /// Contexts: how many objects `fetchedObjects` brings in at a time while the result is walked; 0: as many as it
  /// chooses. `fetch` returns all at once.
  public var fetchBatchSize = 0
  /// Contexts: whether objects are returned without their values until they are asked for.
  public var returnsObjectsAsFaults = true
  /// Contexts: relationships, with dots through others, whose objects are brought in along with the result.
  public var relationshipKeyPathsForPrefetching: [FetchPredicate.KeyPath] = []
  /// Contexts: whether unsaved changes count.
  public var includesPendingChanges = true
  /// Contexts: whether values are read with the row, or only ids.
  public var includesPropertyValues = true

  /// A request for every object of the entity and its sub-entities.
  public init(_ entity: Entity) {
    self.entity = entity
  }

  /// What the results are. Raw values are those of models.
  public enum ResultType: Int, Sendable, Hashable, CaseIterable {
    case objects = 0
    case objectIDs = 1
    case dictionaries = 2
    case count = 4
  }
}
