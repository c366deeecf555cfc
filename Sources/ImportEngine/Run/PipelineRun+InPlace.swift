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
      if cancellation.isCancelled {
        throw RunError(.interrupted, code: "run.interrupted", "interrupted; the store is as it was")
      }
      logSeal(bytes: nil)
      try sealing.work { try commit(store, exported, isUnchanged: !hasChanges) }
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
    report.exports = exported.map(\.report)
    report.storeBytes = build.size(of: build.storePath)
    report.externalFiles = build.externalFiles(of: build.storePath)
    logSeal(bytes: report.storeBytes)
    exporting.add(rows: report.exports.reduce(0) { $0 + $1.rows })
    report.stages = [indexing.report, sealing.report] + (pipeline.exports.isEmpty ? [] : [exporting.report])
    report.peakMemoryBytes = PeakMemory.bytes
    report.allocations = AllocationCount.ofProcess
  }

  /// The commit comes last: until then all files can come back.
  private func commit(_ store: SQLiteStore, _ exported: [FinishedExport], isUnchanged: Bool) throws {
    let placement = FilePlacement()
    do {
      for export in exported where export.temporaryPath != export.report.path {
        try placement.put(export.temporaryPath, at: export.report.path)
      }
      try placement.synchronize()
      if isUnchanged { try store.rollbackWhole() } else { try store.commitWhole() }
    } catch {
      throw placement.undo(after: error)
    }
    placement.commit()
  }
}
