import Foundation
public import ObjectModel
import SQLite
public import StoreInterface

extension SQLiteStore {
  /// The snapshots that a request selects. Values come as Core Data stored them.
  public func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
    try perform {
      try settleBeforeReading()
      let reader = SnapshotReader(self, entity: request.entity)
      return try run(request, selecting: reader.columns) { statement in try reader.snapshot(statement) }
    }
  }

  /// The number of objects that a request selects, its limit and offset included.
  public func count(_ request: FetchRequest) throws -> Int {
    try perform {
      var rows = 0
      var unsorted = request
      unsorted.sortDescriptors = []
      _ = try run(unsorted, selecting: "t0.Z_PK") { _ in rows += 1 }
      return rows
    }
  }

  private func run<Result>(
    _ request: FetchRequest, selecting columns: String, _ body: (Statement) throws -> Result
  ) throws -> [Result] {
    guard request.entity.model === model else { throw StoreError.failure("the entity belongs to another model") }
    try request.predicate.checkKeyPaths(for: request.entity)
    var sql = FetchSQL(self)
    defer { for list in sql.lists { try? connection.execute("DELETE FROM \(list)") } }
    let statement = try cached(sql.statement(request, selecting: columns))
    for (index, value) in sql.parameters.enumerated() {
      try ValueCoding.bind(value, to: statement, at: Int32(index + 1))
    }
    defer { statement.reset() }
    var result: [Result] = []
    while try statement.step() { result.append(try body(statement)) }
    return result
  }

  /// Puts a long list into a temporary table and returns the table's name.
  func fillList(_ tuples: [[Value]], width: Int, number: Int) throws -> String {
    let name = "temp.seedbed_list_\(width)_\(number)"
    let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS seedbed_list_\(width)_\(number) (\(columns))")
    try connection.execute("DELETE FROM \(name)")
    let insert = try cached(
      "INSERT INTO \(name) VALUES (\((0..<width).map { "?\($0 + 1)" }.joined(separator: ", ")))")
    // One transaction for all rows; inside an open one they join it.
    let isNested = connection.isInTransaction
    if !isNested { try connection.begin(.deferred) }
    for tuple in tuples {
      for (index, value) in tuple.enumerated() { try ValueCoding.bind(value, to: insert, at: Int32(index + 1)) }
      try insert.run()
    }
    if !isNested { try connection.commit() }
    return name
  }

  /// The primary key of an object of this store.
  func primaryKey(of objectID: ObjectID) -> Int64? {
    guard case .permanent(let store, let key) = objectID.reference, store == storedMetadata.uuid,
      objectID.entity.model === model
    else { return nil }
    return key
  }

  /// Order keys that a transaction under way still owes are assigned before anybody reads them.
  func settleBeforeReading() throws {
    if !pendingOrderKeys.isEmpty && connection.isInTransaction { try settleOrderKeys() }
  }

  func objectID(_ entity: Entity, _ key: Int64) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: storedMetadata.uuid, primaryKey: key))
  }

  /// The entity with a stored number.
  func entity(numbered number: Int64) throws -> Entity {
    guard let entity = layout.entity(number: Int(number)) else {
      throw StoreError.notAStore(path: path, message: "a row has the unknown entity number \(number)")
    }
    return entity
  }

  /// The members of a to-many relationship: by order key when ordered, by primary key otherwise.
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try perform {
      try settleBeforeReading()
      guard let key = primaryKey(of: owner), relationship.isToMany else { return [] }
      let members = layout.table(for: relationship.destination).name
      let sql: String
      if let (join, side) = layout.joinTable(of: relationship) {
        let order = side.orderColumn.map { "j.\($0), " } ?? ""
        sql =
          "SELECT m.Z_PK, m.Z_ENT FROM \(join.name) AS j JOIN \(members) AS m ON m.Z_PK = j.\(side.memberColumn) "
          + "WHERE j.\(side.ownerColumn) = ?1 ORDER BY \(order)m.Z_PK"
      } else if let columns = layout.memberColumns(of: relationship) {
        let order = columns.order.map { "\($0), " } ?? ""
        sql = "SELECT Z_PK, Z_ENT FROM \(members) WHERE \(columns.foreignKey) = ?1 ORDER BY \(order)Z_PK"
      } else {
        return []
      }
      let statement = try cached(sql)
      defer { statement.reset() }
      try statement.bind(1, key)
      var result: [ObjectID] = []
      while try statement.step() {
        result.append(objectID(try entity(numbered: statement.int64(at: 1)), statement.int64(at: 0)))
      }
      return result
    }
  }
}

/// Makes snapshots of the rows of one entity and its sub-entities.
final class SnapshotReader {
  /// How one concrete entity's properties lie in the selected columns.
  private struct Plan {
    var attributes: [(description: AttributeDescription, column: Int32?)]
    var toOne: [(relationship: Relationship, key: Int32, entity: Int32?)?]
  }

  /// What to select, from a table called `t0`.
  let columns: String
  private let store: SQLiteStore
  private var plans: [Int64: Plan] = [:]

  init(_ store: SQLiteStore, entity: Entity) {
    self.store = store
    let layout = store.layout
    var position: [String: Int32] = [:]
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    for number in layout.numbers(ofKind: entity) {
      guard let kind = layout.entity(number: number) else { continue }
      func place(_ name: String) -> Int32 {
        if let known = position[name] { return known }
        let index = Int32(names.count)
        names.append(name)
        position[name] = index
        return index
      }
      plans[Int64(number)] = Plan(
        attributes: kind.attributes.map { attribute in
          (attribute, attribute.isTransient ? nil : layout.column(for: attribute.name, of: kind).map { place($0.name) })
        },
        toOne: kind.relationships.map { relationship in
          guard !relationship.isToMany, let key = layout.foreignKeyColumn(of: relationship) else { return nil }
          return (relationship, place(key.name), layout.entityColumn(of: relationship).map { place($0.name) })
        })
    }
    columns = names.map { "t0.\($0)" }.joined(separator: ", ")
  }

  /// The snapshot of the statement's current row.
  func snapshot(_ statement: Statement) throws -> Snapshot {
    let number = statement.int64(at: 1)
    guard let plan = plans[number] else {
      throw StoreError.notAStore(path: store.path, message: "a row has the unexpected entity number \(number)")
    }
    let attributes = try plan.attributes.map { attribute, column in
      guard let column else { return Value.null }
      return try ValueCoding.read(attribute, from: statement, at: column, externalData: store.externalData)
    }
    let toOne = try plan.toOne.map { place -> ObjectID? in
      guard let place, !statement.isNull(at: place.key) else { return nil }
      var entity = place.relationship.destination
      if let column = place.entity, !statement.isNull(at: column) {
        entity = try store.entity(numbered: statement.int64(at: column))
      }
      return store.objectID(entity, statement.int64(at: place.key))
    }
    return Snapshot(
      objectID: store.objectID(try store.entity(numbered: number), statement.int64(at: 0)),
      version: statement.isNull(at: 2) ? 1 : statement.int64(at: 2), attributes: attributes, toOne: toOne)
  }
}
