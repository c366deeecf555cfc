/// The result of a comparison, without the objects.
public struct ComparisonSummary: Sendable {
  /// The counts of one entity's own objects, those of its sub-entities apart.
  public struct EntityCounts: Sendable {
    /// The entity's name.
    public var entity: String
    /// The attributes by which objects were identified; empty: by primary key.
    public var key: [String]
    /// Objects that only the second store has.
    public var inserted = 0
    /// Objects that both have and that differ.
    public var updated = 0
    /// Objects that only the first store has.
    public var deleted = 0
  }

  /// The parts that the models do not have in common, in plain sentences. They were not compared.
  public var modelDifferences: [String] = []
  /// The counts in the order of the entities' names.
  public var entities: [EntityCounts] = []
  /// Whether the files are the same to the byte, so that no rows were compared.
  public var isSameFile = false

  /// Whether the models or any objects differ.
  public var hasDifferences: Bool { !modelDifferences.isEmpty || changeCount > 0 }
  /// How many objects differ.
  public var changeCount: Int { entities.reduce(0) { $0 + $1.inserted + $1.updated + $1.deleted } }
}
