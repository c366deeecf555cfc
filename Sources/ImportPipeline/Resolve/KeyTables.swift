import ObjectModel
import StoreInterface

/// The key tables of a run: for every entity and attribute list that some step refers to.
final class KeyTables {
  private(set) var tables: [KeyTableID: KeyTable] = [:]
  /// Tables that hold objects of an entity, with the attributes' names, by entity index.
  private var byEntity: [Int: [(id: KeyTableID, table: KeyTable)]] = [:]

  init(plans: [StepPlan]) {
    func visit(_ node: NodePlan) {
      for reference in node.references where tables[reference.table] == nil {
        tables[reference.table] = KeyTable()
      }
      node.children.forEach { visit($0.node) }
    }
    plans.forEach { visit($0.root) }
  }

  var isEmpty: Bool { tables.isEmpty }

  subscript(id: KeyTableID) -> KeyTable? { tables[id] }

  /// The tables in which an object of the entity stands.
  func tables(for entity: Entity) -> [(id: KeyTableID, table: KeyTable)] {
    if let known = byEntity[entity.index] { return known }
    let found = tables.filter { entity.isKind(of: $0.key.entity) }.map { (id: $0.key, table: $0.value) }
      .sorted { ($0.id.entity.name, $0.id.attributes.joined()) < ($1.id.entity.name, $1.id.attributes.joined()) }
    byEntity[entity.index] = found
    return found
  }

  /// Enters the rows of a batch under their keys.
  func register(_ batch: RowBatch, primaryKeys: [Int64]) {
    for (id, table) in tables(for: batch.entity) {
      let columns = id.attributes.compactMap { name in
        batch.columns.firstIndex { $0.source == .attribute(name) }
      }
      guard columns.count == id.attributes.count else { continue }
      var key: [UInt8] = []
      for row in 0..<batch.count where primaryKeys[row] != 0 {
        key.removeAll(keepingCapacity: true)
        guard KeyEncoding.append(columns, of: batch, row: row, to: &key) == .key else { continue }
        unsafe key.withUnsafeBytes { bytes in
          unsafe table.register(
            KeyTable.Row(primaryKey: primaryKeys[row], entityIndex: batch.entity.index), for: bytes)
        }
      }
    }
  }

  /// Takes rows out again that were registered but not written.
  func unregister(_ batch: RowBatch, primaryKeys: [Int64], where isDropped: (Int) -> Bool) {
    for (id, table) in tables(for: batch.entity) {
      let columns = id.attributes.compactMap { name in
        batch.columns.firstIndex { $0.source == .attribute(name) }
      }
      guard columns.count == id.attributes.count else { continue }
      var key: [UInt8] = []
      for row in 0..<batch.count where isDropped(row) {
        key.removeAll(keepingCapacity: true)
        guard KeyEncoding.append(columns, of: batch, row: row, to: &key) == .key else { continue }
        unsafe key.withUnsafeBytes { bytes in
          unsafe table.remove(
            KeyTable.Row(primaryKey: primaryKeys[row], entityIndex: batch.entity.index), for: bytes)
        }
      }
    }
  }
}
