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
  /// - Parameter isWritten: whether the row's values were written to its object. An object that keeps its own values is
  ///   entered under its record's key alone.
  func register(_ node: DecodedNode, isWritten: (Int) -> Bool = { _ in true }) {
    recordObjects.note(node)
    for (id, table) in tables(for: node.plan.entity) where !id.isByRecordKey {
      register(node, in: table, by: id, where: isWritten)
    }
    for row in node.primaryKeys.indices where node.primaryKeys[row] != 0 {
      registerRecordKey(of: node, row: row, as: node.reference(ofRow: row))
    }
  }

  /// Enters an object under the key of its record.
  func registerRecordKey(of node: DecodedNode, row: Int, as object: RowReference) {
    unsafe forRecordKey(of: node, row: row) { table, key in unsafe table.register(object, for: key) }
  }

  private func forRecordKey(of node: DecodedNode, row: Int, _ body: (KeyTable, UnsafeRawBufferPointer) -> Void) {
    guard node.plan.recordKey != nil, node.recordKeys.entries[row].state == .value else { return }
    for (id, table) in tables(for: node.plan.entity) where id.isByRecordKey {
      unsafe node.recordKeys.withKey(node.recordKeys.entries[row]) { unsafe body(table, $0) }
    }
  }

  /// Takes rows of a node out again that were registered but not written.
  func unregister(_ node: DecodedNode, where isDropped: (Int) -> Bool) {
    for (id, table) in tables(for: node.plan.entity) where !id.isByRecordKey {
      unsafe forKeys(of: node, by: id, where: isDropped) { row, key in
        unsafe table.remove(node.reference(ofRow: row), for: key)
      }
    }
    for row in node.primaryKeys.indices where isDropped(row) {
      unsafe forRecordKey(of: node, row: row) { table, key in
        unsafe table.remove(node.reference(ofRow: row), for: key)
      }
    }
  }

  /// Enters rows of a node under their attributes' values.
  private func register(
    _ node: DecodedNode, in table: KeyTable, by id: KeyTableID, where isWritten: (Int) -> Bool
  ) {
    let batch = node.batch
    if id.attributes.count == 1,
      let column = batch.columns.firstIndex(where: { $0.source == .attribute(id.attributes[0]) }),
      batch.columns[column].storage == .bytes
    {
      // A key of one text is its bytes.
      // Safety: states stay where they are as long as the batch lives; a table copies the keys that it takes.
      let states = unsafe batch.states[column]
      for row in 0..<batch.count
      where unsafe node.primaryKeys[row] != 0 && states[row] == RowBatch.State.value.rawValue && isWritten(row) {
        unsafe table.register(node.reference(ofRow: row), for: batch.cellBytes(column, row))
      }
      return
    }
    unsafe forKeys(of: node, by: id, where: { node.primaryKeys[$0] != 0 && isWritten($0) }) { row, key in
      unsafe table.register(node.reference(ofRow: row), for: key)
    }
  }

  /// Gives the keys of some rows of a node that are complete.
  private func forKeys(
    of node: DecodedNode, by id: KeyTableID, where isWanted: (Int) -> Bool,
    _ body: (Int, UnsafeRawBufferPointer) -> Void
  ) {
    let columns = id.attributes.compactMap { name in
      node.batch.columns.firstIndex { $0.source == .attribute(name) }
    }
    guard columns.count == id.attributes.count else { return }
    var key: [UInt8] = []
    for row in 0..<node.batch.count where isWanted(row) {
      key.removeAll(keepingCapacity: true)
      guard KeyEncoding.append(columns, of: node.batch, row: row, to: &key) == .key else { continue }
      unsafe key.withUnsafeBytes { unsafe body(row, $0) }
    }
  }
}
