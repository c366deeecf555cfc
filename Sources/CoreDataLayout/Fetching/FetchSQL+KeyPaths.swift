import ObjectModel
import Predicates
import StoreInterface

extension FetchSQL {
  /// The alias of the table at the end of a path of to-one relationships from a place, joined when it is new.
  mutating func alias(_ place: Place, _ path: [String] = []) throws -> (alias: String, place: Place) {
    var here = place
    guard var alias = scopes[place.scope].aliasByPath[place.path] else { throw Untranslatable() }
    for name in path {
      guard let relationship = here.entity.relationship(name), !relationship.isToMany,
        let column = layout.foreignKeyColumn(of: relationship)
      else { throw StoreError.failure("\(here.entity.name) has no stored to-one relationship \"\(name)\"") }
      here.entity = relationship.destination
      here.path.append(name)
      if let known = scopes[here.scope].aliasByPath[here.path] {
        alias = known
        continue
      }
      let joined = nextAlias()
      scopes[here.scope].joins.append(
        "LEFT JOIN \(layout.table(for: here.entity).name) AS \(joined) ON \(joined).Z_PK = \(alias).\(column.name)")
      scopes[here.scope].aliasByPath[here.path] = joined
      alias = joined
    }
    return (alias, here)
  }

  /// What a key path leads to from a place: a scalar, or a list when a relationship on it is to-many.
  mutating func operand(at keyPath: [String], from place: Place) throws -> Operand {
    if let end = ObjectTrait.end(of: keyPath, from: place.entity) {
      return try self.trait(end.trait, of: try operand(at: end.owner, from: place))
    }
    if let end = ValueTrait.end(of: keyPath, from: place.entity) {
      switch try operand(at: end.owner, from: place) {
      case .scalar(let value): return .scalar(try apply(end.function, [value]))
      case .list(var list):
        list.element = try apply(end.function, [list.element])
        return .list(list)
      case .values: throw Untranslatable()
      }
    }
    guard let manyAt = firstToMany(keyPath, from: place.entity) else {
      return .scalar(try scalar(at: keyPath, from: place))
    }
    var (_, owner) = try alias(place, Array(keyPath[..<manyAt]))
    var list: List?
    var rest = keyPath[manyAt...]
    while let name = rest.first, let relationship = owner.entity.relationship(name) {
      if relationship.isToMany {
        let members = try list == nil ? openMembers(of: owner, relationship) : joinMembers(of: owner, relationship)
        list = List(
          scope: members.place.scope, conditions: (list?.conditions ?? []) + members.conditions,
          order: (list?.order ?? []) + members.order, element: .nothing)
        owner = members.place
      } else if rest.count > 1 {
        owner = try alias(owner, [name]).place
      } else {
        break
      }
      rest = rest.dropFirst()
    }
    guard var list else { throw Untranslatable() }
    list.element = rest.isEmpty ? try object(at: owner) : try scalar(at: Array(rest), from: owner)
    return .list(list)
  }

  private func firstToMany(_ keyPath: [String], from entity: Entity) -> Int? {
    var here = entity
    for (index, name) in keyPath.enumerated() {
      guard let relationship = here.relationship(name) else { return nil }
      if relationship.isToMany { return index }
      here = relationship.destination
    }
    return nil
  }

  /// The value at the end of a path of to-one relationships.
  mutating func scalar(at keyPath: [String], from place: Place) throws -> Scalar {
    if keyPath.isEmpty { return try object(at: place) }
    let (steps, leaf, here) = split(keyPath, from: place.entity)
    if let relationship = here.relationship(leaf) {
      guard !relationship.isToMany, let column = layout.foreignKeyColumn(of: relationship) else {
        throw StoreError.failure("\(here.name) has no stored to-one relationship \"\(leaf)\"")
      }
      let (alias, owner) = try alias(place, steps)
      return Scalar(
        sql: "\(alias).\(column.name)", kind: .object(relationship.destination), place: owner, step: leaf)
    }
    let (alias, _) = try alias(place, steps)
    if let leaves = FetchSQL.leaves(ofComposite: keyPath[steps.count...], of: here) {
      // It is missing when all of its elements are; more cannot be said of it.
      let columns = try leaves.map { try column($0.path, of: here, alias).sql }
      return Scalar(sql: FetchSQL.firstPresent(columns[...]), kind: .text(.string), isExternal: true)
    }
    let (sql, attribute) = try column(leaf, of: here, alias)
    return Scalar(
      sql: sql, kind: FetchSQL.kind(of: attribute), isExternal: attribute.allowsExternalBinaryDataStorage)
  }

  /// The stored leaves of the composite that a path leads to; nil for a path that leads elsewhere.
  private static func leaves(ofComposite path: ArraySlice<String>, of entity: Entity) -> [StoredAttribute]? {
    guard let attribute = entity.attribute(at: Array(path)), attribute.composite != nil else { return nil }
    return StoredAttribute.leaves(of: attribute, under: Array(path.dropLast()))
  }

  /// The first of the columns that is not NULL. Functions of SQLite take a hundred operands.
  private static func firstPresent(_ columns: ArraySlice<String>) -> String {
    switch columns.count {
    case 0: "NULL"
    case 1: columns[columns.startIndex]
    case 2...50: "coalesce(\(columns.joined(separator: ", ")))"
    default: "coalesce(\(columns.prefix(49).joined(separator: ", ")), \(firstPresent(columns.dropFirst(49))))"
    }
  }

  /// The column at a key path, with its table's alias, and its attribute.
  mutating func selectedColumn(
    _ keyPath: FetchPredicate.KeyPath
  ) throws -> (sql: String, attribute: AttributeDefinition) {
    let (steps, leaf, entity) = split(keyPath, from: root.entity)
    return try column(leaf, of: entity, try alias(root, steps).alias)
  }

  /// The column of an attribute whose values may lie outside of the store: it can be read and not compared.
  mutating func externalAttribute(_ keyPath: [String]) -> (sql: String, attribute: AttributeDefinition)? {
    if firstToMany(keyPath, from: root.entity) != nil { return nil }
    let (_, leaf, entity) = split(keyPath, from: root.entity)
    guard entity.attribute(leaf)?.allowsExternalBinaryDataStorage == true else { return nil }
    return try? selectedColumn(keyPath)
  }

  private func column(
    _ name: String, of entity: Entity, _ alias: String
  ) throws -> (sql: String, attribute: AttributeDefinition) {
    guard let column = layout.column(for: name, of: entity), case .attribute(_, let attribute) = column.role else {
      throw StoreError.failure("\(entity.name) has no stored attribute \"\(name)\"")
    }
    return ("\(alias).\(column.name)", attribute)
  }

  /// The relationships of a key path, and the property at their end. The tail of a path into a composite attribute
  /// belongs to the attribute.
  private func split(_ keyPath: [String], from entity: Entity) -> (steps: [String], leaf: String, entity: Entity) {
    var here = entity
    var steps: [String] = []
    for name in keyPath.dropLast() {
      guard let relationship = here.relationship(name), !relationship.isToMany else { break }
      steps.append(name)
      here = relationship.destination
    }
    return (steps, keyPath[steps.count...].joined(separator: "."), here)
  }

  /// The object of a place itself.
  mutating func object(at place: Place) throws -> Scalar {
    let (alias, _) = try alias(place)
    return Scalar(sql: "\(alias).Z_PK", kind: .object(place.entity), place: place)
  }

  // MARK: - To-many relationships

  private struct Members {
    var place: Place
    var conditions: [String]
    var order: [String]
  }

  /// A new scope with the members of one object.
  private mutating func openMembers(of owner: Place, _ relationship: Relationship) throws -> Members {
    let (ownerAlias, _) = try alias(owner)
    let member = nextAlias()
    let table = layout.table(for: relationship.destination).name
    let place = Place(scope: scopes.count, path: [], entity: relationship.destination)
    if let (join, side) = layout.joinTable(of: relationship) {
      let link = nextAlias()
      scopes.append(
        Scope(
          base: "\(join.name) AS \(link) JOIN \(table) AS \(member) ON \(member).Z_PK = \(link).\(side.memberColumn)",
          aliasByPath: [[]: member]))
      return Members(
        place: place, conditions: ["\(link).\(side.ownerColumn) = \(ownerAlias).Z_PK"],
        order: (side.orderColumn.map { ["\(link).\($0)"] } ?? []) + ["\(member).Z_PK"])
    }
    guard let columns = layout.memberColumns(of: relationship) else { throw Untranslatable() }
    scopes.append(Scope(base: "\(table) AS \(member)", aliasByPath: [[]: member]))
    return Members(
      place: place, conditions: ["\(member).\(columns.foreignKey) = \(ownerAlias).Z_PK"],
      order: (columns.order.map { ["\(member).\($0)"] } ?? []) + ["\(member).Z_PK"])
  }

  /// The members of every object of a list, as more tables of its scope.
  private mutating func joinMembers(of owner: Place, _ relationship: Relationship) throws -> Members {
    let (ownerAlias, _) = try alias(owner)
    let member = nextAlias()
    let table = layout.table(for: relationship.destination).name
    let path = owner.path + [relationship.name]
    // A scope meets a to-many relationship once only: its elements are looked at nowhere else.
    if scopes[owner.scope].aliasByPath[path] != nil { throw Untranslatable() }
    var order: [String]
    if let (join, side) = layout.joinTable(of: relationship) {
      let link = nextAlias()
      scopes[owner.scope].joins.append(
        "JOIN \(join.name) AS \(link) ON \(link).\(side.ownerColumn) = \(ownerAlias).Z_PK")
      scopes[owner.scope].joins.append("JOIN \(table) AS \(member) ON \(member).Z_PK = \(link).\(side.memberColumn)")
      order = side.orderColumn.map { ["\(link).\($0)"] } ?? []
    } else if let columns = layout.memberColumns(of: relationship) {
      scopes[owner.scope].joins.append(
        "JOIN \(table) AS \(member) ON \(member).\(columns.foreignKey) = \(ownerAlias).Z_PK")
      order = columns.order.map { ["\(member).\($0)"] } ?? []
    } else {
      throw Untranslatable()
    }
    order.append("\(member).Z_PK")
    scopes[owner.scope].aliasByPath[path] = member
    return Members(
      place: Place(scope: owner.scope, path: path, entity: relationship.destination), conditions: [], order: order)
  }

  static func kind(of attribute: AttributeDefinition) -> Kind {
    switch attribute.type {
    case .integer16, .integer32, .integer64: .number(.integer)
    case .boolean: .number(.boolean)
    case .double, .float: .number(.real)
    case .date: .number(.date)
    case .decimal: .number(.decimal)
    case .string, .undefined, .objectID, .composite: .text(.string)
    case .uri: .text(.uri)
    case .uuid: .bytes(.uuid)
    case .binary, .transformable: .bytes(.data)
    }
  }
}
