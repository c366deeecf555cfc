import CoreDataLayout
import ObjectModel
import Pipelines
import StoreInterface

/// Writes references that were resolved after their rows: in batches where a foreign key or a join row says it all,
/// through the object graph where the other side changes too.
struct ReferenceApplier {
  private let store: SQLiteStore
  /// Builds the indexes that were left out, before members are looked up by their foreign keys.
  private let buildIndexes: () throws -> Void
  /// Sets relationships through the object graph.
  private let relate: (Relationship, [(row: RowReference, destination: RowReference)]) throws -> Void
  private struct Target: Hashable {
    var entity: Int
    var relationship: String
    var isStored: Bool
  }
  private var waiting: [Target: [(row: RowReference, destination: RowReference)]] = [:]
  private var order: [Target] = []
  private static let batchSize = 4096

  init(
    store: SQLiteStore, buildIndexes: @escaping () throws -> Void,
    relate: @escaping (Relationship, [(row: RowReference, destination: RowReference)]) throws -> Void
  ) {
    self.store = store
    self.buildIndexes = buildIndexes
    self.relate = relate
  }

  mutating func apply(_ reference: ReferencePlan, row: RowReference, destination: RowReference) throws {
    let target = Target(
      entity: row.entityIndex, relationship: reference.property, isStored: reference.isStored)
    if waiting[target] == nil { order.append(target) }
    // A list is not divided: its pairs stand together.
    if waiting[target, default: []].count >= Self.batchSize, waiting[target]?.last?.row != row { try flush(target) }
    waiting[target, default: []].append((row, destination))
  }

  mutating func flush() throws {
    for target in order { try flush(target) }
  }

  private mutating func flush(_ target: Target) throws {
    let pairs = waiting[target, default: []]
    waiting[target] = []
    guard !pairs.isEmpty,
      let relationship = store.model.entities[target.entity].relationship(target.relationship)
    else { return }
    let inverse = relationship.inverse
    let changesOtherSide = inverse.map { !$0.isToMany } ?? false
    if target.isStored, relationship.isToMany {
      if relationship.isOrdered { try buildIndexes() }
      try store.link(
        relationship, pairs: pairs.map { (owner: $0.row.primaryKey, destination: $0.destination.primaryKey) },
        replacing: relationship.isOrdered)
    } else if target.isStored {
      try update(relationship, pairs)
    } else if changesOtherSide || (relationship.isToMany && relationship.isOrdered) {
      try buildIndexes()
      try relate(relationship, pairs)
    } else if relationship.isToMany {
      try store.link(
        relationship, pairs: pairs.map { (owner: $0.row.primaryKey, destination: $0.destination.primaryKey) },
        replacing: false)
    } else {
      try update(relationship, pairs)
    }
  }

  private func update(_ relationship: Relationship, _ pairs: [(row: RowReference, destination: RowReference)]) throws {
    var columns = [RowBatch.Column(.toOne(relationship.name), .integer)]
    if !relationship.destination.subentities.isEmpty {
      columns.append(RowBatch.Column(.toOneEntity(relationship.name), .integer))
    }
    let batch = RowBatch(entity: relationship.entity, columns: columns, capacity: pairs.count)
    batch.count = pairs.count
    for (row, pair) in pairs.enumerated() {
      unsafe batch.integers(0)[row] = pair.destination.primaryKey
      unsafe batch.states[0][row] = RowBatch.State.value.rawValue
      if columns.count > 1 {
        unsafe batch.integers(1)[row] = Int64(pair.destination.entityIndex)
        unsafe batch.states[1][row] = RowBatch.State.value.rawValue
      }
    }
    try store.complete(batch, primaryKeys: pairs.map(\.row.primaryKey))
  }
}
