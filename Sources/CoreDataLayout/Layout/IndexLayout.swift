public import ObjectModel

/// An index of a store.
public struct IndexLayout: Sendable {
  /// What sort of index it is.
  public enum Kind: Sendable, Hashable {
    case ordinary, unique
    /// A virtual table beside the entity's own, which the writer has to fill.
    case rTree(columns: [String])
  }
  /// The index's or virtual table's name.
  public var name: String
  /// The table that is indexed.
  public var table: String
  /// What sort of index it is.
  public var kind: Kind
  /// The statement that Core Data writes.
  public var createStatement: String
  /// For a uniqueness constraint: the entity and the names that must be unique together.
  public var constraint: (entity: Entity, names: [String])?
  /// For an R-tree: the entity whose rows it holds.
  public var entity: Entity?

  init(
    name: String, table: String, kind: Kind = .ordinary, createStatement: String,
    constraint: (entity: Entity, names: [String])? = nil, entity: Entity? = nil
  ) {
    self.name = name
    self.table = table
    self.kind = kind
    self.createStatement = createStatement
    self.constraint = constraint
    self.entity = entity
  }
}

extension StoreLayout {
  /// Every index, table by table, in the order in which Core Data creates them.
  mutating func makeIndexes() -> [IndexLayout] {
    var result: [IndexLayout] = []
    for table in tables {
      let entities = entitiesByNumber.filter { $0.root == table.root }
      // Old frameworks make a table's attribute indexes first, as the attributes' columns come first.
      if generation.usesLegacyIndexNames {
        for entity in entities { result += attributeIndexes(of: entity, in: table) }
      }
      result += relationshipIndexes(of: table)
      result += joinIndexes(of: table)
      for entity in entities {
        if !generation.usesLegacyIndexNames { result += attributeIndexes(of: entity, in: table) }
        result += fetchIndexes(of: entity, in: table)
        result += constraintIndexes(of: entity, in: table)
      }
    }
    return withoutRepeatedNames(result)
  }

  /// SQLite ignores the case of names, and no two indexes may have the same name. Equal indexes come from an attribute
  /// that is indexed twice.
  private mutating func withoutRepeatedNames(_ indexes: [IndexLayout]) -> [IndexLayout] {
    var statementByName: [String: String] = [:]
    var result: [IndexLayout] = []
    for index in indexes {
      let key = index.name.uppercased()
      if let statement = statementByName[key] {
        if statement != index.createStatement {
          notes.append("Index \(index.name) is left out: another index has its name.")
        }
        continue
      }
      statementByName[key] = index.createStatement
      result.append(index)
    }
    return result
  }

  private func joinIndexes(of table: TableLayout) -> [IndexLayout] {
    joinTables.filter { $0.master.relationship.entity.root == table.root }.map { join in
      let name = "\(join.name)_\(join.master.memberColumn)_INDEX"
      return IndexLayout(
        name: name, table: join.name,
        createStatement:
          "CREATE INDEX \(name) ON \(join.name) (\(join.master.memberColumn), \(join.master.ownerColumn))")
    }
  }

  private func relationshipIndexes(of table: TableLayout) -> [IndexLayout] {
    var result: [IndexLayout] = []
    for column in table.columns {
      switch column.role {
      case .foreignKey, .virtualForeignKey:
        let name = "\(table.name)_\(column.name)_INDEX"
        result.append(
          IndexLayout(
            name: name, table: table.name, createStatement: "CREATE INDEX \(name) ON \(table.name) (\(column.name))"))
      default: continue
      }
    }
    if !table.root.subentities.isEmpty,
      table.root.definition.userInfo["_NSEntityOmitSubentityColumnIndex"] == nil
    {
      let name = "\(table.name)_Z_ENT_INDEX"
      result.append(
        IndexLayout(name: name, table: table.name, createStatement: "CREATE INDEX \(name) ON \(table.name) (Z_ENT)"))
    }
    return result
  }

  /// Indexes of the legacy sort: of single attributes that are marked as indexed, and compound ones.
  private func attributeIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    var names = entity.definition.attributes.filter { $0.isIndexed && !$0.isTransient }.map(\.name)
    if generation.repeatsSingleAttributeIndexes || generation.namesIndexesByAttribute {
      for index in entity.definition.fetchIndexes {
        if let name = singleAttribute(of: index, entity), !names.contains(name) { names.append(name) }
      }
    }
    let compounds = entity.definition.compoundIndexes.filter { !isForeignKey(alone: $0, of: entity) }
    return (names.map { [$0] } + compounds).compactMap { list in
      let columns = list.compactMap { indexedColumn($0, of: entity) }
      // A to-many relationship has no column; the index is over the other properties.
      guard columns.count == list.count(where: { entity.relationship($0)?.isToMany != true }), !columns.isEmpty else {
        return nil
      }
      if generation.usesLegacyIndexNames {
        let name = "\(table.name)_\(columns.joined(separator: "_"))" + (columns.count == 1 ? "_INDEX" : "")
        return IndexLayout(
          name: name, table: table.name,
          createStatement: "CREATE INDEX \(name) ON \(table.name) (\(columns.joined(separator: ", ")))")
      }
      return ordinaryIndex("Z_\(entity.name)_\(Self.joined(list))", table, columns.map { ($0, true) })
    }
  }

  /// Names of properties as part of an index's name. The dots in paths of composites' elements have no place in it.
  private static func joined(_ names: [String]) -> String {
    names.map { $0.replacing(".", with: "_") }.joined(separator: "_")
  }

  private func constraintIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    entity.definition.uniquenessConstraints.compactMap { names in
      if generation.hasInlineUnique && names.count == 1 { return nil }
      let columns = names.compactMap { propertyColumn($0, of: entity) }
      guard columns.count == names.count, !columns.isEmpty else { return nil }
      let list = columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
      let name = "Z_\(entity.name)_UNIQUE_\(Self.joined(names))"
      return IndexLayout(
        name: name, table: table.name, kind: .unique,
        createStatement: "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(list))", constraint: (entity, names))
    }
  }

  func ordinaryIndex(
    _ name: String, _ table: TableLayout, _ columns: [(String, Bool)], condition: String? = nil
  ) -> IndexLayout {
    let list = columns.map { "\($0.0) COLLATE BINARY \($0.1 ? "ASC" : "DESC")" }.joined(separator: ", ")
    return IndexLayout(
      name: name, table: table.name,
      createStatement: "CREATE INDEX \(name) ON \(table.name) (\(list))" + (condition.map { " WHERE \($0)" } ?? ""))
  }

  /// The column of an element of an index: a property's, or that of the row's key or entity number where the entity has
  /// no property of that name.
  func indexedColumn(_ name: String, of entity: Entity) -> String? {
    if let column = propertyColumn(name, of: entity) { return column }
    if entity.attribute(name) != nil || entity.relationship(name) != nil { return nil }
    switch name {
    case "self", "SELF": return "Z_PK"
    case "entity": return "Z_ENT"
    default: return nil
    }
  }

  /// Whether the only element of an index that has a column is a to-one relationship, whose foreign key has an index
  /// already.
  func isForeignKey(alone names: [String], of entity: Entity) -> Bool {
    let columns = names.filter { entity.relationship($0)?.isToMany != true }
    return columns.count == 1 && entity.relationship(columns[0]) != nil
  }

  /// The column of an attribute or of a to-one relationship.
  package func propertyColumn(_ name: String, of entity: Entity) -> String? {
    if let column = column(for: name, of: entity) { return column.name }
    return entity.relationship(name).flatMap { foreignKeyColumn(of: $0)?.name }
  }
}
