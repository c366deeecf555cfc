import CoreDataLayout
import ObjectModel
import Pipelines
import StoreInterface

/// Looks for the stored rows that the records of a batch are about, and for the destinations of their references, while
/// nothing is written.
struct StoredRowLookup: Sendable {
  /// Whether decode workers can do it, because the key tables that it looks into stay as they are: none has objects of
  /// the step's own entity.
  let isFree: Bool
  private let comparison: RowComparison
  private let changeShape: RowShape?
  private let encoded = ReusePool<EncodedRows> { EncodedRows() }
  private let resolver: ReferenceResolver
  private let provisional: ProvisionalRows

  /// - Parameter changes: how rows are encoded that differ from the stored ones.
  init(
    _ comparison: RowComparison, changes: RowShape?, _ plan: StepPlan, resolver: ReferenceResolver,
    provisional: ProvisionalRows
  ) {
    self.comparison = comparison
    changeShape = changes
    isFree = plan.root.references.allSatisfy { $0.table.entity.root != plan.root.entity.root }
    self.resolver = resolver
    self.provisional = provisional
  }

  /// One worker's part; it is used by one thread at a time.
  func makeWorker() -> Worker { Worker(self) }

  /// Takes encoded changes back when they have been taken up.
  func recycle(_ changes: EncodedRows) { encoded.put(changes) }

  final class Worker {
    private let lookup: StoredRowLookup
    private let rows: RowComparison.Worker
    private let encoder: RowEncoder?

    fileprivate init(_ lookup: StoredRowLookup) {
      self.lookup = lookup
      rows = lookup.comparison.makeWorker()
      encoder = lookup.changeShape.flatMap { RowEncoder($0) }
    }

    func find(_ decoded: DecodedBatch) throws -> LookedUpRows {
      let unresolved = lookup.resolver.resolve(
        decoded, mayBeProvisional: !lookup.provisional.isEmpty,
        isProvisional: lookup.provisional.contains)
      let found = try rows.find(decoded.root.batch)
      return LookedUpRows(unresolved: unresolved, found: found, changes: encodeChanges(decoded.root.batch, found))
    }

    private func encodeChanges(_ batch: RowBatch, _ found: RowComparison.Found) -> EncodedRows? {
      guard let encoder else { return nil }
      let different = found.findings.indices.filter { found.findings[$0] == .different }
      if different.isEmpty { return nil }
      let changes = lookup.encoded.checkOut()
      // A value that no column can hold is reported where the record is written by itself.
      guard (try? encoder.encode(different, of: batch, into: changes)) != nil else { return nil }
      return changes
    }
  }
}
