/// A fetch request that a model holds by name, with its predicate as text.
public struct FetchRequestTemplate: Sendable, Hashable {
  /// Unique among the model's templates.
  public var name: String
  /// Name of the entity that is fetched.
  public var entityName: String
  /// The predicate in predicate-format text; nil for all objects.
  public var predicate: String?
  /// The greatest number of results; 0 for no limit.
  public var fetchLimit = 0
  /// How many objects are fetched at a time; 0 for all at once.
  public var fetchBatchSize = 0
  /// Raw result type: 0 objects, 1 object ids, 2 dictionaries, 4 count.
  public var resultType = 0
  /// Whether objects of sub-entities are fetched too.
  public var includesSubentities = true
  /// Whether property values are read with the row.
  public var includesPropertyValues = true
  /// Whether unsaved changes count.
  public var includesPendingChanges = true
  /// Whether objects are faults.
  public var returnsObjectsAsFaults = true
  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults = false

  /// A request for the objects of an entity.
  public init(_ name: String, entityName: String, predicate: String? = nil) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
  }
}

/// A fetched property: a named fetch request that belongs to an entity. It is never stored and never hashed.
public struct FetchedPropertyDefinition: Sendable, Hashable {
  /// A letter or underscore, then letters, digits and underscores; unique among the entity's properties.
  public var name: String
  /// The request that the property stands for.
  public var fetchRequest: FetchRequestTemplate
  /// Free entries of the model's author.
  public var userInfo: [String: String] = [:]

  /// A fetched property of that name.
  public init(_ name: String, fetchRequest: FetchRequestTemplate) {
    self.name = name
    self.fetchRequest = fetchRequest
  }
}
