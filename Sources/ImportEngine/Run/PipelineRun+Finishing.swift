import CoreDataLayout
import Diagnostics
import Foundation
import Pipelines
import Platform
import PropertyLists
import Reports

// A store that is built aside: it is sealed, exported from, and put in place.
extension PipelineRun {
  /// Seals the store while the expectations are checked and the exports are made, and puts all results in place.
  func finishAside(
    _ prepared: PreparedRun, _ store: SQLiteStore, isFresh: Bool, isMigrated: Bool,
    _ expectations: ExpectationCheck, _ indexing: StageMeter, _ report: inout RunReport
  ) throws {
    let build = prepared.build
    let inputDigest = try prepared.digest.value().adding(prepared.files)
    try prepared.inputs.requireUnchanged()
    let placeholder = ResultProof.placeholder(inputDigest.text)
    try mark(store, inputDigest, placeholder, isFresh: isFresh, isMigrated: isMigrated, build)
    report.storeIdentifier = store.identifier
    logSeal(bytes: nil)
    progress.begin(.sealing)
    let sealing = StageMeter(.seal)
    let exporting = StageMeter(.export)
    // A target without changes stays as it is.
    let isUnchanged = try sealing.work { try !isMigrated && build.closeIfUnchanged(store) }
    let isUpdate = pipeline.store.replace == .never && FileSystem.exists(pipeline.store.path)
    if isUpdate, !options.isDryRun { report.result = isUnchanged ? .unchanged : .updated }
    // Where nothing else is to be done meanwhile, no thread is needed.
    let isAlone = pipeline.exports.isEmpty && !expectations.hasExpectations
    let finishing = isUnchanged ? nil : try seal(store, sealing, isInline: isAlone)
    defer { finishing?.wait() }
    report.work.store = store.work

    var exported: [FinishedExport] = []
    defer { for export in exported { export.work?.remove() } }
    do {
      report.expectations = try expectations.check(
        report.steps, unread: prepared.inputs.unread.map { !$0.isEmpty }, storePath: build.storePath)
      progress.begin(.exporting)
      // Exports to streams cannot be taken back.
      if pipeline.exports.contains(where: { $0.isDirect }) { try finishing?.value() }
      exported = try exporting.work { try exportBuilt(prepared, &report) }
    } catch {
      try finishing?.value()
      throw error
    }
    try finishing?.value()
    if pipeline.store.replace == .whenChanged {
      try sealing.work { try ResultProof.write(build.storePath, placeholder: placeholder) }
    }
    let path = isUnchanged ? pipeline.store.path : build.storePath
    sealing.add(bytes: build.size(of: path))
    tell(exported, in: path, build, [indexing, sealing, exporting], &report)
    try cancellation.check()
    if !options.isDryRun { try publish(exported, isUnchanged ? nil : build) }
  }

  /// Writes into the metadata what the store was made of, but not into those of a target without changes.
  private func mark(
    _ store: SQLiteStore, _ digest: InputDigest, _ placeholder: String, isFresh: Bool, isMigrated: Bool,
    _ build: StoreBuild
  ) throws {
    guard try isFresh || isMigrated || pipeline.store.replace != .never || store.hasChanges() else { return }
    let proof = pipeline.store.replace == .whenChanged ? PropertyListValue.string(placeholder) : nil
    try store.setMetadata(
      [StoreBuild.inputDigestKey: build.mark(digest), ResultProof.key: proof],
      identifier: isFresh && pipeline.store.uuid == nil ? digest.uuid : nil)
  }

  /// Begins to seal a store; its file is whole when that ends.
  private func seal(
    _ store: SQLiteStore, _ sealing: StageMeter, isInline: Bool
  ) throws -> BackgroundResult<Void, any Error> {
    let rest = try sealing.work {
      try store.sealUnfinished(journal: pipeline.store.journal == .wal ? .wal : .delete)
    }
    return BackgroundResult(isInline: isInline) { try sealing.work { try rest.run() } }
  }

  private func exportBuilt(_ prepared: PreparedRun, _ report: inout RunReport) throws -> [FinishedExport] {
    if pipeline.exports.isEmpty { return [] }
    var settings = SQLiteStore.Options()
    settings.isReadOnly = true
    let store = try SQLiteStore.open(path: prepared.build.storePath, model: prepared.model, options: settings)
    defer { try? store.close() }
    let exported = try export(pipeline.exports, from: store, prepared.build)
    report.work.store = report.work.store + store.work
    return exported
  }

  /// Adds the exports, the size of the store at a path and the stages to the report.
  /// - Parameter stages: the last of them is that of the exports.
  func tell(
    _ exported: [FinishedExport], in path: String, _ build: StoreBuild, _ stages: [StageMeter],
    _ report: inout RunReport
  ) {
    report.exports = exported.map(\.report)
    report.storeBytes = build.size(of: path)
    report.externalFiles = build.externalFiles(of: path)
    logSeal(bytes: report.storeBytes)
    stages.last?.add(rows: report.exports.reduce(0) { $0 + $1.rows })
    report.stages = (pipeline.exports.isEmpty ? stages.dropLast() : stages[...]).map(\.report)
  }

  /// Puts the exports and the store in place, all or none.
  ///
  /// The store comes last: the digest in it says that everything is done, and a run that is killed before has to be
  /// done again.
  /// - Parameter commit: runs when all files are in place; they are put back when it throws.
  func publish(
    _ exported: [FinishedExport], _ build: StoreBuild?, then commit: () throws -> Void = {}
  ) throws {
    let placement = FilePlacement()
    do {
      for export in exported where export.work != nil {
        try placement.put(export.temporaryPath, at: export.report.path)
      }
      try build?.put(by: placement)
      try placement.synchronize()
      try commit()
    } catch {
      throw placement.undo(after: error)
    }
    placement.commit()
  }
}
