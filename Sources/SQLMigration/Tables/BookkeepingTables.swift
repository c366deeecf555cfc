import CoreDataLayout
import Foundation
import ObjectModel
import PropertyLists
import SQLite

/// Brings the tables of bookkeeping from the old model to the new: entities with their counters, history, metadata and
/// the cached model.
struct BookkeepingTables {
  let work: MigrationWork
  let connection: Connection

  func write(modelCache: [UInt8]?) throws {
    try writeEntities()
    try writeMetadata()
    try writeCache(modelCache)
  }

  // MARK: - Entities

  /// Entity numbers from here on are those of ancillary entities, such as the history's.
  private static let firstAncillary = 16_000

  private func writeEntities() throws {
    let (old, new) = (work.old, work.new)
    var counters: [Int: Int64] = [:]
    for table in new.tables {
      var last: Int64 = 0
      for root in work.moves.oldRoots(of: table.root) {
        let offset = work.moves.moves.first { $0.new.root == table.root && $0.old.root == root }?.offset ?? 0
        let counter = try connection.integer(
          "SELECT \(PrimaryKeyRange.counter) FROM Z_PRIMARYKEY WHERE Z_ENT = \(old.number(of: root))")
        last = max(last, (counter ?? 0) + offset)
      }
      if !work.moves.oldRoots(of: table.root).isEmpty {
        last = max(last, try connection.integer("SELECT max(Z_PK) FROM \(table.name)") ?? 0)
      }
      counters[new.number(of: table.root)] = last
    }
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(Self.firstAncillary)")
    let insert = try Statement(
      connection, "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, ?4)")
    for entity in new.entitiesByNumber {
      let number = new.number(of: entity)
      try insert.bind(1, number)
      try insert.bind(2, entity.name)
      try insert.bind(3, entity.superentity.map { new.number(of: $0) } ?? 0)
      try insert.bind(4, counters[number] ?? 0)
      try insert.run()
    }
  }

  // MARK: - History

  /// Changes follow their objects: entity numbers, primary keys, the masks of changed properties and the values that
  /// are kept of deleted objects. A bit of a property that is gone is dropped. The migration's own changes come after
  /// them.
  /// - Returns: how many changes were about objects of removed entities, and went.
  func writeHistory() throws -> Int {
    guard case .ordinary(var columns) = try SchemaGuard(connection: connection).table("ACHANGE"),
      columns.isSuperset(of: ["ZENTITY", "ZENTITYPK", "ZCOLUMNS"])
    else { return 0 }
    let known = Set(work.moves.moves.map { work.old.number(of: $0.old) })
    let gone = work.old.entitiesByNumber.map { work.old.number(of: $0) }.filter { !known.contains($0) }
    var removed = 0
    if !gone.isEmpty {
      try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY IN (\(gone.map(String.init).joined(separator: ", ")))")
      removed = Int(connection.changes)
    }
    let masks = MaskTranslation(work)
    try connection.registerFunction("seedbed_mask", argumentCount: 2, isDeterministic: true) { arguments in
      guard case .integer(let entity) = arguments[0], case .blob(let mask) = arguments[1] else { return arguments[1] }
      return .blob(masks.translated(mask, entity: Int(entity)))
    }
    try addTombstones(&columns)
    var updates: [(number: Int, list: [String])] = []
    for move in work.moves.moves {
      let number = work.old.number(of: move.old)
      var list: [String] = []
      if work.new.number(of: move.new) != number { list.append("ZENTITY = \(work.new.number(of: move.new))") }
      if move.offset != 0 { list.append("ZENTITYPK = ZENTITYPK + \(move.offset)") }
      if !masks.isIdentity(number) { list.append("ZCOLUMNS = seedbed_mask(\(number), ZCOLUMNS)") }
      list += tombstones(move, columns)
      if !list.isEmpty { updates.append((number, list)) }
    }
    // Numbers that are given anew must not be taken for old ones: changed rows are marked by a negative number first.
    let offset = Self.firstAncillary
    for update in updates {
      let list = update.list.filter { !$0.hasPrefix("ZENTITY =") }
      let number = update.list.first { $0.hasPrefix("ZENTITY =") }.flatMap { Int($0.dropFirst("ZENTITY = ".count)) }
      let entity = "ZENTITY = \((number ?? update.number) - offset)"
      try connection.execute(
        "UPDATE ACHANGE SET \(([entity] + list).joined(separator: ", ")) WHERE ZENTITY = \(update.number)")
    }
    if !updates.isEmpty { try connection.execute("UPDATE ACHANGE SET ZENTITY = ZENTITY + \(offset) WHERE ZENTITY < 0") }
    return removed
  }

  /// A model that keeps more values of deleted objects needs more columns for them.
  private func addTombstones(_ columns: inout Set<String>) throws {
    let count = work.new.model.entities.map { work.new.preservedAttributes(of: $0).count }.max() ?? 0
    for index in 0..<count where columns.insert("ZTOMBSTONE\(index)").inserted {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
  }

  private func tombstones(_ move: EntityMoves.Move, _ columns: Set<String>) -> [String] {
    let before = work.old.preservedAttributes(of: move.old).map(\.name)
    let after = work.new.preservedAttributes(of: move.new).map { work.moves.sourceName(of: $0.name, move) }
    if before.map(Optional.some) == after { return [] }
    return (0..<max(before.count, after.count)).filter { columns.contains("ZTOMBSTONE\($0)") }.map { index in
      let source = index < after.count ? after[index].flatMap { before.firstIndex(of: $0) } : nil
      let value = source.flatMap { columns.contains("ZTOMBSTONE\($0)") ? "ZTOMBSTONE\($0)" : nil } ?? "NULL"
      return "ZTOMBSTONE\(index) = \(value)"
    }
  }

  // MARK: - Metadata and model

  /// The app's own keys, and keys that do not depend on the model, stay as they are.
  private func writeMetadata() throws {
    var metadata = work.metadata
    let fresh = StoreMetadata(model: work.new.model, uuid: metadata.uuid, generation: work.new.generation).values
    let always = ["NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers"]
    for key in always { metadata.values[key] = fresh[key] }
    for (key, value) in [
      ("NSStoreModelVersionHashesDigest", work.new.model.versionHashesDigest),
      ("NSStoreModelVersionChecksumKey", work.new.model.versionChecksum),
    ] where fresh[key] != nil || metadata.values[key] != nil {
      metadata.values[key] = .string(value)
    }
    try metadata.write(to: connection)
  }

  private func writeCache(_ content: [UInt8]?) throws {
    switch try SchemaGuard(connection: connection).table("Z_MODELCACHE") {
    case .missing: try connection.execute(StoreLayout.modelCacheStatement)
    case .ordinary(let columns) where columns.contains("Z_CONTENT"):
      try connection.execute("DELETE FROM Z_MODELCACHE")
    default: return
    }
    guard let content else { return }
    let statement = try Statement(connection, "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?1)")
    try statement.bind(1, blob: content)
    try statement.run()
  }
}

/// Translates the bits in the history's masks of changed properties.
private struct MaskTranslation: Sendable {
  private struct Table {
    /// New bit by old bit; nil where the property is gone.
    var bits: [Int?]
    var byteCount: Int
    var isIdentity: Bool
  }

  private let tables: [Int: Table]

  init(_ work: MigrationWork) {
    var tables: [Int: Table] = [:]
    for move in work.moves.moves {
      let (before, after) = (work.old.historyMask(of: move.old), work.new.historyMask(of: move.new))
      var bits = [Int?](repeating: nil, count: before.byteCount * 8)
      for (name, bit) in after.bitByProperty {
        // A derived attribute has no source; its bit comes from the attribute that it was.
        let derived =
          move.new.attribute(name)?.derivation == nil ? nil : work.moves.derivedName(of: name, move)
        guard let source = work.moves.sourceName(of: name, move) ?? derived, let old = before.bitByProperty[source],
          bits.indices.contains(old)
        else { continue }
        bits[old] = bit
      }
      // Entity and order columns follow their relationship.
      for relationship in move.new.relationships where !relationship.isToMany {
        guard let source = work.moves.source(of: relationship, move) else { continue }
        let columns = [
          (work.old.entityColumn(of: source), work.new.entityColumn(of: relationship)),
          (work.old.orderColumn(of: source), work.new.orderColumn(of: relationship)),
        ]
        for case (let old?, let new?) in columns {
          if let from = before.bitByColumn[old.name], bits.indices.contains(from) {
            bits[from] = after.bitByColumn[new.name]
          }
        }
      }
      // A bit without a successor is dropped, because the new mask has another property in its place.
      let used = Set(before.bitByProperty.values).union(before.bitByColumn.values)
      let isIdentity =
        before.byteCount == after.byteCount
        && bits.enumerated().allSatisfy { $1 == $0 || $1 == nil && !used.contains($0) }
      tables[work.old.number(of: move.old)] = Table(bits: bits, byteCount: after.byteCount, isIdentity: isIdentity)
    }
    self.tables = tables
  }

  func isIdentity(_ entity: Int) -> Bool { tables[entity]?.isIdentity ?? true }

  func translated(_ mask: [UInt8], entity: Int) -> [UInt8] {
    guard let table = tables[entity] else { return mask }
    var result = [UInt8](repeating: 0, count: table.byteCount)
    for (old, new) in table.bits.enumerated() {
      guard let new, old / 8 < mask.count, mask[old / 8] & (0x80 >> UInt8(old % 8)) != 0 else { continue }
      result[new / 8] |= 0x80 >> UInt8(new % 8)
    }
    return result
  }
}
