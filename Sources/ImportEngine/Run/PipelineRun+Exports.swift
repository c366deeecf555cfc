import CoreDataLayout
import Exports
import Foundation
import ObjectModel
import Pipelines
import Platform
import Reports
import ResultFiles
import SeedFormats

extension PipelineRun {
  struct FinishedExport {
    var report: ExportReport
    var temporaryPath: String
    /// The folder in which an export waits; nil for a stream, or where nothing is exported.
    var work: WorkFolder?
  }

  /// Writes exports: files to temporary places, streams at once.
  func export(
    _ steps: [ExportStep], from store: SQLiteStore, _ build: StoreBuild
  ) throws -> [FinishedExport] {
    var done: [FinishedExport] = []
    do {
      for step in steps {
        let start = ContinuousClock.now
        let isDirect = step.isDirect
        if isDirect, options.isDryRun { continue }
        var work: WorkFolder?
        var temporary = step.to
        if options.isDryRun {
          temporary = build.folder + "/export-\(done.count)-" + (step.to as NSString).lastPathComponent
        } else if !isDirect {
          try ResultPlace.createFolder(of: step.to)
          let folder = try WorkFolder(for: step.to)
          temporary = step.temporaryPath(in: folder)
          work = folder
        }
        let rows: Int
        do {
          rows = try Exporter(store: store, step: step, cancellation: cancellation).run(to: temporary)
        } catch {
          work?.remove()
          throw error
        }
        done.append(
          FinishedExport(
            report: ExportReport(
              entity: step.entity, path: step.to, rows: rows,
              durationSeconds: (ContinuousClock.now - start) / .seconds(1)),
            temporaryPath: temporary, work: work))
        if let last = done.last { logEnd(last.report) }
      }
    } catch {
      for export in done { export.work?.remove() }
      throw error
    }
    return done
  }

  /// Writes the exports of an unchanged store anew whose files differ from what the store gives: files that were
  /// removed, changed or cut short. Streams are not compared, and are not written again.
  ///
  /// An export is made a second time to compare it, so that no record of it has to be kept.
  func renewExports(_ model: ManagedObjectModel, _ build: StoreBuild, _ report: inout RunReport) throws {
    let steps = pipeline.exports.filter { !$0.isDirect }
    if steps.isEmpty { return }
    progress.begin(.exporting)
    let store = try SQLiteStore.open(path: pipeline.store.path, model: model, options: .reading)
    defer {
      report.work.store = store.work
      try? store.close()
    }
    let stale = try steps.filter { try !isCurrent($0, store) }
    for step in stale {
      let isThere = PathContent(at: step.to) != .nothing
      report.warnings.append(
        "\(FilePath.shown(step.to)) is \(isThere ? "not as the store gives it" : "missing"), and "
          + "\(options.isDryRun ? "would be" : "is") written anew")
    }
    if stale.isEmpty || options.isDryRun { return }
    let exported = try export(stale, from: store, build)
    defer { for export in exported { export.work?.remove() } }
    try cancellation.check("all results are as they were")
    try publish(exported, nil)
    report.exports = exported.map(\.report)
  }

  /// Whether a file equals an export of the store.
  private func isCurrent(_ step: ExportStep, _ store: SQLiteStore) throws -> Bool {
    guard PathContent(at: step.to) != .nothing else { return false }
    let comparison = ComparingSink(path: step.to)
    let sink: any ByteSink =
      FileSink.compresses(step.to) ? GzipSink(downstream: comparison, file: step.to) : comparison
    _ = try Exporter(store: store, step: step, cancellation: cancellation).run(into: sink)
    return comparison.isSame
  }
}
