import CoreDataLayout
import ObjectModel
import SeedFormats
import StoreInterface

/// Writing new objects only, past the object graph.
extension StepRun {
  /// Writes a batch whose records a worker has encoded, unless rows have been dropped since.
  /// - Returns: false when the batch has to be written the long way.
  func writeEncoded(_ decoded: DecodedBatch) throws -> Bool {
    guard let rows = decoded.encoded, let preparation else { return false }
    decoded.encoded = nil
    defer { preparation.recycle(rows) }
    let node = decoded.root
    guard rows.count == node.batch.count, session.store.isPageLoading else { return false }
    if rows.count == 0 { return true }
    let first = try session.store.reservePrimaryKeys(rows.count, for: node.plan.entity)
    guard try enterKeys(of: node, first: first) else { return false }
    try session.store.insert(rows, of: node.batch, firstKey: first)
    report.counts.inserted += rows.count
    return true
  }

  /// The key table whose keys are the step's match keys, where there is one.
  var matchTable: KeyTable? {
    let properties = plan.root.match.compactMap { part -> String? in
      guard case .attribute(let column) = part else { return nil }
      return plan.root.columns[column].source.propertyName
    }
    guard properties.count == plan.root.match.count, !properties.isEmpty else { return nil }
    return session.tables.tables(for: plan.root.entity).first {
      !$0.id.isByRecordKey && $0.id.attributes == properties
    }?
    .table
  }

  /// Enters new rows under their keys.
  /// - Returns: false when the step reads its source only once and a match key is incomplete or not new.
  private func enterKeys(of node: DecodedNode, first: Int64) throws -> Bool {
    if isOnePassAttempt, let seen {
      var key: [UInt8] = []
      for row in 0..<node.batch.count {
        key.removeAll(keepingCapacity: true)
        guard PayloadKey.append(node, row: row, to: &key) == .key else { return false }
        let before = seen.count
        unsafe key.withUnsafeBytes { unsafe seen.register(RowReference(primaryKey: 1, entityIndex: 0), for: $0) }
        if seen.count == before { return false }
      }
    }
    if session.tables.tables(for: node.plan.entity).isEmpty { return true }
    let table = isOnePassAttempt ? matchTable : nil
    let before = table?.count ?? 0
    node.primaryKeys = (0..<Int64(node.batch.count)).map { first + $0 }
    session.tables.register(node)
    return table.map { $0.count - before == node.batch.count } ?? true
  }

  func writeBulk(_ decoded: DecodedBatch, isFinal: Bool) throws {
    if try writeEncoded(decoded) { return }
    decoded.refuseIncomplete { _ in true }
    decoded.dropProblemRows()
    if report.strategy != .restore {
      decoded.refuseMissingDestinations { _ in true }
      decoded.dropProblemRows()
    }
    if report.strategy == .upsert {
      // No primary key is given to a record that is refused for its references, as when rows are inserted.
      _ = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
      decoded.dropProblemRows()
    }
    try bulk.assignKeys(decoded.root)
    var unresolved: [UnresolvedReference] = []
    while true {
      let before = decoded.problems.count
      unresolved = session.resolver.resolve(decoded, isFinal: isFinal, isProvisional: session.isProvisional)
      if decoded.problems.count == before { break }
      // A record was refused after its rows had entered the key tables: others must not find them.
      unregister(decoded.root, decoded)
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in decoded.problems.keys { good[record] = false }
      dropKeys(decoded.root, good: good)
      decoded.root.keep(records: good)
    }
    let waiting = session.waitingRows(of: decoded, unresolved: unresolved)
    if !waiting.isEmpty {
      unresolved = session.resolver.resolve(decoded, isFinal: isFinal) { row in
        waiting.contains(session.rootReference(row)) || session.isProvisional(row)
      }
    }
    try bulk.write(decoded.root)
    report.counts.inserted += decoded.root.batch.count
    for child in decoded.root.children { countNested(child) }
    try keepPending(unresolved, decoded)
  }

  private func countNested(_ node: DecodedNode) {
    report.nestedInserted += node.batch.count
    for child in node.children { countNested(child) }
  }

  private func unregister(_ node: DecodedNode, _ decoded: DecodedBatch) {
    session.tables.unregister(node) { row in
      decoded.problems[Int(node.records[row])] != nil
    }
    for child in node.children { unregister(child, decoded) }
  }

  private func dropKeys(_ node: DecodedNode, good: [Bool]) {
    node.primaryKeys = zip(node.primaryKeys, node.records).compactMap { good[Int($1)] ? $0 : nil }
    for child in node.children { dropKeys(child, good: good) }
  }
}
