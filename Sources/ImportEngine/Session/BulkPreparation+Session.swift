import CoreDataLayout
import Pipelines
import StoreInterface

extension BulkPreparation {
  /// - Returns: nil where the batches of this step depend on one another.
  init?(_ plan: StepPlan, session: ImportSession) throws {
    try self.init(
      plan, pages: session.target.pages, resolver: session.resolver,
      provisional: ProvisionalRows(session.pendingReferences.provisionalRows, model: session.target.model))
  }
}

extension StoredRowLookup {
  /// - Parameter changes: how rows are encoded that differ from the stored ones.
  init(_ comparison: RowComparison, changes: RowShape?, _ plan: StepPlan, session: ImportSession) {
    self.init(
      comparison, changes: changes, plan, resolver: session.resolver,
      provisional: ProvisionalRows(session.pendingReferences.provisionalRows, model: session.target.model))
  }
}
