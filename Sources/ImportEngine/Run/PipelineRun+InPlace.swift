import CoreDataLayout
import Foundation
import Pipelines
import Platform
import PropertyLists
import Reports

extension PipelineRun {
  /// Ends an import into the target itself. Exports read what the open transaction has written; those to files come
  /// first, then those to streams. When they are complete the files take their places, and the transaction is
  /// committed: a reader that goes away leaves the store as it was.
  ///
  /// A target for which nothing new was found is not written to at all.
  /// - Parameter mark: checks the run's expectations, and returns the digest of the inputs for the store's metadata.
  func finishInPlace(
    _ store: SQLiteStore, _ build: StoreBuild, _ report: inout RunReport, _ indexing: StageMeter,
    mark: (inout RunReport) throws -> PropertyListValue
  ) throws {
    let sealing = StageMeter(.seal)
    let exporting = StageMeter(.export)
    defer { try? store.close() }
    var exported: [FinishedExport] = []
    defer { for export in exported { export.work?.remove() } }
    do {
      let mark = try mark(&report)
      let hasChanges = try store.hasChanges()
      if hasChanges { try store.setMetadata([StoreBuild.inputDigestKey: mark]) }
      report.storeIdentifier = store.identifier
      progress.begin(.exporting)
      for isDirect in [false, true] {
        let exports = pipeline.exports.filter { $0.isDirect == isDirect }
        exported += try exporting.work { try export(exports, from: store, build) }
      }
      progress.begin(.sealing)
      try cancellation.check("the store is as it was")
      logSeal(bytes: nil)
      try sealing.work {
        try publish(exported, nil) {
          if hasChanges { try store.commitWhole() } else { try store.rollbackWhole() }
        }
      }
      report.result = hasChanges ? .updated : .unchanged
      report.work.store = store.work
    } catch {
      report.work.store = store.work
      try? store.rollbackWhole()
      throw error
    }
    for index in report.steps.indices {
      report.steps[index].reason += "; in place, so everything goes through SQLite"
    }
    tell(exported, in: build.storePath, build, [indexing, sealing, exporting], &report)
  }
}
