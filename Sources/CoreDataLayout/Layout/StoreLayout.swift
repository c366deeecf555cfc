public import ObjectModel

/// Everything that Core Data's layout derives from a model, as data: entity numbers, tables, columns, join tables,
/// indexes and triggers, in the order in which they are created.
public struct StoreLayout: Sendable {
  /// The model that is laid out.
  public let model: ManagedObjectModel
  /// The generation of Core Data it is laid out for.
  public let generation: FrameworkGeneration
  package let numbering: EntityNumbering
  /// One table per inheritance hierarchy, by entity number of the root.
  public internal(set) var tables: [TableLayout]
  /// The tables of many-to-many relationships, in the order in which these are resolved.
  public internal(set) var joinTables: [JoinTable]
  /// Ordinary, unique and R-tree indexes.
  public internal(set) var indexes: [IndexLayout]
  /// Stored derived attributes, each after those that its own value depends on.
  public internal(set) var derivedAttributes: [DerivedAttribute]
  /// Triggers that keep derived attributes, as far as Core Data's own are known.
  public internal(set) var triggers: [TriggerLayout]
  /// The parts that could not be laid out with certainty, in plain sentences.
  public internal(set) var notes: [String]
  private let tableByRootIndex: [Int: Int]

  /// Core Data's own tables that every store has.
  static let modelTables: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]
  /// Core Data's own tables of stores that have a history.
  static let historyTables: Set<String> = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
  /// Core Data's own tables.
  package static let bookkeepingTables = modelTables.union(historyTables)

  /// Lays out a store for `model`. Cost grows with the number of properties.
  public init(model: ManagedObjectModel, generation: FrameworkGeneration = .newest) {
    self.model = model
    self.generation = generation
    numbering = EntityNumbering(model)
    var resolution = RelationshipResolution(model: model, numbering: numbering)
    resolution.resolve()
    tables = resolution.finishedTables(generation)
    joinTables = resolution.joinTables
    notes = resolution.notes
    tableByRootIndex = Dictionary(
      tables.enumerated().map { ($1.root.index, $0) }, uniquingKeysWith: { first, _ in first })
    indexes = []
    derivedAttributes = []
    triggers = []
    indexes = makeIndexes()
    derivedAttributes = makeDerivedAttributes()
    triggers = makeTriggers()
  }

  // MARK: - Entity numbers

  /// `Z_ENT` of an entity.
  public func number(of entity: Entity) -> Int { numbering.numberByIndex[entity.index] }

  /// The entity with a `Z_ENT`, nil when the model has none.
  public func entity(number: Int) -> Entity? {
    guard number >= 1, number <= numbering.indexByNumber.count else { return nil }
    return numbering.entities[numbering.indexByNumber[number - 1]]
  }

  /// The entities in the order of their numbers.
  public var entitiesByNumber: [Entity] { numbering.indexByNumber.map { numbering.entities[$0] } }

  /// The numbers of an entity and of everything that descends from it, ascending.
  package func numbers(ofKind entity: Entity) -> [Int] {
    model.entities.filter { $0.isKind(of: entity) }.map { number(of: $0) }.sorted()
  }

  // MARK: - Tables and columns

  /// The table that holds an entity's rows.
  public func table(for entity: Entity) -> TableLayout { tables[tableByRootIndex[entity.root.index] ?? 0] }

  /// The column of an attribute, or of a composite's leaf by dotted path; nil for transient and unknown ones.
  public func column(for path: String, of entity: Entity) -> TableLayout.Column? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return lookUp(entity) { role in
      if case .attribute(let candidate, _) = role { return candidate == names }
      return false
    }
  }

  /// The columns of an attribute: one, or one per leaf of a composite.
  public func columns(for attribute: AttributeDefinition, of entity: Entity) -> [TableLayout.Column] {
    table(for: entity).columns.filter { column in
      guard case .attribute(let path, _) = column.role, let owner = column.entityIndex else { return false }
      return path.first == attribute.name && entity.isKind(of: numbering.entities[owner])
    }
  }

  /// The column that holds the destination's primary key of a to-one relationship.
  public func foreignKeyColumn(of relationship: Relationship) -> TableLayout.Column? {
    lookUp(relationship.entity) { $0 == .foreignKey(relationship: relationship.name) }
  }

  /// The column that holds the destination's entity number; nil when the destination has no sub-entities.
  public func entityColumn(of relationship: Relationship) -> TableLayout.Column? {
    lookUp(relationship.entity) { $0 == .destinationEntity(relationship: relationship.name) }
  }

  /// The column with a row's place inside the ordered inverse of a to-one relationship.
  public func orderColumn(of relationship: Relationship) -> TableLayout.Column? {
    lookUp(relationship.entity) { $0 == .orderKey(relationship: relationship.name) }
  }

  /// The join table of a many-to-many relationship and the side of it that the relationship is.
  public func joinTable(of relationship: Relationship) -> (table: JoinTable, side: JoinTable.Side)? {
    let declaring = relationship.declaringEntity
    for table in joinTables {
      for side in [table.master, table.inverse]
      where side.relationship.name == relationship.name && side.relationship.entity == declaring {
        return (table, side)
      }
    }
    return nil
  }

  /// Where a to-many relationship that has no join table keeps its members: columns of the destination's table.
  public func memberColumns(
    of relationship: Relationship
  ) -> (foreignKey: String, entity: String?, order: String?)? {
    guard relationship.isToMany else { return nil }
    let table = table(for: relationship.destination)
    if let inverse = relationship.inverse {
      guard !inverse.isToMany, let key = foreignKeyColumn(of: inverse) else { return nil }
      return (key.name, entityColumn(of: inverse)?.name, orderColumn(of: inverse)?.name)
    }
    let owner = number(of: relationship.declaringEntity)
    guard let key = table.column(.virtualForeignKey(owner: owner, relationship: relationship.name)) else { return nil }
    return (
      key.name, table.column(.virtualDestinationEntity(owner: owner, relationship: relationship.name))?.name,
      table.column(.virtualOrderKey(owner: owner, relationship: relationship.name))?.name
    )
  }

  private func lookUp(_ entity: Entity, where matches: (TableLayout.Role) -> Bool) -> TableLayout.Column? {
    table(for: entity).columns.first { column in
      guard let owner = column.entityIndex else { return false }
      return matches(column.role) && entity.isKind(of: numbering.entities[owner])
    }
  }

  // MARK: - Statements

  /// The tables that every store has.
  var bookkeepingStatements: [String] {
    [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    ] + (generation.hasModelCache ? [Self.modelCacheStatement] : [])
  }

  /// Frameworks that write no model cache leave the table alone.
  package static let modelCacheStatement = "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"

  /// CREATE TABLE statements of entity tables, each followed by the join tables that its entities gave their names.
  public var tableStatements: [String] {
    tables.flatMap { table in
      [table.createStatement]
        + joinTables.filter { $0.master.relationship.entity.root == table.root }.map(\.createStatement)
    }
  }
}
