import ObjectModel
import StoreInterface

/// The columns that hold the properties of one concrete entity's snapshots, in the order in which they are written.
/// Derived attributes have none: the store computes them itself, and the value in a snapshot may be out of date.
struct SnapshotColumns {
  /// The property of a column, by its position in the entity.
  enum Source {
    case attribute(Int, RowPlan.Kind)
    /// An element of a composite attribute, by the position of its path in `paths`, so that this value holds no
    /// references.
    case element(Int, path: Int, RowPlan.Kind)
    case toOneKey(Int)
    case toOneEntity(Int)
  }

  /// The name in the table, and what the column is in a row batch.
  private(set) var columns: [(name: String, source: Source, inBatch: RowBatch.Column)] = []
  /// The paths of elements inside their composite attributes.
  private(set) var paths: [[String]] = []

  init(_ entity: Entity, layout: StoreLayout) {
    for (position, attribute) in entity.attributes.enumerated()
    where !attribute.isTransient && attribute.derivation == nil {
      for leaf in StoredAttribute.leaves(of: attribute) {
        guard let column = layout.column(for: leaf.path, of: entity), let kind = try? RowPlan.kind(of: leaf.attribute)
        else { continue }
        let path = Array(leaf.names.dropFirst())
        columns.append(
          (
            column.name, path.isEmpty ? .attribute(position, kind) : .element(position, path: paths.count, kind),
            .init(.attribute(leaf.path), RowPlan.storage(of: kind))
          ))
        if !path.isEmpty { paths.append(path) }
      }
    }
    for (position, relationship) in entity.relationships.enumerated() where !relationship.isToMany {
      guard let key = layout.foreignKeyColumn(of: relationship) else { continue }
      columns.append((key.name, .toOneKey(position), .init(.toOne(relationship.name), .integer)))
      if let column = layout.entityColumn(of: relationship) {
        columns.append((column.name, .toOneEntity(position), .init(.toOneEntity(relationship.name), .integer)))
      }
    }
  }
}
