import ObjectModel

/// The rows that may still be rejected, as they are when a reading begins.
struct ProvisionalRows: Sendable {
  /// The rows, each as a `RowReference` of the root entity's table.
  private let rows: RootRows
  /// Model index of each entity's root.
  private let roots: [Int]

  var isEmpty: Bool { rows.isEmpty }

  /// - Parameter rows: as `RowReference` of the root entity's table.
  init(_ rows: RootRows, model: ManagedObjectModel) {
    self.rows = rows
    roots = model.entities.map(\.root.index)
  }

  func contains(_ row: RowReference) -> Bool {
    !rows.isEmpty
      && rows.contains(RowReference(primaryKey: row.primaryKey, entityIndex: roots[row.entityIndex]).rawValue)
  }
}
