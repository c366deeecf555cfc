import CoreDataLayout
import Foundation
import ObjectModel
import SQLite

/// Every row of a store by plain SQL, with objects named by their entity and their place among its objects, so that two
/// stores with other primary keys compare equal when they hold the same. Object versions and order keys do not count;
/// the order that the keys give does.
struct StoreGraph: Equatable {
  /// Object → its values, by column.
  var objects: [String: [String: String]] = [:]
  /// Relationship → pairs of owner and member of its join table, sorted.
  var joins: [String: [String]] = [:]
  /// Ordered relationship and owner → members in order.
  var orders: [String: [String]] = [:]

  private let layout: StoreLayout
  private let folder: String
  /// Root's name and primary key → name of the object.
  private var names: [String: String] = [:]
  private let isExact: Bool

  static func == (left: StoreGraph, right: StoreGraph) -> Bool {
    left.objects == right.objects && left.joins == right.joins && left.orders == right.orders
  }

  /// - Parameter isExact: whether values count as stored; else as they are read by the attribute's type.
  init(_ path: String, _ model: ManagedObjectModel, isExact: Bool = true) throws {
    let generation = try StoreMetadata.read(path: path).frameworkVersion.map { FrameworkGeneration(version: $0) }
    layout = StoreLayout(model: model, generation: generation ?? .newest)
    self.isExact = isExact
    let url = URL(fileURLWithPath: path)
    folder =
      url.deletingLastPathComponent().path + "/.\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    // By number: stores that were migrated have stale names beside the numbers.
    var entities: [Int64: String] = [:]
    for entity in layout.entitiesByNumber { entities[Int64(layout.number(of: entity))] = entity.name }
    for table in layout.tables {
      var counts: [Int64: Int] = [:]
      try Self.forEach(connection, "SELECT Z_PK, Z_ENT FROM \(table.name) ORDER BY Z_PK") { row in
        counts[row.int64(at: 1), default: 0] += 1
        names["\(table.root.name) \(row.int64(at: 0))"] =
          "\(entities[row.int64(at: 1)] ?? "?") \(counts[row.int64(at: 1)] ?? 0)"
      }
    }
    for table in layout.tables { try read(table, connection, entities) }
    for join in layout.joinTables { try read(join, connection) }
  }

  private static func forEach(_ connection: Connection, _ sql: String, _ body: (Statement) throws -> Void) throws {
    let statement = try Statement(connection, sql)
    defer { statement.finalize() }
    while try statement.step() { try body(statement) }
  }

  private func name(_ entity: Entity, _ key: Int64) -> String {
    names["\(entity.root.name) \(key)"] ?? "nothing at \(key)"
  }

  private mutating func read(_ table: TableLayout, _ connection: Connection, _ entities: [Int64: String]) throws {
    let list = table.columns.map { "\($0.name), quote(\($0.name))" }.joined(separator: ", ")
    var members: [String: [(order: Int64, key: Int64, name: String)]] = [:]
    try Self.forEach(connection, "SELECT \(list) FROM \(table.name)") { row in
      let key = row.int64(at: 0)
      let object = name(table.root, key)
      var values: [String: String] = [:]
      for (index, column) in table.columns.enumerated() {
        let at = Int32(2 * index)
        if row.isNull(at: at) { continue }
        switch column.role {
        case .primaryKey, .version: break
        case .entityNumber: values["entity"] = entities[row.int64(at: at)] ?? "?"
        case .attribute(let path, let attribute):
          values[path.joined(separator: ".")] = try value(attribute, row, at)
        case .foreignKey, .virtualForeignKey:
          guard let relationship = relationship(column) else { continue }
          let target = name(relationship.target, row.int64(at: at))
          values[relationship.name] = target
          if let order = table.columns.firstIndex(where: { $0.role == relationship.order }) {
            members["\(relationship.name) of \(target)", default: []].append(
              (row.int64(at: Int32(2 * order)), key, object))
          }
        case .destinationEntity, .virtualDestinationEntity:
          values["entity in \(column.name)"] = entities[row.int64(at: at)] ?? "?"
        case .orderKey, .virtualOrderKey: break
        }
      }
      objects[object] = values
    }
    for (owner, list) in members {
      orders[owner] = list.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.name)
    }
  }

  /// What a foreign key belongs to, and the role of its order key.
  private func relationship(
    _ column: TableLayout.Column
  ) -> (name: String, target: Entity, order: TableLayout.Role)? {
    switch column.role {
    case .foreignKey(let name):
      let declaring = column.entityIndex.map { layout.model.entities[$0] }
      guard let found = declaring?.relationship(name) else { return nil }
      return ("\(found.entity.name).\(name)", found.destination, .orderKey(relationship: name))
    case .virtualForeignKey(let owner, let name):
      guard let entity = layout.entity(number: owner) else { return nil }
      return ("\(entity.name).\(name)", entity, .virtualOrderKey(owner: owner, relationship: name))
    default: return nil
    }
  }

  private func value(_ attribute: AttributeDefinition, _ row: Statement, _ at: Int32) throws -> String {
    if attribute.allowsExternalBinaryDataStorage {
      let bytes = row.blob(at: at) ?? []
      guard bytes.first == 2 else { return Data(bytes.dropFirst()).base64EncodedString() }
      let name = String(decoding: bytes[1..<37], as: UTF8.self)
      return try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)).base64EncodedString()
    }
    if isExact { return "\(row.type(at: at)) \(row.string(at: at + 1) ?? "")" }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return "\(row.int64(at: at))"
    case .boolean: return "\(row.int64(at: at) != 0)"
    case .double, .date: return "\(row.double(at: at).bitPattern)"
    case .float: return "\(Float(row.double(at: at)).bitPattern)"
    case .string, .uri: return row.string(at: at) ?? ""
    default: return row.string(at: at + 1) ?? ""
    }
  }

  private mutating func read(_ join: JoinTable, _ connection: Connection) throws {
    let columns = [
      join.master.ownerColumn, join.master.memberColumn, join.master.orderColumn, join.inverse.orderColumn,
    ]
    let list = columns.map { $0 ?? "0" }.joined(separator: ", ")
    let title = "\(join.master.relationship.entity.name).\(join.master.relationship.name)"
    var pairs: [String] = []
    var members: [String: [(order: Int64, key: Int64, name: String)]] = [:]
    try Self.forEach(connection, "SELECT \(list) FROM \(join.name)") { row in
      let (ownerKey, memberKey) = (row.int64(at: 0), row.int64(at: 1))
      let owner = name(join.master.relationship.entity, ownerKey)
      let member = name(join.master.relationship.destination, memberKey)
      pairs.append("\(owner) → \(member)")
      if join.master.orderColumn != nil {
        members["\(title) of \(owner)", default: []].append((row.int64(at: 2), memberKey, member))
      }
      if join.inverse.orderColumn != nil, !join.isReflexive {
        members["inverse of \(title) of \(member)", default: []].append((row.int64(at: 3), ownerKey, owner))
      }
    }
    joins[title] = pairs.sorted()
    for (owner, list) in members {
      orders[owner] = list.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.name)
    }
  }

  /// What differs from another graph, for messages; at most ten lines.
  func differences(from other: StoreGraph) -> [String] {
    var lines: [String] = []
    func compare<Content: Equatable>(_ left: [String: Content], _ right: [String: Content]) {
      for key in Set(left.keys).union(right.keys).sorted() where left[key] != right[key] {
        lines.append("\(key): \(left[key].map { "\($0)" } ?? "∅") ≠ \(right[key].map { "\($0)" } ?? "∅")")
      }
    }
    compare(objects, other.objects)
    compare(joins, other.joins)
    compare(orders, other.orders)
    return Array(lines.prefix(10))
  }
}
