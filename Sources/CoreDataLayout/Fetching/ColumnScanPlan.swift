import ObjectModel
public import Predicates
import SQLite
public import StoreInterface

extension StoreReader {
  /// Streams values at key paths of the objects that a request selects, in its order: what an export writes.
  ///
  /// Column `n` of a batch holds the attribute at key path `n`; a missing object on the way makes it null.
  /// - Parameters:
  ///   - keyPaths: to-one relationships, then an attribute.
  ///   - body: takes a filled batch and gives back the one to fill next, of the same columns: the same, or another
  ///     while another thread still uses it. It must not change the store.
  public func scan(
    _ request: FetchSpecification, keyPaths: [FetchPredicate.KeyPath], rowsPerBatch: Int = 4_096,
    body: (RowBatch) throws -> RowBatch
  ) throws {
    try session.perform {
      try request.checkKeyPaths()
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let plan = try ColumnScanPlan(self, request.entity, keyPaths, &sql)
      let statement = try Statement(session.connection, sql.statement(request, selecting: plan.selected))
      // The part of the predicate that is not in SQL is evaluated in memory first; the rows that meet it are selected
      // by their keys.
      guard sql.residual.isEmpty else {
        var rest = FetchSpecification(request.entity)
        rest.predicate = .selfIsIn(try objectIDs(request))
        rest.includesSubentities = request.includesSubentities
        rest.sortDescriptors = request.sortDescriptors
        return try scan(rest, keyPaths: keyPaths, rowsPerBatch: rowsPerBatch, body: body)
      }
      if request.selectsWholeTable, sql.scopes[0].joins.isEmpty,
        let pages = try PageExportReader(session, plan, table: file.layout.table(for: request.entity))
      {
        let row = try Statement(session.connection, sql.row(selecting: plan.selected))
        return try pages.scan(request.entity, rowsPerBatch: rowsPerBatch, row: row, body: body)
      }
      try bind(sql.parameters, to: statement)
      var batch = RowBatch(entity: request.entity, columns: plan.columns, capacity: rowsPerBatch)
      while try statement.step() {
        try plan.read(statement, into: batch, row: batch.count)
        batch.count += 1
        if batch.count == batch.capacity || batch.arenaCount >= Self.scannedByteLimit {
          batch = try body(batch)
          batch.removeAll()
        }
      }
      if batch.count > 0 { _ = try body(batch) }
    }
  }
}

/// How the columns of a scan are read: attributes of the objects themselves from their rows, the others through the
/// first relationship of their key paths.
final class ColumnScanPlan {
  /// The columns of the batches, in the order of the key paths.
  let columns: [RowBatch.Column]
  /// What the statement selects.
  let selected: String
  private let cells: CellReader
  /// What the statement selects, column by column: the attributes, then the destinations' primary keys.
  let names: [String]
  /// The columns of the batches that the attributes go to.
  let positions: [Int]
  /// The readers of destinations, each with the statement's column that has the destination's primary key.
  let destinations: [(cells: ToOneColumnReader, foreignKey: Int32)]

  init(
    _ reader: StoreReader, _ entity: Entity, _ keyPaths: [FetchPredicate.KeyPath], _ sql: inout FetchSQL
  ) throws {
    var names: [String] = []
    var attributes: [AttributeDefinition] = []
    var positions: [Int] = []
    var groups: [(relationship: Relationship, keyPaths: [(rest: FetchPredicate.KeyPath, position: Int)])] = []
    for (position, keyPath) in keyPaths.enumerated() {
      guard keyPath.count > 1, let relationship = entity.relationship(keyPath[0]) else {
        let (name, attribute) = try sql.selectedColumn(keyPath)
        names.append(name)
        attributes.append(attribute)
        positions.append(position)
        continue
      }
      let item = (rest: Array(keyPath.dropFirst()), position: position)
      if let known = groups.firstIndex(where: { $0.relationship.name == relationship.name }) {
        groups[known].keyPaths.append(item)
      } else {
        groups.append((relationship, [item]))
      }
    }
    var attributeAt = Dictionary(uniqueKeysWithValues: zip(positions, attributes))
    var destinations: [(cells: ToOneColumnReader, foreignKey: Int32)] = []
    for group in groups {
      let cells = try ToOneColumnReader(reader, through: group.relationship, keyPaths: group.keyPaths)
      destinations.append((cells, Int32(names.count)))
      names.append(cells.foreignKey)
      for (item, attribute) in zip(group.keyPaths, cells.attributes) { attributeAt[item.position] = attribute }
    }
    let columns = keyPaths.enumerated().map { position, keyPath in
      // Every position is either direct or in a group.
      let storage = attributeAt[position]?.type.rowBatchStorage ?? .bytes
      return RowBatch.Column(.attribute(keyPath.joined(separator: ".")), storage)
    }
    self.columns = columns
    self.names = names
    self.positions = positions
    self.destinations = destinations
    selected = names.isEmpty ? "t0.Z_PK" : names.joined(separator: ", ")
    cells = CellReader(
      reader.session, columns: positions.map { columns[$0] }, attributes: attributes, positions: positions)
  }

  /// Whether all values are taken as they are stored.
  var isCopied: Bool { cells.isCopying }

  /// Reads the statement's current row.
  func read(_ statement: Statement, into batch: RowBatch, row: Int) throws {
    try self.cells.read(statement, from: 0, into: batch, row: row)
    for (cells, foreignKey) in destinations {
      try cells.fill(
        batch, row: row, destination: statement.isNull(at: foreignKey) ? nil : statement.int64(at: foreignKey))
    }
  }
}
