import Pipelines
import StoreInterface

/// Watches that no match key comes twice while rows are written as they are read.
struct MatchKeyWatch {
  /// The key table whose keys are the step's match keys, where other records look for its objects by them: a row that
  /// does not add a key to it repeats one.
  let table: KeyTable?
  /// Otherwise the keys themselves.
  private let keys: KeyTable?

  init(_ plan: StepPlan, session: ImportSession) {
    table = plan.matchTable(in: session.tables)
    keys = table == nil ? KeyTable(memory: session.keyMemory) : nil
  }

  /// Enters the keys of a batch, unless the key table watches them.
  /// - Returns: false when one is incomplete or not new.
  func enter(_ node: DecodedNode) -> Bool {
    guard let keys else { return true }
    var key: [UInt8] = []
    for row in 0..<node.batch.count {
      key.removeAll(keepingCapacity: true)
      guard MatchKey.append(node, row: row, to: &key) == .key else { return false }
      let before = keys.count
      unsafe key.withUnsafeBytes { unsafe keys.register(RowReference(primaryKey: 1, entityIndex: 0), for: $0) }
      if keys.count == before { return false }
    }
    return true
  }
}

extension StepPlan {
  /// The key table whose keys are the step's match keys, where there is one.
  fileprivate func matchTable(in tables: KeyTables) -> KeyTable? {
    guard let attributes = root.matchAttributes, !attributes.isEmpty else { return nil }
    return tables.tables(for: root.entity).first { !$0.id.isByRecordKey && $0.id.attributes == attributes }?.table
  }
}
