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
  mutating func makeIndexes() -> [IndexLayout] {
    var result: [IndexLayout] = []
    for table in tables {
      result += relationshipIndexes(of: table)
      for join in joinTables where join.master.relationship.entity.root == table.root {
        let name = "\(join.name)_\(join.master.memberColumn)_INDEX"
        result.append(
          IndexLayout(
            name: name, table: join.name,
            createStatement:
              "CREATE INDEX \(name) ON \(join.name) (\(join.master.memberColumn), \(join.master.ownerColumn))"))
      }
      for entity in entitiesByNumber where entity.root == table.root {
        result += attributeIndexes(of: entity, in: table)
        result += fetchIndexes(of: entity, in: table)
        result += constraintIndexes(of: entity, in: table)
      }
    }
    var names: Set<String> = []
    return result.filter { names.insert($0.name).inserted }
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
      table.root.description.userInfo["_NSEntityOmitSubentityColumnIndex"] == nil
    {
      let name = "\(table.name)_Z_ENT_INDEX"
      result.append(
        IndexLayout(name: name, table: table.name, createStatement: "CREATE INDEX \(name) ON \(table.name) (Z_ENT)"))
    }
    return result
  }

  private func attributeIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    var names = entity.description.attributes.filter { $0.isIndexed && !$0.isTransient }.map(\.name)
    if generation.repeatsSingleAttributeIndexes {
      for index in entity.description.fetchIndexes where index.elements.count == 1 {
        if case .property(let name) = index.elements[0].content, index.elements[0].kind == .binary,
          entity.attribute(name) != nil, !names.contains(name)
        {
          names.append(name)
        }
      }
    }
    var lists = names.map { [$0] }
    lists += entity.description.compoundIndexes
    return lists.compactMap { list in
      let columns = list.compactMap { propertyColumn($0, of: entity) }
      guard columns.count == list.count, !columns.isEmpty else { return nil }
      if generation.usesLegacyIndexNames {
        let name = "\(table.name)_\(columns.joined(separator: "_"))" + (columns.count == 1 ? "_INDEX" : "")
        return IndexLayout(
          name: name, table: table.name,
          createStatement: "CREATE INDEX \(name) ON \(table.name) (\(columns.joined(separator: ", ")))")
      }
      return ordinaryIndex("Z_\(entity.name)_\(list.joined(separator: "_"))", table, columns.map { ($0, true) })
    }
  }

  private mutating func fetchIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    if generation.usesLegacyIndexNames { return [] }
    var result: [IndexLayout] = []
    for index in entity.description.fetchIndexes {
      // The foreign key has an index already.
      if index.elements.count == 1, case .property(let name) = index.elements[0].content,
        entity.relationship(name) != nil
      {
        continue
      }
      let columns = index.elements.map { ($0, elementColumn($0, of: entity)) }
      guard !columns.isEmpty, columns.allSatisfy({ $0.1 != nil }) else {
        notes.append("Index \(entity.name).\(index.name) has an element that no column stands for; it is left out.")
        continue
      }
      if index.elements.contains(where: { $0.kind == .rTree }) {
        result.append(rTree(index, columns.compactMap(\.1), entity, table))
        continue
      }
      if index.partialIndexPredicate != nil {
        notes.append(
          "Index \(entity.name).\(index.name) is partial in the model; it is made over all rows, which serves the same "
            + "lookups.")
      }
      result.append(
        ordinaryIndex(
          "Z_\(entity.name)_\(index.name)", table,
          columns.compactMap { pair in pair.1.map { ($0, pair.0.isAscending) } }
        ))
    }
    return result
  }

  private func rTree(
    _ index: FetchIndexDescription, _ columns: [String], _ entity: Entity, _ table: TableLayout
  ) -> IndexLayout {
    let name = "Z_RT_\(entity.name)_\(index.name)"
    let ranges = columns.map { "\($0)_MIN FLOAT, \($0)_MAX FLOAT" }.joined(separator: ", ")
    return IndexLayout(
      name: name, table: table.name, kind: .rTree(columns: columns),
      createStatement: "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, \(ranges))",
      entity: entity)
  }

  private func constraintIndexes(of entity: Entity, in table: TableLayout) -> [IndexLayout] {
    entity.description.uniquenessConstraints.compactMap { names in
      if generation.hasInlineUnique && names.count == 1 { return nil }
      let columns = names.compactMap { propertyColumn($0, of: entity) }
      guard columns.count == names.count, !columns.isEmpty else { return nil }
      let list = columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
      let name = "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))"
      return IndexLayout(
        name: name, table: table.name, kind: .unique,
        createStatement: "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(list))", constraint: (entity, names))
    }
  }

  private func ordinaryIndex(_ name: String, _ table: TableLayout, _ columns: [(String, Bool)]) -> IndexLayout {
    let list = columns.map { "\($0.0) COLLATE BINARY \($0.1 ? "ASC" : "DESC")" }.joined(separator: ", ")
    return IndexLayout(
      name: name, table: table.name, createStatement: "CREATE INDEX \(name) ON \(table.name) (\(list))")
  }

  /// The column of an attribute or of a to-one relationship.
  func propertyColumn(_ name: String, of entity: Entity) -> String? {
    if let column = column(for: name, of: entity) { return column.name }
    return entity.relationship(name).flatMap { foreignKeyColumn(of: $0)?.name }
  }

  private func elementColumn(_ element: FetchIndexDescription.Element, of entity: Entity) -> String? {
    switch element.content {
    case .property(let name): propertyColumn(name, of: entity)
    case .expression("self", _): "Z_PK"
    case .expression("entity", _): "Z_ENT"
    case .expression: nil
    }
  }
}
