import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Writes complete snapshots of one concrete entity.
final class SnapshotWriter {
  private enum Source {
    case attribute(Int, RowPlan.Kind)
    /// An element of a composite attribute, by its path in there.
    case element(Int, [String], RowPlan.Kind)
    case toOneKey(Int)
    case toOneEntity(Int)
  }
  private let writer: StoreWriter
  private let entity: Entity
  private let table: String
  private let number: Int
  private var columns: [(name: String, source: Source)] = []
  /// Ordered to-one relationships: foreign key column and order column.
  private var ordered: [(relationship: Relationship, key: String, order: String)] = []
  /// Columns whose values may lie in files.
  private var externalColumns: Set<String> = []
  private lazy var reader = SnapshotReader(writer.session, entity: entity)
  private var insertionStatement: Statement?
  private var greatestKey: Int64 = 0
  private lazy var insertion: String = {
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
    let parameters = ["?1", String(number), "1"] + columns.indices.map { "?\($0 + 2)" }
    return "INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
  }()

  init(_ writer: StoreWriter, entity: Entity) {
    self.writer = writer
    self.entity = entity
    let layout = writer.layout
    table = layout.table(for: entity).name
    number = layout.number(of: entity)
    // A derived value is the store's own: what a snapshot says of it may be out of date.
    for (position, attribute) in entity.attributes.enumerated()
    where !attribute.isTransient && attribute.derivation == nil {
      for leaf in StoredAttribute.leaves(of: attribute) {
        guard let column = layout.column(for: leaf.path, of: entity), let kind = try? RowPlan.kind(of: leaf.attribute)
        else { continue }
        let path = Array(leaf.names.dropFirst())
        columns.append(
          (column.name, path.isEmpty ? .attribute(position, kind) : .element(position, path, kind)))
        if kind == .externalBlob { externalColumns.insert(column.name) }
      }
    }
    for (position, relationship) in entity.relationships.enumerated() where !relationship.isToMany {
      guard let key = layout.foreignKeyColumn(of: relationship) else { continue }
      columns.append((key.name, .toOneKey(position)))
      if let column = layout.entityColumn(of: relationship) { columns.append((column.name, .toOneEntity(position))) }
      if let order = layout.orderColumn(of: relationship) {
        ordered.append((relationship, key.name, order.name))
      }
    }
  }

  func insert(_ snapshot: Snapshot) throws {
    let statement = try insertionStatement ?? writer.cached(insertion)
    insertionStatement = statement
    let key = writer.file.primaryKey(of: snapshot.objectID) ?? 0
    try bind(snapshot, key, columns.indices, to: statement)
    try statement.run()
    greatestKey = max(greatestKey, key)
    try writer.history?.recordInsert(entityNumber: number, key: key)
    noteOrder(key)
  }

  /// To be called after the last row: no key that was written is given out again.
  func finish() throws {
    if greatestKey > 0 { try writer.setLastPrimaryKey(greatestKey, of: entity) }
  }

  /// Writes what differs from the stored row. Other columns keep what they have, to the byte.
  /// - Parameter keepsVersionOfNewOwner: of a row that the import made and of which only members are others, the version
  ///   stays.
  func update(_ snapshot: Snapshot, keepsVersionOfNewOwner: Bool) throws {
    let key = writer.file.primaryKey(of: snapshot.objectID) ?? 0
    let changed = try changedColumns(snapshot, key)
    if keepsVersionOfNewOwner && changed.isEmpty && writer.isImporting && !writer.wasThere(key, in: entity) { return }
    let names = changed.map { columns[$0].name }
    if let history = writer.history {
      try history.recordingUpdate(entityNumber: number, key: key, columns: names) { try write(changed, snapshot, key) }
    } else {
      try write(changed, snapshot, key)
    }
    for place in ordered where names.contains(place.key) { writer.noteMissingOrderKey(place.relationship, key) }
  }

  private func write(_ changed: [Int], _ snapshot: Snapshot, _ key: Int64) throws {
    let names = changed.map { columns[$0].name }
    if !externalColumns.isDisjoint(with: names) {
      try writer.noteExternalData(of: entity, key, columns: Set(names))
    }
    var assignments = ["Z_OPT = IFNULL(Z_OPT, 1) + 1"]
    for (position, name) in names.enumerated() { assignments.append("\(name) = ?\(position + 2)") }
    // A row that moves to another destination loses its place.
    for place in ordered where names.contains(place.key) { assignments.append("\(place.order) = NULL") }
    let statement = try writer.cached("UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
    try bind(snapshot, key, changed, to: statement)
    try statement.run()
  }

  private func noteOrder(_ key: Int64) {
    for place in ordered { writer.noteMissingOrderKey(place.relationship, key) }
  }

  private func bind(
    _ snapshot: Snapshot, _ key: Int64, _ written: some Collection<Int>, to statement: Statement
  ) throws {
    try statement.bind(1, key)
    var parameter: Int32 = 1
    for index in written {
      parameter += 1
      switch columns[index].source {
      case .attribute(let position, let kind):
        try ValueCoding.bind(
          snapshot.attributes[position], kind: kind, to: statement, at: parameter, externalData: writer.externalData,
          seed: RowBinder.seed(number, key, index))
      case .element(let position, let path, let kind):
        try ValueCoding.bind(
          snapshot.attributes[position].element(at: path), kind: kind, to: statement, at: parameter,
          externalData: writer.externalData, seed: RowBinder.seed(number, key, index))
      case .toOneKey(let position):
        if let destination = snapshot.toOne[position].flatMap({ writer.file.primaryKey(of: $0) }) {
          try statement.bind(parameter, destination)
        } else {
          try statement.bindNull(parameter)
        }
      case .toOneEntity(let position):
        if let destination = snapshot.toOne[position] {
          try statement.bind(parameter, Int64(writer.layout.number(of: destination.entity)))
        } else {
          try statement.bindNull(parameter)
        }
      }
    }
  }

  /// The columns whose values differ from the stored row's.
  private func changedColumns(_ snapshot: Snapshot, _ key: Int64) throws -> [Int] {
    let statement = try writer.cached("SELECT \(reader.columns) FROM \(table) AS t0 WHERE t0.Z_PK = ?1")
    defer { statement.reset() }
    try statement.bind(1, key)
    guard try statement.step() else { return [] }
    let stored = try reader.snapshot(statement)
    return columns.indices.filter { index in
      switch columns[index].source {
      case .attribute(let position, _): !stored.attributes[position].isIdentical(to: snapshot.attributes[position])
      case .element(let position, let path, _):
        !stored.attributes[position].element(at: path).isIdentical(to: snapshot.attributes[position].element(at: path))
      case .toOneKey(let position), .toOneEntity(let position): stored.toOne[position] != snapshot.toOne[position]
      }
    }
  }
}
