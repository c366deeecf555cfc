import CoreDataLayout
import ObjectModel

/// Where a column of the new store comes from, for the rows of one old entity.
struct CellSource {
  /// The form of a value, for code that does not run SQL.
  enum Form: Hashable {
    /// The value of an old column.
    case column(String)
    /// The whole number of an old column, raised by an offset.
    case raised(String, by: Int64)
    /// The same for all rows: SQL that reads no column.
    case constant(String)
    /// The value of an old column, or a constant where that is null.
    case columnOr(String, constant: String)
    /// Known only as SQL.
    case computed
  }

  /// SQL over the old row, which is called `s`.
  var expression: String
  /// The old column, when the value is taken from one.
  var column: String?
  /// Whether the new entity has the column's property.
  var applies = true
  /// Whether null becomes something else.
  var replacesNull = false
  /// What the value is, for code that does not run SQL.
  var form = Form.computed

  /// The value of an old column as it is.
  static func column(_ name: String) -> CellSource {
    CellSource(expression: "s.\(name)", column: name, form: .column(name))
  }
  /// The value of an old column, raised by an offset.
  static func raised(_ name: String, by offset: Int64) -> CellSource {
    if offset == 0 { return .column(name) }
    return CellSource(expression: "s.\(name) + \(offset)", column: name, form: .raised(name, by: offset))
  }
  /// The same for all rows.
  static func constant(_ sql: String, column: String? = nil) -> CellSource {
    CellSource(expression: sql, column: column, form: .constant(sql))
  }
  /// The value NULL in all rows.
  static let null = CellSource.constant("NULL")
  /// No value, as the entity has no such property.
  static let none = CellSource(expression: "NULL", applies: false, form: .constant("NULL"))

}

/// Works out the columns of new tables.
struct ColumnSources {
  let moves: EntityMoves
  let pairs: LinkPairs
  let constants: MigrationConstants

  private var old: StoreLayout { moves.old }
  private var new: StoreLayout { moves.new }

  /// The source of a column for the rows of a move.
  func cell(_ column: TableLayout.Column, _ move: EntityMoves.Move) -> CellSource {
    switch column.role {
    case .primaryKey:
      return .raised("Z_PK", by: move.offset)
    case .entityNumber:
      let number = new.number(of: move.new)
      return number == old.number(of: move.old) ? .column("Z_ENT") : .constant(String(number), column: "Z_ENT")
    case .version: return .column("Z_OPT")
    case .attribute(let path, let attribute): return self.attribute(path, attribute, column, move)
    case .foreignKey, .destinationEntity, .orderKey, .virtualForeignKey, .virtualDestinationEntity, .virtualOrderKey:
      guard let link = link(column) else { return .none }
      guard move.new.isKind(of: link.child) else { return .none }
      guard let group = linkCells(link, move) else { return .null }
      switch column.role {
      case .foreignKey, .virtualForeignKey: return group.key
      case .destinationEntity, .virtualDestinationEntity: return group.entity
      default: return group.order
      }
    }
  }

  // MARK: - Attributes

  private func attribute(
    _ path: [String], _ attribute: AttributeDefinition, _ column: TableLayout.Column, _ move: EntityMoves.Move
  ) -> CellSource {
    guard let owner = column.entityIndex, move.new.isKind(of: new.numbering.entities[owner]) else { return .none }
    if attribute.derivation != nil { return derived(path[0], column, move) }
    let oldPath = moves.sourceName(of: path[0], move).map { ([$0] + path.dropFirst()).joined(separator: ".") }
    guard let oldPath, let source = old.column(for: oldPath, of: move.old),
      case .attribute(_, let former) = source.role
    else {
      guard attribute.defaultValue != .null else { return .null }
      return .constant(constants.sql(attribute.normalized(attribute.defaultValue), of: attribute))
    }
    var cell = CellSource.column(source.name)
    if former.allowsExternalBinaryDataStorage != attribute.allowsExternalBinaryDataStorage {
      let table = new.table(for: move.new)
      cell.expression = ExternalValues.call(
        on: cell.expression, writes: attribute.allowsExternalBinaryDataStorage, table: new.number(of: table.root),
        place: table.columns.firstIndex { $0.name == column.name } ?? 0)
      cell.form = .computed
    }
    if former.isOptional, !attribute.isOptional, attribute.defaultValue != .null {
      let constant = constants.sql(attribute.normalized(attribute.defaultValue), of: attribute)
      cell.expression = "ifnull(\(cell.expression), \(constant))"
      cell.replacesNull = true
      if cell.form != .computed { cell.form = .columnOr(source.name, constant: constant) }
    }
    return cell
  }

  /// A derived attribute keeps its column; its values are computed anew later where needed.
  private func derived(_ name: String, _ column: TableLayout.Column, _ move: EntityMoves.Move) -> CellSource {
    guard let former = moves.derivedName(of: name, move).flatMap({ old.column(for: $0, of: move.old) }),
      former.sqlType == column.sqlType
    else { return .null }
    return .column(former.name)
  }

  // MARK: - Links

  /// A link that a row of the new store keeps in columns of its own.
  struct Link {
    /// The entity whose rows have the columns.
    let child: Entity
    /// The child's to-one relationship; nil where only the other side is in the model.
    let up: Relationship?
    /// The other side's relationship.
    let down: Relationship?
  }

  /// The link that a column belongs to.
  func link(_ column: TableLayout.Column) -> Link? {
    switch column.role {
    case .foreignKey(let name), .destinationEntity(let name), .orderKey(let name):
      guard let index = column.entityIndex, let up = new.numbering.entities[index].relationship(name) else {
        return nil
      }
      return Link(child: new.numbering.entities[index], up: up, down: up.inverse)
    case .virtualForeignKey(let owner, let name), .virtualDestinationEntity(let owner, let name),
      .virtualOrderKey(let owner, let name):
      guard let down = new.entity(number: owner)?.relationship(name) else { return nil }
      return Link(child: down.destination, up: nil, down: down)
    default: return nil
    }
  }

  /// The sources of a link's columns in the old row itself; nil where the old row has none.
  private func linkCells(_ link: Link, _ move: EntityMoves.Move) -> (
    key: CellSource, entity: CellSource, order: CellSource
  )? {
    if let up = link.up, let source = moves.source(of: up, move) {
      guard let storage = LinkStorage(source, in: old), case .columns(_, let key, let entity, let order, true) = storage
      else { return nil }
      let back = source.inverse
      let keepsOrder =
        link.down.map { down in
          pairs.sources(of: down).contains {
            $0.old.name == back?.name && $0.old.declaringEntity == back?.declaringEntity
          }
        } ?? false
      return cells(
        pairs.members(source, up), key, entity, of: source.destination, order: keepsOrder ? order : nil)
    }
    guard let down = link.down else { return nil }
    let sources = pairs.sources(of: down)
    guard sources.count == 1, let storage = LinkStorage(sources[0].old, in: old),
      case .columns(_, let key, let entity, let order, false) = storage,
      move.old.isKind(of: sources[0].old.destination)
    else { return nil }
    return cells(pairs.owners(sources[0]), key, entity, of: sources[0].old.declaringEntity, order: order)
  }

  private func cells(
    _ map: ReferenceMap, _ key: String, _ entity: String?, of target: Entity, order: String?
  ) -> (key: CellSource, entity: CellSource, order: CellSource) {
    let number = entity.map { "s.\($0)" } ?? String(old.number(of: target))
    let newKey = map.key("s.\(key)", entity: number)
    var place = CellSource.null
    if let order {
      place = .column(order)
      if map.losesSome {
        place.expression = "CASE WHEN (\(newKey)) IS NOT NULL THEN s.\(order) END"
        place.form = .computed
      }
    }
    let newNumber = map.number("s.\(key)", entity: number)
    return (
      map.offset.map { .raised(key, by: $0) } ?? CellSource(expression: newKey, column: key),
      entity == nil || newNumber != number
        ? CellSource(expression: newNumber, column: entity) : .column(entity ?? ""),
      place
    )
  }

  /// The pairs that fill a link's columns where the old rows do not have the link, with the children as owners; nil
  /// where the old rows have all of it.
  func fill(_ link: Link) -> String? {
    let rows = moves.moves(toKind: link.child)
    let silent = rows.filter { linkCells(link, $0) == nil }
    guard !silent.isEmpty else { return nil }
    let numbers = Set(silent.map { new.number(of: $0.new) }).sorted().map(String.init).joined(separator: ", ")
    let links: String?
    if let up = link.up {
      links = pairs.pairs(of: up)
    } else {
      links = link.down.flatMap { pairs.pairs(of: $0) }.map(LinkPairs.reversed)
    }
    return links.map { "SELECT * FROM (\($0)) WHERE owner_entity IN (\(numbers))" }
  }
}
