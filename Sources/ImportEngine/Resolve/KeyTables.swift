import ObjectModel
import Pipelines
import StoreInterface

/// The key tables of a run: for every entity and attribute list that some step refers to.
///
/// The run's thread alone changes them, and never one that workers look into meanwhile (`BulkPreparation`), which is
/// what makes the unchecked `Sendable` sound.
final class KeyTables: @unchecked Sendable {
  private(set) var tables: [KeyTableID: KeyTable] = [:]
  /// Tables that hold objects of an entity, with the attributes' names, by entity index.
  private var byEntity: [Int: [(id: KeyTableID, table: KeyTable)]] = [:]
  /// The last step that looks into each table.
  private var lastUse: [KeyTableID: Int] = [:]
  /// The objects that must stay whatever becomes of their owners.
  let recordObjects: RecordObjects

  /// - Parameter memory: where all of them keep their entries.
  init(plans: [StepPlan], memory: KeyMemory) {
    recordObjects = RecordObjects(plans: plans)
    for (step, plan) in plans.enumerated() {
      for reference in plan.nodes.flatMap(\.references) {
        if tables[reference.table] == nil { tables[reference.table] = KeyTable(memory: memory) }
        lastUse[reference.table] = step
      }
    }
  }

  /// Gives up the tables that no later step looks into.
  func release(after step: Int) {
    tables = tables.filter { lastUse[$0.key, default: 0] > step }
    byEntity = [:]
  }

  var isEmpty: Bool { tables.isEmpty }

  subscript(id: KeyTableID) -> KeyTable? { tables[id] }

  /// The tables in which an object of the entity stands.
  func tables(for entity: Entity) -> [(id: KeyTableID, table: KeyTable)] {
    if let known = byEntity[entity.index] { return known }
    let found = tables.filter { entity.isKind(of: $0.key.entity) }.map { (id: $0.key, table: $0.value) }
      .sorted { $0.id.title < $1.id.title }
    byEntity[entity.index] = found
    return found
  }

  /// Enters the rows of a node under their keys, their records' included.
  func register(_ node: DecodedNode) {
    recordObjects.note(node)
    register(node.batch, primaryKeys: node.primaryKeys)
    for row in node.primaryKeys.indices where node.primaryKeys[row] != 0 {
      registerRecordKey(of: node, row: row, primaryKey: node.primaryKeys[row])
    }
  }

  /// Enters an object under the key of its record.
  func registerRecordKey(of node: DecodedNode, row: Int, primaryKey: Int64) {
    unsafe forRecordKey(of: node, row: row) { table, key in
      unsafe table.register(
        RowReference(primaryKey: primaryKey, entityIndex: node.plan.entity.index), for: key)
    }
  }

  private func forRecordKey(of node: DecodedNode, row: Int, _ body: (KeyTable, UnsafeRawBufferPointer) -> Void) {
    guard node.plan.recordKey != nil, node.recordKeys.entries[row].state == .value else { return }
    for (id, table) in tables(for: node.plan.entity) where id.isByRecordKey {
      unsafe node.recordKeys.withKey(node.recordKeys.entries[row]) { unsafe body(table, $0) }
    }
  }

  /// Takes rows of a node out again that were registered but not written.
  func unregister(_ node: DecodedNode, where isDropped: (Int) -> Bool) {
    unregister(node.batch, primaryKeys: node.primaryKeys, where: isDropped)
    for row in node.primaryKeys.indices where isDropped(row) {
      unsafe forRecordKey(of: node, row: row) { table, key in
        unsafe table.remove(
          RowReference(primaryKey: node.primaryKeys[row], entityIndex: node.plan.entity.index), for: key)
      }
    }
  }

  /// Enters the rows of a batch under their attributes' values.
  func register(_ batch: RowBatch, primaryKeys: [Int64]) {
    for (id, table) in tables(for: batch.entity) where !id.isByRecordKey {
      let columns = id.attributes.compactMap { name in
        batch.columns.firstIndex { $0.source == .attribute(name) }
      }
      guard columns.count == id.attributes.count else { continue }
      if columns.count == 1, batch.columns[columns[0]].storage == .bytes {
        register(texts: columns[0], of: batch, primaryKeys, in: table)
        continue
      }
      var key: [UInt8] = []
      for row in 0..<batch.count where primaryKeys[row] != 0 {
        key.removeAll(keepingCapacity: true)
        guard KeyEncoding.append(columns, of: batch, row: row, to: &key) == .key else { continue }
        unsafe key.withUnsafeBytes { bytes in
          unsafe table.register(
            RowReference(primaryKey: primaryKeys[row], entityIndex: batch.entity.index), for: bytes)
        }
      }
    }
  }

  /// A key of one text is its bytes.
  private func register(texts column: Int, of batch: RowBatch, _ primaryKeys: [Int64], in table: KeyTable) {
    // Safety: states stay where they are as long as the batch lives; a table copies the keys that it takes.
    let states = unsafe batch.states[column]
    let entity = batch.entity.index
    for row in 0..<batch.count where unsafe primaryKeys[row] != 0 && states[row] == RowBatch.State.value.rawValue {
      unsafe table.register(
        RowReference(primaryKey: primaryKeys[row], entityIndex: entity), for: batch.cellBytes(column, row))
    }
  }

  private func unregister(_ batch: RowBatch, primaryKeys: [Int64], where isDropped: (Int) -> Bool) {
    for (id, table) in tables(for: batch.entity) where !id.isByRecordKey {
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
            RowReference(primaryKey: primaryKeys[row], entityIndex: batch.entity.index), for: bytes)
        }
      }
    }
  }
}
