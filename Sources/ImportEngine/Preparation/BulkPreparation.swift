import CoreDataLayout
import ObjectModel
import Pipelines

/// What a decode worker does for a batch of new rows beyond decoding: look up its references and encode its records.
///
/// Only steps without references to their own entity have it: the key tables that they look into stay as they are while
/// they run. Everything else is done batch after batch on the run's thread.
struct BulkPreparation: Sendable {
  private let shape: RowShape
  private let resolver: ReferenceResolver
  private let provisional: ProvisionalRows
  private let hasMatch: Bool
  private let rows = ReusePool<EncodedRows> { EncodedRows() }

  /// - Returns: nil where the batches of this step depend on one another.
  init?(
    _ plan: StepPlan, pages: (any PageTarget)?, resolver: ReferenceResolver, provisional: ProvisionalRows
  ) throws {
    let root = plan.root
    guard root.children.isEmpty, root.recordKey == nil, plan.step.onMatch != .replace,
      !root.references.contains(where: { reference in
        reference.relationship.isToMany || reference.orderColumn != nil || reference.waitsForAll
          || root.entity.isKind(of: reference.table.entity)
      }),
      let shape = try pages?.rowShape(for: root.entity, columns: root.columns)
    else { return nil }
    self.shape = shape
    hasMatch = !plan.root.match.isEmpty
    self.resolver = resolver
    self.provisional = provisional
  }

  /// One worker's part; it is used by one thread at a time.
  func makeWorker() -> Worker? { RowEncoder(shape).map { Worker(preparation: self, encoder: $0) } }

  /// Takes the records back when they have been written.
  func recycle(_ encoded: EncodedRows) { rows.put(encoded) }

  final class Worker {
    private let preparation: BulkPreparation
    private let encoder: RowEncoder

    fileprivate init(preparation: BulkPreparation, encoder: RowEncoder) {
      self.preparation = preparation
      self.encoder = encoder
    }

    /// Leaves the batch with `encoded` when all its references are known, otherwise as it would be without this.
    func prepare(_ decoded: DecodedBatch) {
      let problems = decoded.problems
      // Where records have keys, repeated ones are looked for first, among refused records too: then nothing is refused
      // here.
      NewRowRules.bulk.refuseUnfit(decoded, keepsRows: preparation.hasMatch)
      let unresolved = preparation.resolver.resolve(
        decoded, mayBeProvisional: !preparation.provisional.isEmpty,
        isProvisional: preparation.provisional.contains)
      if preparation.hasMatch, decoded.problems.count != problems.count {
        decoded.restoreProblems(problems)
        return
      }
      guard unresolved.isEmpty else { return }
      decoded.dropProblemRows()
      let rows = preparation.rows.checkOut()
      // A value that no column can hold is reported where the batch is written.
      guard unsafe (try? encoder.encode(decoded.root.batch, into: rows)) != nil else { return }
      decoded.encoded = rows
    }
  }
}
