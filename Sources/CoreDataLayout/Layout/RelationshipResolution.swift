import ObjectModel

/// Lays out columns and join tables: first each hierarchy's attributes and to-one relationships, then, in the order in
/// which Core Data visits entities, columns and tables that follow from inverses.
struct RelationshipResolution {
  private let model: ManagedObjectModel
  private let numbering: EntityNumbering
  /// Columns by root index, in the order in which they come to be.
  private var columns: [Int: [TableLayout.Column]] = [:]
  /// Names of tables in use, in upper case, and those of the hierarchies by root index.
  private var tableNames: Set<String> = StoreLayout.modelTables
  private var tableNameByRoot: [Int: String] = [:]
  /// Names in use, by root index: one registry for a table and the join columns that refer to it.
  private var names: [Int: Set<String>] = [:]
  /// Property keys by entity index.
  private var keys: [Int: LegacyCFDictionaryOrder] = [:]
  private(set) var joinTables: [JoinTable] = []
  private(set) var notes: [String] = []
  private var joined: Set<Relationship> = []
  /// Each entity's own relationships in the order in which they were added to its keys; join tables are created so.
  private var relationshipOrder: [Int: [String]] = [:]
  /// Order-key columns that were named on the way but belong to an entity that is visited later.
  private var orderColumns: [Relationship: TableLayout.Column] = [:]

  init(model: ManagedObjectModel, numbering: EntityNumbering) {
    self.model = model
    self.numbering = numbering
    for index in numbering.indexByNumber {
      let entity = numbering.entities[index]
      if entity.superentity == nil {
        tableNameByRoot[index] = unusedTableName("Z" + entity.name.uppercased())
        names[index] = ["Z_PK", "Z_ENT", "Z_OPT"]
        columns[index] = [
          .init(name: "Z_PK", sqlType: "INTEGER", role: .primaryKey, entityIndex: nil, type: .integer),
          .init(name: "Z_ENT", sqlType: "INTEGER", role: .entityNumber, entityIndex: nil, type: .integer),
          .init(name: "Z_OPT", sqlType: "INTEGER", role: .version, entityIndex: nil, type: .integer),
        ]
      }
      layOut(entity)
    }
  }

  private func number(_ entity: Entity) -> Int { numbering.numberByIndex[entity.index] }

  private mutating func unusedName(_ wanted: String, in entity: Entity) -> String {
    var name = wanted
    var suffix = 0
    while names[entity.root.index]?.contains(name) == true {
      suffix += 1
      name = wanted + String(suffix)
    }
    names[entity.root.index]?.insert(name)
    return name
  }

  /// Names of tables that are equal in upper case get a number, as columns do.
  private mutating func unusedTableName(_ wanted: String) -> String {
    var name = wanted
    var suffix = 0
    while !tableNames.insert(name).inserted {
      suffix += 1
      name = wanted + String(suffix)
    }
    if suffix > 0 {
      notes.append("The table name \(name) is assumed: \(wanted) is taken, and no store of Apple's shows what follows.")
    }
    return name
  }

  private static func sortedByName<Property>(
    _ properties: [Property], _ name: (Property) -> String
  ) -> [Property] {
    properties.sorted { name($0).unicodeScalars.lexicographicallyPrecedes(name($1).unicodeScalars) }
  }

  // MARK: - Own properties

  private mutating func layOut(_ entity: Entity) {
    var entityKeys = LegacyCFDictionaryOrder()
    if let parent = entity.superentity {
      entityKeys.insert(keys[parent.index]?.preOrder ?? [])
    } else {
      entityKeys.insert(["_ent", "_pk", "_opt"])
    }
    let attributes = Self.sortedByName(entity.definition.attributes.filter { !$0.isTransient }) { $0.name }
    for attribute in attributes { addColumns(attribute, path: [attribute.name], of: entity) }
    let relationships = Self.sortedByName(entity.definition.relationships.filter { !$0.isTransient }) { $0.name }
    var relationshipKeys: [String: [String]] = [:]
    for description in relationships {
      guard !description.isToMany, let relationship = entity.relationship(description.name) else {
        relationshipKeys[description.name] = [description.name]
        continue
      }
      let upper = description.name.uppercased()
      let column = unusedName("Z" + upper, in: entity)
      add(column, .foreignKey(relationship: description.name), to: entity)
      var added = ["_" + column]
      if !relationship.destination.subentities.isEmpty {
        let entityColumn = unusedName("Z\(number(relationship.destination))_\(upper)", in: entity)
        add(entityColumn, .destinationEntity(relationship: description.name), to: entity)
        added.append("_" + entityColumn)
      }
      relationshipKeys[description.name] = added + [description.name]
    }
    entityKeys.insert(LegacyCFDictionaryOrder.preOrder(attributes.map(\.name)))
    let order = LegacyCFDictionaryOrder.preOrder(relationships.map(\.name))
    relationshipOrder[entity.index] = order
    for name in order { entityKeys.insert(relationshipKeys[name] ?? []) }
    keys[entity.index] = entityKeys
  }

  private mutating func addColumns(_ attribute: AttributeDefinition, path: [String], of entity: Entity) {
    if attribute.type == .composite, let composite = attribute.composite {
      // Each leaf has a column named after itself alone, in the order in which the composite declares its elements.
      for element in composite.elements where !element.isTransient {
        addColumns(element, path: path + [element.name], of: entity)
      }
      return
    }
    let (sqlType, type) = Self.storage(of: attribute.type)
    let name = unusedName("Z" + attribute.name.uppercased(), in: entity)
    columns[entity.root.index]?.append(
      .init(
        name: name, sqlType: sqlType, role: .attribute(path: path, attribute), entityIndex: entity.index, type: type))
  }

  private mutating func add(_ name: String, _ role: TableLayout.Role, to entity: Entity) {
    columns[entity.root.index]?.append(
      .init(name: name, sqlType: "INTEGER", role: role, entityIndex: entity.index, type: .integer))
  }

  private static func storage(of type: AttributeType) -> (String, TableLayout.ColumnType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean: ("INTEGER", .integer)
    case .double, .float: ("FLOAT", .timestampOrFloat)
    case .date: ("TIMESTAMP", .timestampOrFloat)
    case .decimal: ("DECIMAL", .decimal)
    case .string, .undefined, .objectID, .composite: ("VARCHAR", .text)
    case .uuid: ("BLOB", .uuid)
    case .uri: ("VARCHAR", .uri)
    case .transformable: ("BLOB", .transformable)
    case .binary: ("BLOB", .binary)
    }
  }

  // MARK: - Inverses

  /// Visits every entity by name without regard to case, sub-entities in their alphabetical place.
  mutating func resolve() {
    for entity in EntityNumbering.sortedIgnoringCase(model.entities) {
      for name in keys[entity.index]?.finalOrder ?? [] {
        guard let seen = entity.relationship(name), !seen.definition.isTransient,
          let relationship = seen.declaringEntity.relationship(name)
        else { continue }
        if relationship.isToMany {
          resolveToMany(relationship)
        } else {
          resolveToOne(relationship, visiting: entity)
        }
      }
    }
    joinTables = joinTables.enumerated().sorted { left, right in
      let places = [left.element.master.relationship, right.element.master.relationship].map { relationship in
        (
          number(relationship.entity),
          relationshipOrder[relationship.entity.index]?.firstIndex(of: relationship.name) ?? 0
        )
      }
      return places[0] < places[1]
    }.map(\.element)
  }

  private mutating func resolveToOne(_ relationship: Relationship, visiting: Entity) {
    guard let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered else { return }
    let entity = relationship.entity
    if orderColumns[relationship] == nil {
      let name = unusedName("Z_FOK_" + relationship.name.uppercased(), in: entity)
      orderColumns[relationship] = .init(
        name: name, sqlType: "INTEGER", role: .orderKey(relationship: relationship.name), entityIndex: entity.index,
        type: .integer)
      insertKey("_" + name, into: entity)
    }
    if visiting == entity, let column = orderColumns[relationship] { columns[entity.root.index]?.append(column) }
  }

  private mutating func resolveToMany(_ relationship: Relationship) {
    guard let inverse = relationship.inverse else {
      if joined.insert(relationship).inserted { addVirtualToOne(for: relationship) }
      return
    }
    guard inverse.isToMany, let declared = inverse.declaringEntity.relationship(inverse.name),
      joined.insert(relationship).inserted
    else { return }
    joined.insert(declared)
    addJoinTable(master: relationship, inverse: declared)
  }

  /// A to-many relationship without inverse is kept as a to-one column on the other side that the model does not show.
  private mutating func addVirtualToOne(for relationship: Relationship) {
    let owner = relationship.entity
    let destination = relationship.destination
    let stem = "\(number(owner))\(relationship.name.uppercased())"
    let column = unusedName("Z" + stem, in: destination)
    add(column, .virtualForeignKey(owner: number(owner), relationship: relationship.name), to: destination)
    var added = ["_" + column]
    if !owner.subentities.isEmpty {
      notes.append(
        "The entity column of \(owner.name).\(relationship.name), a to-many relationship without inverse, has an "
          + "assumed name.")
      let entityColumn = unusedName("Z\(number(owner))_\(stem)", in: destination)
      add(
        entityColumn, .virtualDestinationEntity(owner: number(owner), relationship: relationship.name), to: destination)
      added.append("_" + entityColumn)
    }
    if relationship.isOrdered {
      notes.append(
        "The order column of \(owner.name).\(relationship.name), an ordered to-many relationship without inverse, has "
          + "an assumed name.")
      let orderColumn = unusedName("Z_FOK_" + stem, in: destination)
      add(orderColumn, .virtualOrderKey(owner: number(owner), relationship: relationship.name), to: destination)
      added.append("_" + orderColumn)
    }
    for key in added + [stem] { insertKey(key, into: destination) }
  }

  private mutating func insertKey(_ key: String, into entity: Entity) {
    for other in model.entities where other.isKind(of: entity) { keys[other.index]?.insert(key) }
  }

  private mutating func addJoinTable(master: Relationship, inverse: Relationship) {
    let masterNumber = number(master.entity)
    let inverseNumber = number(inverse.entity)
    let masterName = master.name.uppercased()
    let inverseName = inverse.name.uppercased()
    if master == inverse {
      let column = unusedName("Z_\(masterNumber)\(masterName)", in: master.entity)
      let order = master.isOrdered ? "Z_FOK_\(masterNumber)\(masterName)" : nil
      joinTables.append(
        JoinTable(
          name: unusedTableName("Z_\(masterNumber)\(masterName)"),
          master: .init(
            relationship: master, ownerColumn: column, memberColumn: "REFLEXIVE", orderColumn: order),
          inverse: .init(
            relationship: master, ownerColumn: "REFLEXIVE", memberColumn: column,
            orderColumn: master.isOrdered ? "FOK_REFLEXIVE" : nil),
          isReflexive: true))
      return
    }
    // The column that refers to an entity is named in that entity's hierarchy; the inverse's comes first.
    let ownerColumn = unusedName("Z_\(masterNumber)\(inverseName)", in: master.entity)
    let memberColumn = unusedName("Z_\(inverseNumber)\(masterName)", in: inverse.entity)
    joinTables.append(
      JoinTable(
        name: unusedTableName("Z_\(masterNumber)\(masterName)"),
        master: .init(
          relationship: master, ownerColumn: ownerColumn, memberColumn: memberColumn,
          orderColumn: master.isOrdered ? "Z_FOK_\(inverseNumber)\(masterName)" : nil),
        inverse: .init(
          relationship: inverse, ownerColumn: memberColumn, memberColumn: ownerColumn,
          orderColumn: inverse.isOrdered ? "Z_FOK_\(masterNumber)\(inverseName)" : nil),
        isReflexive: false))
  }

  // MARK: - Result

  /// The tables with their columns stably regrouped by type, as CREATE TABLE lists them.
  func finishedTables(_ generation: FrameworkGeneration) -> [TableLayout] {
    numbering.indexByNumber.map { numbering.entities[$0] }.filter { $0.superentity == nil }.map { root in
      let created = columns[root.index] ?? []
      var sorted = created.enumerated().sorted {
        ($0.element.type.rawValue, $0.offset) < ($1.element.type.rawValue, $1.offset)
      }
      .map(\.element)
      if generation.hasInlineUnique {
        for index in sorted.indices {
          guard case .attribute(let path, _) = sorted[index].role, let owner = sorted[index].entityIndex else {
            continue
          }
          sorted[index].isUnique = model.definitions[owner].uniquenessConstraints.contains(path)
        }
      }
      return TableLayout(
        name: tableNameByRoot[root.index] ?? "Z" + root.name.uppercased(), root: root, columns: sorted)
    }
  }
}
