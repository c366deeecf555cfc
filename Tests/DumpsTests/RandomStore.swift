import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import TestSupport

/// Fills the tables of a store by plain SQL with rows made by chance, extremes among them.
struct RandomStore {
  private var generator: SeededGenerator
  private let layout: StoreLayout
  private let connection: Connection
  private let folder: String
  /// Root's name → primary keys and entities.
  private var rows: [String: [(key: Int64, entity: Entity)]] = [:]

  /// Creates the store.
  @discardableResult
  init(_ path: String, _ model: ManagedObjectModel, seed: UInt64, rowsPerTable: Int = 12) throws {
    let store = try SQLiteStore.create(path: path, model: model)
    layout = store.layout
    try store.seal(journal: .delete)
    generator = SeededGenerator(seed: seed)
    let url = URL(fileURLWithPath: path)
    folder =
      url.deletingLastPathComponent().path + "/.\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    connection = try Connection(path: path)
    defer { try? connection.close() }
    try connection.execute("BEGIN")
    for table in layout.tables {
      let entities = model.entities.filter { !$0.isAbstract && $0.root == table.root }
      var key: Int64 = 0
      guard !entities.isEmpty else { continue }
      for _ in 0..<rowsPerTable {
        // Gaps, as deleted objects leave them.
        key += Int64(1 + number(3))
        rows[table.root.name, default: []].append((key, entities[number(entities.count)]))
      }
      try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_NAME = '\(table.root.name)'")
    }
    for table in layout.tables {
      for row in rows[table.root.name] ?? [] { try insert(row.key, row.entity, into: table) }
    }
    for join in layout.joinTables { try fill(join) }
    try pairOneToOne(model)
    try connection.execute("COMMIT")
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }

  private mutating func pick(_ destination: Entity) -> (key: Int64, entity: Entity)? {
    let candidates = (rows[destination.root.name] ?? []).filter { $0.entity.isKind(of: destination) }
    return candidates.isEmpty ? nil : candidates[number(candidates.count)]
  }

  private mutating func insert(_ key: Int64, _ entity: Entity, into table: TableLayout) throws {
    var values: [TableLayout.Role: String] = [:]
    for column in table.columns {
      switch column.role {
      case .primaryKey: values[column.role] = "\(key)"
      case .entityNumber: values[column.role] = "\(layout.number(of: entity))"
      case .version: values[column.role] = "\(1 + number(5))"
      case .attribute(_, let attribute):
        let owner = column.entityIndex.map { layout.model.entities[$0] }
        if owner.map({ entity.isKind(of: $0) }) ?? true, !chance(15) { values[column.role] = try value(attribute) }
      case .foreignKey(let name):
        let owner = column.entityIndex.map { layout.model.entities[$0] }
        guard let relationship = owner?.relationship(name), entity.isKind(of: relationship.entity),
          // Both sides are set together.
          relationship.inverse.map(\.isToMany) ?? true, chance(75), let target = pick(relationship.destination)
        else { continue }
        values[column.role] = "\(target.key)"
        values[.destinationEntity(relationship: name)] = "\(layout.number(of: target.entity))"
        values[.orderKey(relationship: name)] = "\(1024 * number(9))"
      case .virtualForeignKey(let owner, let name):
        guard let declaring = layout.entity(number: owner), let relationship = declaring.relationship(name),
          entity.isKind(of: relationship.destination), chance(75), let target = pick(declaring)
        else { continue }
        values[column.role] = "\(target.key)"
        values[.virtualDestinationEntity(owner: owner, relationship: name)] = "\(layout.number(of: target.entity))"
        values[.virtualOrderKey(owner: owner, relationship: name)] = "\(1024 * number(9))"
      default: break
      }
    }
    let set = table.columns.filter { values[$0.role] != nil }
    try connection.execute(
      "INSERT INTO \(table.name) (\(set.map(\.name).joined(separator: ", "))) VALUES "
        + "(\(set.compactMap { values[$0.role] }.joined(separator: ", ")))")
  }

  private mutating func fill(_ join: JoinTable) throws {
    var columns = [join.master.ownerColumn, join.master.memberColumn]
    columns += [join.master.orderColumn, join.inverse.orderColumn].compactMap { $0 }
    for _ in 0..<25 {
      guard let owner = pick(join.master.relationship.entity), let member = pick(join.master.relationship.destination)
      else { return }
      for pair in join.isReflexive ? [(owner, member), (member, owner)] : [(owner, member)] {
        var values = [pair.0.key, pair.1.key]
        while values.count < columns.count { values.append(Int64(1024 * number(9))) }
        try connection.execute(
          "INSERT OR IGNORE INTO \(join.name) (\(columns.joined(separator: ", "))) VALUES "
            + "(\(values.map { "\($0)" }.joined(separator: ", ")))")
      }
    }
  }

  private mutating func pairOneToOne(_ model: ManagedObjectModel) throws {
    for relationship in model.entities.flatMap(\.relationships)
    where relationship.declaringEntity == relationship.entity {
      guard !relationship.isToMany, let inverse = relationship.inverse, !inverse.isToMany,
        relationship.name < inverse.name
      else { continue }
      var taken: Set<Int64> = []
      var free = (rows[relationship.entity.root.name] ?? []).filter { $0.entity.isKind(of: relationship.entity) }
      while !free.isEmpty {
        let owner = free.removeLast()
        guard chance(70), let target = pick(relationship.destination), taken.insert(target.key).inserted else {
          continue
        }
        for (side, from, to) in [(relationship, owner, target), (inverse, target, owner)] {
          guard let column = layout.foreignKeyColumn(of: side) else { continue }
          var assignment = "\(column.name) = \(to.key)"
          if let entity = layout.entityColumn(of: side) {
            assignment += ", \(entity.name) = \(layout.number(of: to.entity))"
          }
          try connection.execute(
            "UPDATE \(layout.table(for: side.entity).name) SET \(assignment) WHERE Z_PK = \(from.key)")
        }
      }
    }
  }

  // MARK: - Values

  private static let integers = [
    "0", "-1", "1", "32767", "-32768", "2147483647", "-2147483648", "9223372036854775807", "-9223372036854775808",
  ]
  private static let reals = [
    "0.1", "-0.5", "1e308", "-1.7976931348623157e308", "5e-324", "9e999", "-9e999", "3.0", "0.30000000000000004",
    "1e22",
  ]
  /// Seconds since 2001: fractions, before 2001, year 1, distant past and future, year 10000, too fine for text.
  static let dates = [
    "0", "0.5", "722000000.123456", "-63114076800", "64092211200", "-63113904000", "252423993599", "252423993600",
    "700000000.1234567", "-978307200.25", "1e15", "-1e300", "0.1", "1.0000000000000002", "9e999", "-0.000001", "1e-9",
  ]
  private static let decimals = ["0.1", "10.50", "-99999999999999", "1e20", "123456789012345678", "0.000001"]
  private static let texts = [
    "''", "'a'", "'Ünïcödé 🎉'", "'a\"b\\c'", "char(0)", "'x' || char(0) || 'y'", "char(1, 9, 10, 13, 31, 127, 8232)",
    "'null'", "'12'", "' '",
  ]

  private mutating func value(_ attribute: AttributeDefinition) throws -> String {
    func one(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &generator)] }
    switch attribute.type {
    case .integer16: return one(Array(Self.integers[..<5]))
    case .integer32: return one(Array(Self.integers[..<7]))
    case .integer64: return one(Self.integers)
    case .boolean: return one(["0", "1"])
    case .double: return one(Self.reals + ["\(Double.random(in: -1e9...1e9, using: &generator))"])
    case .float: return "\(Double(Float.random(in: -1e9...1e9, using: &generator)))"
    case .date: return one(Self.dates + ["\(Double.random(in: -1e9...1e9, using: &generator))"])
    case .decimal: return one(Self.decimals)
    case .uuid: return hex(16)
    case .uri: return one(["'https://example.org/a?b=%20c'", "'urn:x:y'", "'not really a URI'"])
    case .binary where attribute.allowsExternalBinaryDataStorage: return try externalValue()
    case .binary: return one(["x''", "x'00ff01'", hex(300)])
    case .transformable: return one(["x'62706c6973743030'", "x''", hex(40)])
    default: return one(Self.texts)
    }
  }

  private mutating func hex(_ count: Int) -> String {
    "x'" + (0..<count).map { _ in UInt8(number(256)) }.hexadecimal + "'"
  }

  private mutating func externalValue() throws -> String {
    switch number(4) {
    case 0: return "x'01'"
    case 1: return "x'01aabbcc'"
    default:
      let name = String(format: "%08X-0000-4000-8000-%012X", number(1 << 30), number(1 << 40))
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let count = chance(50) ? 150_000 : 20
      let bytes = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
      try bytes.write(to: URL(fileURLWithPath: folder + "/" + name))
      return "x'02\(name.utf8.hexadecimal)00'"
    }
  }
}
