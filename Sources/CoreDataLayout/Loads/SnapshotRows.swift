import ObjectModel
import StoreInterface

/// Makes batches of the snapshots of new objects of one entity, so that they can be written as finished pages. The rows
/// are those that `SnapshotWriter` inserts.
final class SnapshotRows {
  /// A column's property, by its position in the entity.
  private enum Source {
    case attribute(Int, RowPlan.Kind)
    /// An element of a composite attribute.
    case element(Int, path: [String], RowPlan.Kind)
    case destination(Int)
    case destinationEntity(Int)
  }

  /// The rows of the last snapshots.
  let batch: RowBatch
  /// Their primary keys.
  private(set) var primaryKeys: [Int64] = []
  private let sources: [Source]

  init(_ entity: Entity, layout: StoreLayout, capacity: Int) {
    var sources: [Source] = []
    var columns: [RowBatch.Column] = []
    // The store computes derived values itself.
    for (position, attribute) in entity.attributes.enumerated()
    where !attribute.isTransient && attribute.derivation == nil {
      for leaf in StoredAttribute.leaves(of: attribute) {
        guard layout.column(for: leaf.path, of: entity) != nil, let kind = try? RowPlan.kind(of: leaf.attribute) else {
          continue
        }
        let path = Array(leaf.names.dropFirst())
        sources.append(path.isEmpty ? .attribute(position, kind) : .element(position, path: path, kind))
        columns.append(.init(.attribute(leaf.path), RowPlan.storage(of: kind)))
      }
    }
    for (position, relationship) in entity.relationships.enumerated()
    where !relationship.isToMany && layout.foreignKeyColumn(of: relationship) != nil {
      sources.append(.destination(position))
      columns.append(.init(.toOne(relationship.name), .integer))
      if layout.entityColumn(of: relationship) != nil {
        sources.append(.destinationEntity(position))
        columns.append(.init(.toOneEntity(relationship.name), .integer))
      }
    }
    self.sources = sources
    batch = RowBatch(entity: entity, columns: columns, capacity: capacity)
  }

  /// Replaces the rows by those of some snapshots, which are not more than the capacity.
  /// - Throws: `StoreError.failure` for a value that does not fit its attribute's type.
  func fill(_ snapshots: [Snapshot], _ range: Range<Int>) throws {
    batch.removeAll()
    primaryKeys.removeAll(keepingCapacity: true)
    // Nothing is left of these rows when a value is refused.
    batch.count = range.count
    for (column, source) in sources.enumerated() {
      for position in range { try set(snapshots, position, source, column, row: position - range.lowerBound) }
    }
    for position in range { primaryKeys.append(snapshots[position].objectID.primaryKey ?? 0) }
  }

  private func set(_ snapshots: [Snapshot], _ position: Int, _ source: Source, _ column: Int, row: Int) throws {
    switch source {
    case .attribute(let attribute, let kind):
      try set(snapshots[position].attribute(attribute), kind, column, row)
    case .element(let attribute, let path, let kind):
      try set(snapshots[position].attribute(attribute).element(at: path), kind, column, row)
    case .destination(let relationship):
      setNumber(snapshots[position].destination(relationship)?.primaryKey, column, row)
    case .destinationEntity(let relationship):
      setNumber(snapshots[position].destination(relationship).map { Int64($0.space.entityIndex) }, column, row)
    }
  }

  private func set(_ value: Value, _ kind: RowPlan.Kind, _ column: Int, _ row: Int) throws {
    guard ValueCoding.fits(value, kind), batch.set(value, column: column, row: row) else {
      throw StoreError.failure("\(value) does not fit its attribute's type")
    }
  }

  private func setNumber(_ number: Int64?, _ column: Int, _ row: Int) {
    // Safety: the columns of destinations hold integers, and the row is under the batch's count.
    guard let number else {
      unsafe batch.states[column][row] = RowBatch.State.null.rawValue
      return
    }
    unsafe batch.integers(column)[row] = number
    unsafe batch.states[column][row] = RowBatch.State.value.rawValue
  }
}
