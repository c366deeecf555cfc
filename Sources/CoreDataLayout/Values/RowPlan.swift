import ObjectModel
import SQLite
import StoreInterface

/// How the columns of a row batch go into a table: worked out once per entity and column list, then used for every
/// batch of that shape.
final class RowPlan {
  struct Key: Hashable {
    var entity: Entity
    var columns: [RowBatch.Column]
  }

  /// How a cell becomes a SQLite value.
  enum Kind {
    case integer, real, float, text, decimal, uuid, blob, externalBlob
    /// A model index that becomes an entity number.
    case entityNumber
  }

  /// One column of the table that the batch has cells for.
  struct Cell {
    /// Column of the batch.
    var source: Int
    var name: String
    var kind: Kind
    /// What an absent cell becomes on insert.
    var defaultValue: Value
    /// Set for entity columns and order keys: the foreign key's column in the batch. They are null when it is.
    var foreignKeySource: Int?
    /// Set for entity columns: looks the entity number up when the batch does not say it.
    var lookUp: String?
    /// An order key or entity column is only compared when it is given.
    var isDerivedFromForeignKey = false
    var isForeignKey = false
    /// The cell of the foreign key that this one is derived from.
    var foreignKeyCell: Int?
  }

  let entity: Entity
  let table: TableLayout
  let entityNumber: Int
  let cells: [Cell]
  /// Attributes that the batch has no column for, with their defaults. Derived ones are the store's own.
  let unmapped: [(name: String, kind: Kind, value: Value)]
  /// To-one relationships of the batch whose order keys may be missing, with the foreign key's column in the batch.
  let unordered: [(relationship: Relationship, source: Int)]
  /// Entity number by model index.
  let entityNumbers: [Int64]
  /// Whether some value may lie in a file.
  let hasExternalData: Bool
  /// UPDATE statements by the cells they set.
  private var updates: [CellSet: Statement] = [:]

  init(_ key: Key, layout: StoreLayout) throws {
    entity = key.entity
    table = layout.table(for: key.entity)
    entityNumber = layout.number(of: key.entity)
    entityNumbers = layout.numbering.numberByIndex.map { Int64($0) }
    var cells: [Cell] = []
    var unordered: [(relationship: Relationship, source: Int)] = []
    var mapped: Set<String> = []
    for (source, column) in key.columns.enumerated() {
      let cell = try RowPlan.cell(source, column, key, layout)
      guard mapped.insert(cell.name).inserted else {
        throw StoreError.failure("\(key.entity.name): two columns of a batch go to \(cell.name)")
      }
      cells.append(cell)
    }
    for (source, column) in key.columns.enumerated() {
      guard case .toOne(let name) = column.source, let relationship = key.entity.relationship(name) else { continue }
      if let entityColumn = layout.entityColumn(of: relationship), mapped.insert(entityColumn.name).inserted {
        cells.append(RowPlan.entityCell(source: -1, entityColumn.name, relationship, source, layout))
      }
      if layout.orderColumn(of: relationship) != nil { unordered.append((relationship, source)) }
    }
    for index in cells.indices {
      guard let keySource = cells[index].foreignKeySource else { continue }
      cells[index].foreignKeyCell = cells.firstIndex { $0.source == keySource }
    }
    self.cells = cells
    self.unordered = unordered
    unmapped = try table.columns.compactMap { column in
      guard case .attribute(_, let attribute) = column.role, let owner = column.entityIndex,
        key.entity.isKind(of: layout.numbering.entities[owner]), !mapped.contains(column.name),
        attribute.derivation == nil
      else { return nil }
      return (column.name, try RowPlan.kind(of: attribute), attribute.defaultValue)
    }
    hasExternalData = cells.contains { $0.kind == .externalBlob } || unmapped.contains { $0.kind == .externalBlob }
  }

  private static func cell(
    _ source: Int, _ column: RowBatch.Column, _ key: Key, _ layout: StoreLayout
  ) throws -> Cell {
    func relationship(_ name: String) throws -> Relationship {
      guard let relationship = key.entity.relationship(name), !relationship.isToMany else {
        throw StoreError.failure("\(key.entity.name) has no to-one relationship \(name)")
      }
      return relationship
    }
    func foreignKeySource(_ name: String) throws -> Int {
      guard let source = key.columns.firstIndex(where: { $0.source == .toOne(name) }) else {
        throw StoreError.failure("\(key.entity.name).\(name): a batch with its entity or order has its key as well")
      }
      return source
    }
    switch column.source {
    case .attribute(let path):
      guard let target = layout.column(for: path, of: key.entity), case .attribute(_, let attribute) = target.role
      else {
        throw StoreError.failure("\(key.entity.name) has no stored attribute \(path)")
      }
      // A derived attribute that is not computed here may be given, as in a dump.
      if attribute.derivation != nil, layout.computes(path, of: key.entity) {
        throw StoreError.failure("\(key.entity.name).\(path) is derived; the store computes it")
      }
      let kind = try kind(of: attribute)
      guard column.storage == storage(of: kind) else {
        throw StoreError.failure("\(key.entity.name).\(path) cannot be written from \(column.storage) cells")
      }
      return Cell(source: source, name: target.name, kind: kind, defaultValue: attribute.defaultValue)
    case .toOne(let name):
      guard let target = layout.foreignKeyColumn(of: try relationship(name)) else {
        throw StoreError.failure("\(key.entity.name).\(name) is transient")
      }
      return Cell(source: source, name: target.name, kind: .integer, defaultValue: .null, isForeignKey: true)
    case .toOneEntity(let name):
      let relationship = try relationship(name)
      guard let target = layout.entityColumn(of: relationship) else {
        throw StoreError.failure("\(key.entity.name).\(name) has no entity column")
      }
      return entityCell(source: source, target.name, relationship, try foreignKeySource(name), layout)
    case .toOneOrder(let name):
      guard let target = layout.orderColumn(of: try relationship(name)) else {
        throw StoreError.failure("\(key.entity.name).\(name) has no order column")
      }
      return Cell(
        source: source, name: target.name, kind: .integer, defaultValue: .null,
        foreignKeySource: try foreignKeySource(name), isDerivedFromForeignKey: true)
    }
  }

  private static func entityCell(
    source: Int, _ name: String, _ relationship: Relationship, _ foreignKeySource: Int, _ layout: StoreLayout
  ) -> Cell {
    let destination = relationship.destination
    return Cell(
      source: source, name: name, kind: .entityNumber, defaultValue: .integer(Int64(layout.number(of: destination))),
      foreignKeySource: foreignKeySource,
      lookUp: "SELECT Z_ENT FROM \(layout.table(for: destination).name) WHERE Z_PK = ?1", isDerivedFromForeignKey: true)
  }

  /// The UPDATE that sets just these cells, prepared once.
  func update(of cells: CellSet, preparing prepare: () throws -> Statement) rethrows -> Statement {
    if let known = updates[cells] { return known }
    if updates.count >= 128 { updates.removeAll() }
    let statement = try prepare()
    updates[cells] = statement
    return statement
  }

  static func kind(of attribute: AttributeDefinition) throws -> Kind {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .date: .real
    case .float: .float
    case .decimal: .decimal
    case .string, .uri, .undefined, .objectID: .text
    case .uuid: .uuid
    case .binary, .transformable: attribute.allowsExternalBinaryDataStorage ? .externalBlob : .blob
    case .composite:
      throw StoreError.failure("\(attribute.name) is a composite attribute; its elements are written one by one")
    }
  }

  static func storage(of kind: Kind) -> RowBatch.Storage {
    switch kind {
    case .integer, .entityNumber: .integer
    case .real, .float: .real
    case .text, .decimal, .uuid, .blob, .externalBlob: .bytes
    }
  }
}

/// A set of cell numbers; numbers under 64 need no memory of their own.
struct CellSet: Hashable {
  private var low: UInt64 = 0
  private var high: Set<Int> = []
  private(set) var isEmpty = true

  mutating func insert(_ index: Int) {
    isEmpty = false
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }
}
