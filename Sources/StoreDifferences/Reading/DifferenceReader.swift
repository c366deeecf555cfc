import CoreDataLayout
import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Reads the objects of matched rows, page by page, and says what differs.
final class DifferenceReader {
  private let tables: MatchTables
  private let left: SQLiteStore
  private let right: SQLiteStore
  private let layouts: (left: ComparedLayout, right: ComparedLayout)
  private let leftKeys: ObjectKeys
  private let rightKeys: ObjectKeys
  /// The statements that look for the counterpart of an object of the first store, by hierarchy.
  private var lookups: [Int: Statement] = [:]
  /// Objects of a page.
  private static let pageSize = 256

  init(
    _ tables: MatchTables, _ left: SQLiteStore, _ right: SQLiteStore,
    layouts: (left: ComparedLayout, right: ComparedLayout), _ entities: [ComparedEntity]
  ) {
    self.tables = tables
    self.left = left
    self.right = right
    self.layouts = layouts
    let names = Dictionary(entities.map { ($0.name, $0.key) }, uniquingKeysWith: { first, _ in first })
    leftKeys = ObjectKeys(store: left, names: names)
    rightKeys = ObjectKeys(store: right, names: names)
  }

  /// Tells the differences of an entity: those of the first store's objects in the order of their primary keys, then
  /// the objects that only the second has.
  func read(_ entity: ComparedEntity, _ body: (ObjectDifference) throws -> Void) throws {
    let unusual = try UnusualValues(entity, tables, left: layouts.left, right: layouts.right)
    try pages(tables.left(entity.left), entity, where: "1") { page in
      let rows = try snapshots(page.map(\.primaryKey), entity.left, left)
      let pairs = page.compactMap { pair in pair.match.map { (pair.primaryKey, $0) } }
      let others = try snapshots(pairs.map(\.1), entity.right, right)
      let members = try members(entity, pairs.compactMap { pair in rows[pair.0].map { ($0, pair.1) } })
      let targets = try targets(
        entity, pairs.compactMap { pair in rows[pair.0].flatMap { snapshot in others[pair.1].map { (snapshot, $0) } } })
      let stored = try unusual.differences(from: page[0].primaryKey, through: page[page.count - 1].primaryKey)
      var differences: [ObjectDifference] = []
      for (key, match) in page {
        guard let snapshot = rows[key] else { continue }
        guard let match, let other = others[match] else {
          differences.append(
            ObjectDifference(change: .deleted, object: leftKeys.key(of: snapshot), leftPrimaryKey: key))
          continue
        }
        let properties =
          Self.merging(
            compareAttributes(entity, snapshot, other) + (targets[key] ?? []), stored[key] ?? [])
          + (members[key] ?? [])
        if properties.isEmpty { continue }
        differences.append(
          ObjectDifference(
            change: .updated, object: leftKeys.key(of: snapshot), leftPrimaryKey: key, rightPrimaryKey: match,
            properties: properties))
      }
      for difference in differences { try body(difference) }
    }
    try pages(tables.right(entity.right), entity, where: "match IS NULL") { page in
      let rows = try snapshots(page.map(\.primaryKey), entity.right, right)
      for (key, _) in page {
        guard let snapshot = rows[key] else { continue }
        try body(ObjectDifference(change: .inserted, object: rightKeys.key(of: snapshot), rightPrimaryKey: key))
      }
    }
  }

  /// Walks the listed rows of an entity.
  private func pages(
    _ list: String, _ entity: ComparedEntity, where condition: String,
    _ body: ([(primaryKey: Int64, match: Int64?)]) throws -> Void
  ) throws {
    let statement = try Statement(
      tables.connection,
      "SELECT pk, match FROM \(list) WHERE pk > ?1 AND entity = \(entity.number) AND \(condition) ORDER BY pk LIMIT \(Self.pageSize)"
    )
    var last = Int64.min
    while true {
      try statement.bind(1, last)
      var page: [(primaryKey: Int64, match: Int64?)] = []
      while try statement.step() {
        page.append((statement.int64(at: 0), statement.isNull(at: 1) ? nil : statement.int64(at: 1)))
      }
      statement.reset()
      guard let end = page.last else { return }
      last = end.primaryKey
      try body(page)
    }
  }

  private func snapshots(_ keys: [Int64], _ entity: Entity, _ store: SQLiteStore) throws -> [Int64: Snapshot] {
    if keys.isEmpty { return [:] }
    var request = FetchSpecification(entity)
    request.includesSubentities = false
    request.predicate = .selfIsIn(keys.map { id($0, entity, store) })
    return Dictionary(
      try store.snapshots(request).map { ($0.objectID.primaryKey ?? 0, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func id(_ key: Int64, _ entity: Entity, _ store: SQLiteStore) -> ObjectID {
    ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: key))
  }

  // MARK: - Properties

  private func compareAttributes(
    _ entity: ComparedEntity, _ snapshot: Snapshot, _ other: Snapshot
  ) -> [PropertyDifference] {
    entity.attributes.compactMap { attribute in
      let (value, otherValue) = (snapshot.attributes[attribute.left], other.attributes[attribute.right])
      if value.isIdentical(to: otherValue) { return nil }
      return PropertyDifference(name: attribute.name, difference: .attribute(left: value, right: otherValue))
    }
  }

  /// Puts stored values in the place of those that were read, and at the end those that read as equal.
  private static func merging(
    _ read: [PropertyDifference], _ stored: [PropertyDifference]
  ) -> [PropertyDifference] {
    if stored.isEmpty { return read }
    let kept = read.map { difference in stored.first { $0.name == difference.name } ?? difference }
    let names = Set(kept.map(\.name))
    // A composite attribute that differs is told as a whole.
    return kept + stored.filter { !names.contains($0.name) && !names.contains(String($0.name.prefix { $0 != "." })) }
  }

  /// The to-one relationships that differ, by the primary key of their owner in the first store. The keys of where they
  /// lead are fetched together.
  private func targets(
    _ entity: ComparedEntity, _ pairs: [(snapshot: Snapshot, other: Snapshot)]
  ) throws -> [Int64: [PropertyDifference]] {
    var changes: [(owner: Int64, name: String, left: ObjectID?, right: ObjectID?)] = []
    for (snapshot, other) in pairs {
      for reference in entity.toOne {
        let (target, otherTarget) = (snapshot.toOne[reference.leftIndex], other.toOne[reference.rightIndex])
        if try isSame(target, otherTarget) { continue }
        changes.append((snapshot.objectID.primaryKey ?? 0, reference.name, target, otherTarget))
      }
    }
    let keys = try leftKeys.keys(of: changes.compactMap(\.left))
    let otherKeys = try rightKeys.keys(of: changes.compactMap(\.right))
    var differences: [Int64: [PropertyDifference]] = [:]
    for change in changes {
      differences[change.owner, default: []].append(
        PropertyDifference(
          name: change.name,
          difference: .toOne(left: change.left.flatMap { keys[$0] }, right: change.right.flatMap { otherKeys[$0] })))
    }
    return differences
  }

  private func isSame(_ target: ObjectID?, _ other: ObjectID?) throws -> Bool {
    guard let target, let other else { return target == nil && other == nil }
    return try counterpart(of: target) == other.primaryKey
  }

  /// The primary key in the second store of an object of the first; nil where it has none.
  private func counterpart(of id: ObjectID) throws -> Int64? {
    guard let key = id.primaryKey else { return nil }
    let root = id.entity.root.index
    let lookup: Statement
    if let known = lookups[root] {
      lookup = known
    } else {
      lookup = try Statement(
        tables.connection, "SELECT match FROM \(tables.left(id.entity)) WHERE pk = ?1", isPersistent: true)
      lookups[root] = lookup
    }
    defer { lookup.reset() }
    try lookup.bind(1, key)
    guard try lookup.step() else { return key }
    return lookup.isNull(at: 0) ? nil : lookup.int64(at: 0)
  }

  // MARK: - Members

  /// The to-many relationships that differ, by the primary key of their owner in the first store.
  private func members(
    _ entity: ComparedEntity, _ pairs: [(snapshot: Snapshot, match: Int64)]
  ) throws -> [Int64: [PropertyDifference]] {
    var differences: [Int64: [PropertyDifference]] = [:]
    for reference in entity.toMany {
      let lists = try left.members(of: pairs.map(\.snapshot.objectID), relationship: reference.left)
      let others = try right.members(of: pairs.map { id($0.match, entity.right, right) }, relationship: reference.right)
      for (pair, (members, otherMembers)) in zip(pairs, zip(lists, others)) {
        let isOrdered = reference.left.isOrdered && reference.right.isOrdered
        guard let difference = try compare(members, otherMembers, isOrdered: isOrdered) else { continue }
        differences[pair.snapshot.objectID.primaryKey ?? 0, default: []].append(
          .init(name: reference.name, difference: difference))
      }
    }
    return differences
  }

  private func compare(
    _ members: [ObjectID], _ others: [ObjectID], isOrdered: Bool
  ) throws -> PropertyDifference.Difference? {
    let counterparts = try members.map { try counterpart(of: $0) }
    let otherKeys = others.map { $0.primaryKey ?? 0 }
    let (known, otherKnown) = (Set(counterparts.compactMap(\.self)), Set(otherKeys))
    let removed = zip(members, counterparts).filter { $1.map { !otherKnown.contains($0) } ?? true }.map(\.0)
    let added = others.filter { !known.contains($0.primaryKey ?? 0) }
    let kept = counterparts.compactMap { $0.flatMap { otherKnown.contains($0) ? $0 : nil } }
    let isReordered = isOrdered && kept != otherKeys.filter(known.contains)
    if removed.isEmpty && added.isEmpty && !isReordered { return nil }
    let (removedKeys, addedKeys) = (try leftKeys.keys(of: removed), try rightKeys.keys(of: added))
    return .toMany(
      removed: removed.compactMap { removedKeys[$0] }, added: added.compactMap { addedKeys[$0] },
      isReordered: isReordered)
  }
}
