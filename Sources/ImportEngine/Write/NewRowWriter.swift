import CoreDataLayout
import Pipelines
import SeedFormats
import StoreInterface

/// Writes batches of new objects without the object graph, for bulk steps, steps that restore, and the records of an
/// upsert that are known to be new.
final class NewRowWriter {
  /// The work of decode workers beyond decoding; nil where each batch is resolved and encoded here.
  var preparation: BulkPreparation?
  private let scope: StepScope
  private let rules: NewRowRules
  private let inserter: RowTreeInserter
  private var session: ImportSession { scope.session }

  init(_ scope: StepScope, rules: NewRowRules) {
    self.scope = scope
    self.rules = rules
    inserter = RowTreeInserter(target: scope.session.target, tables: scope.session.tables)
  }

  /// Writes a batch in a transaction of its own.
  /// - Parameter arrivals: what may still come that its records refer to.
  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws {
    try session.target.inTransaction {
      if try !writeEncoded(decoded) { try insert(decoded, arrivals) }
    }
    try scope.rejects.emit(of: decoded)
  }

  /// Writes a batch whose records a worker has encoded, unless rows have been dropped since.
  /// - Parameter matchKeys: is told the keys of the rows, where they are watched.
  /// - Returns: false when the batch has to be written the long way, or a watched key is incomplete or not new.
  func writeEncoded(_ decoded: DecodedBatch, watching matchKeys: MatchKeyWatch? = nil) throws -> Bool {
    guard let rows = decoded.encoded, let preparation else { return false }
    decoded.encoded = nil
    defer { preparation.recycle(rows) }
    let node = decoded.root
    guard rows.count == node.batch.count, let pages = session.target.pages, pages.isPageLoading else { return false }
    if rows.count == 0 { return true }
    let first = try session.target.reservePrimaryKeys(rows.count, for: node.plan.entity)
    guard enterKeys(of: node, first: first, matchKeys) else { return false }
    try pages.insert(rows, of: node.batch, firstKey: first)
    scope.count(StepOutcomes(inserted: rows.count))
    return true
  }

  /// Enters new rows under their keys.
  private func enterKeys(of node: DecodedNode, first: Int64, _ matchKeys: MatchKeyWatch?) -> Bool {
    if let matchKeys, !matchKeys.enter(node) { return false }
    if session.tables.tables(for: node.plan.entity).isEmpty, !session.tables.recordObjects.watches(node.plan.entity) {
      return true
    }
    let before = matchKeys?.table?.count ?? 0
    node.numberRows(from: first)
    session.tables.register(node)
    return matchKeys?.table.map { $0.count - before == node.batch.count } ?? true
  }

  /// Resolves the references of a batch and inserts its rows.
  private func insert(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws {
    rules.refuseUnfit(decoded)
    if rules.resolvesBeforeKeys {
      _ = session.resolver.resolve(decoded, arrivals, isProvisional: session.pendingReferences.isProvisional)
      decoded.dropProblemRows()
    }
    try inserter.assignKeys(decoded.root)
    var unresolved: [UnresolvedReference] = []
    while true {
      let before = decoded.problems.count
      unresolved = session.resolver.resolve(
        decoded, arrivals, isProvisional: session.pendingReferences.isProvisional)
      if decoded.problems.count == before { break }
      // The rows of a refused record are removed from the key tables, so that other records do not find them.
      unregister(decoded.root, decoded)
      var good = [Bool](repeating: true, count: decoded.records.count)
      for record in decoded.problems.keys { good[record] = false }
      decoded.root.keepPrimaryKeys(records: good)
      decoded.root.keep(records: good)
    }
    let waiting = session.pendingReferences.waitingRows(of: decoded, unresolved: unresolved)
    if !waiting.isEmpty {
      unresolved = session.resolver.resolve(decoded, arrivals) { row in
        waiting.contains(session.pendingReferences.rootReference(row)) || session.pendingReferences.isProvisional(row)
      }
    }
    try inserter.write(decoded.root)
    let count = decoded.root.batch.count
    scope.count(StepOutcomes(inserted: count, nestedInserted: decoded.root.rowCount - count))
    try scope.keepPending(unresolved, of: decoded)
  }

  private func unregister(_ node: DecodedNode, _ decoded: DecodedBatch) {
    session.tables.unregister(node) { row in
      decoded.problems[Int(node.records[row])] != nil
    }
    for child in node.children { unregister(child, decoded) }
  }
}
