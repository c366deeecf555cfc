import CoreDataLayout
import Diagnostics
import Exports
import Foundation
public import Logging
import ModelFiles
import ObjectModel
public import Pipelines
import Platform
import Predicates
import PropertyLists
public import Reports
public import SeedFormats
import StoreInterface

/// One run of a pipeline: imports every source into a store that is built aside, seals it, puts it in place, exports.
///
/// Whatever goes wrong, the previous store stays as it was, byte for byte.
public struct PipelineRun {
  /// The options of a caller.
  public struct Options: Sendable {
    /// Decode workers; at least 1. The result does not depend on it.
    public var jobs = Workers.processorCount
    /// Do everything but put the results in place.
    public var isDryRun = false
    /// The most records in a batch. Tests make it small, so that references and repeated keys cross batches.
    var recordsPerBatch = 8192
    /// What key tables, sorting and caches may hold in memory together.
    public var memory = MemoryBudget.standard
    /// How steps are written that state no strategy and can be done so; nil: each by the fastest way that it can be.
    /// The rows are the same. `.restore` is for dumps and means nothing here.
    public var strategy: ImportStep.Strategy?
    /// The most bytes that are taken from standard input, a FIFO or a device, which are kept in a file; nil: 64 GiB, or
    /// half of the free space where that is less.
    public var maximumInputBytes: Int?
    /// The most that one compressed source may inflate to.
    public var inflation = InflationLimit.standard
    /// Replaces files at the paths of results that are no earlier results of the same kind, too.
    public var replacesForeign = false
    /// How unchanged records are found. Tests switch it off, to compare.
    var unchangedScan = UnchangedScanSettings()
    /// As many workers as there are processors, and no dry run.
    public init() {}
  }

  let pipeline: PipelineFile
  let options: Options
  let progress: RunProgress
  let cancellation: Cancellation
  let logger: Logger
  let trail = RunTrail()

  /// A run that has not begun.
  /// - Parameter logger: is told what happens: steps, rejects, exports, sealing. Without output by default.
  public init(
    _ pipeline: PipelineFile, options: Options = Options(), progress: RunProgress = RunProgress(),
    cancellation: Cancellation = Cancellation(), logger: Logger = PipelineRun.silentLogger
  ) {
    var pipeline = pipeline
    pipeline.store.path = ResultPath.followed(pipeline.store.path)
    pipeline.exports = pipeline.exports.map(\.followed)
    self.pipeline = pipeline
    self.options = options
    self.progress = progress
    self.cancellation = cancellation
    self.logger = logger
  }

  /// Runs the pipeline.
  /// - Throws: `RunError`; errors of the reader, the model and the store come as one too.
  public func run() throws(RunError) -> RunReport {
    let use = WorkFolderUse()
    do {
      logBegin()
      let report = try perform(use)
      logEnd(report)
      return report
    } catch {
      throw RunError(any: error, store: pipeline.store.path)
        .addingNeed(store: pipeline.store.path, use, progress)
    }
  }

  private func perform(_ use: WorkFolderUse) throws -> RunReport {
    let start = ContinuousClock.now
    let modelFile = try StoreModel.readFile(of: pipeline, templatePath: pipeline.store.existingOrigin)
    let model = modelFile.model
    var expectations = ExpectationCheck(pipeline: pipeline, model: model)
    let files = FileValues(pipeline)
    let (resources, failures) = RecordExpressionResources.load(pipeline, files: files)
    if let failure = failures.first {
      guard failure.error.code == "csv.unknown-column" else { throw failure.error }
      throw failure.error.placed(at: failure.lookup.position, in: FilePath.shown(pipeline.path))
    }
    try PipelineCheck.requireSound(pipeline, model: model, resources: resources)
    try OutputCheck.check(pipeline, model: model, replacesForeign: options.replacesForeign)
    var lock: RunLock?
    if !options.isDryRun {
      try ResultPlace.createFolder(of: pipeline.store.path)
      lock = try RunLock(storePath: pipeline.store.path)
    }
    defer { withExtendedLifetime(lock) {} }
    let build = try StoreBuild(settings: pipeline.store, isDryRun: options.isDryRun)
    defer { build.discard() }
    var isDone = false
    defer { if !isDone { use.measure(build.folder) } }
    let spool = SourceSpool(folder: build.folder, limit: options.maximumInputBytes, cancellation: cancellation)
    let inputs = try SourceInputs(pipeline.imports, spool: spool, isDryRun: options.isDryRun)
    progress.expect(bytes: expectedBytes(inputs))
    let plans = try plans(model, inputs, resources)

    // For small inputs a thread costs more than it saves.
    let isSmall = pipeline.store.seed == nil && SourceInputs.bytes(of: inputs.files.flatMap { $0 }) < 1 << 20
    let digest = Background(isInline: isSmall) { [pipeline] () throws(RunError) in
      try InputDigest(pipeline: pipeline, model: modelFile, inputs: inputs)
    }
    // The digest must be finished here, because it may read a file that the run removes.
    defer { digest.wait() }
    // Xcode's warnings of names change nothing in the store: other commands say them.
    let modelWarnings = modelFile.warnings.filter { $0.code != .invalidName }.map { "model: \($0.shortDescription)" }
    var report = RunReport(beginning: pipeline, warnings: modelWarnings, isDryRun: options.isDryRun)
    defer { trail.report = report }
    let isUpdate = pipeline.store.replace == .never && FileManager.default.fileExists(atPath: pipeline.store.path)
    let known = pipeline.store.replace == .whenChanged ? build.existingInputDigest : nil
    if let difference = known?.difference {
      report.warnings.append(
        "\(FilePath.shown(pipeline.store.path)) is not as the last run left it, and is built anew: \(difference)")
    } else if let known, try known.digest == digestBefore(digest, plans, inputs, files) {
      report.adopt(
        upToDate: known.identifier, storeBytes: build.size(of: pipeline.store.path),
        externalFiles: build.externalFiles(of: pipeline.store.path))
      try renewExports(model, build, &report)
      report.durationSeconds = (ContinuousClock.now - start).seconds
      return report
    }

    if build.isInPlace {
      // Closing a file lets go of this process's locks on it, SQLite's too: so the file must not be opened elsewhere
      // from here on.
      digest.wait()
      try expectations.countBefore()
    }
    let (store, isFresh) = try build.open(
      model: model, author: pipeline.name, uuid: pipeline.store.uuid ?? InputDigest.unknownUUID,
      modelCache: try StoreModel.cacheContent(of: modelFile), memory: options.memory
    ) { copy in report.warnings += try migrate(copy, to: modelFile) }
    if store.tracksHistory, pipeline.store.now == nil {
      report.warnings.append(
        "the store's history has the clock's times: the same inputs make other bytes, unless store.now states a time")
    }
    report.warnings += store.foreignTriggers.map { trigger in
      "the trigger \(trigger.name) on \(trigger.table) does not belong to the model and was not run; the app runs it on every "
        + "change"
    }
    var rejectSettings = pipeline.rejects
    if options.isDryRun { rejectSettings.file = nil }
    try PipelineCheck.requireComputedDerivations(plans, store)
    let rejects = RejectCollector(
      settings: rejectSettings, stepCount: pipeline.imports.count, replacesForeign: options.replacesForeign,
      onReject: rejectLog)
    trail.rejects = rejects
    let indexing = StageMeter(.index)
    do {
      (report.steps, report.ownersUpdated) = try importAll(
        plans, inputs, into: store, isFresh: isFresh, rejects: rejects, temporaryFolder: build.folder,
        indexing: indexing, warnings: &report.warnings, contexts: &report.work.contexts)
    } catch {
      report.work.store = store.work
      // The rejects tell what to mend, so they stay even though the run fails.
      try? rejects.finish(steps: pipeline.imports)
      logRejects(rejects)
      try? store.rollbackWhole()
      try? store.close()
      throw error
    }
    report.warnings += report.steps.flatMap(\.warnings)
    for (index, names) in inputs.unread.enumerated() {
      report.steps[index].notes += names.map { SourceNote(file: $0, kind: .unread) }
    }
    try rejects.finish(steps: pipeline.imports)
    report.addRejects(of: rejects)
    logRejects(rejects)
    if build.isInPlace {
      try finishInPlace(store, build, &report, indexing) { report in
        report.expectations = try expectations.check(
          report.steps, unread: inputs.unread.map { !$0.isEmpty }, storePath: build.storePath, open: store)
        let known = try digest.value().adding(files)
        try inputs.requireUnchanged()
        return build.mark(known)
      }
      report.durationSeconds = (ContinuousClock.now - start).seconds
      return report
    }
    let inputDigest = try digest.value().adding(files)
    try inputs.requireUnchanged()
    let placeholder = ResultProof.placeholder(inputDigest.text)
    // The metadata of a target without changes are not written either.
    if try isFresh || pipeline.store.replace != .never || store.hasChanges() {
      let proof = pipeline.store.replace == .whenChanged ? PropertyListValue.string(placeholder) : nil
      try store.setMetadata(
        [StoreBuild.inputDigestKey: build.mark(inputDigest), ResultProof.key: proof],
        identifier: isFresh && pipeline.store.uuid == nil ? inputDigest.uuid : nil)
    }
    report.storeIdentifier = store.identifier
    logSeal(bytes: nil)
    progress.begin(.sealing)
    let sealing = StageMeter(.seal)
    // A target without changes stays as it is.
    let isUnchanged = try sealing.work { try build.closeIfUnchanged(store) }
    var finishing: Background<Void, any Error>?
    if isUpdate, !options.isDryRun { report.result = isUnchanged ? .unchanged : .updated }
    if !isUnchanged {
      let rest = try sealing.work {
        try store.sealUnfinished(journal: pipeline.store.journal == .wal ? .wal : .delete)
      }
      // Where nothing else is to be done meanwhile, no thread is needed.
      finishing = Background(isInline: pipeline.exports.isEmpty && !expectations.hasExpectations) {
        try sealing.work { try rest.run() }
      }
    }
    defer { finishing?.wait() }
    report.work.store = store.work

    do {
      report.expectations = try expectations.check(
        report.steps, unread: inputs.unread.map { !$0.isEmpty }, storePath: build.storePath)
    } catch {
      try finishing?.value()
      throw error
    }
    progress.begin(.exporting)
    let exporting = StageMeter(.export)
    // Exports to streams cannot be taken back.
    if pipeline.exports.contains(where: { $0.isDirect }) { try finishing?.value() }
    var exportWork = StoreCounts()
    let exported: [FinishedExport]
    do {
      exported = try exporting.work {
        if pipeline.exports.isEmpty { return [] }
        var settings = SQLiteStore.Options()
        settings.isReadOnly = true
        let store = try SQLiteStore.open(path: build.storePath, model: model, options: settings)
        defer {
          exportWork = store.work
          try? store.close()
        }
        return try export(pipeline.exports, from: store, build)
      }
    } catch {
      try finishing?.value()
      throw error
    }
    defer { for export in exported { export.work?.remove() } }
    try finishing?.value()
    if pipeline.store.replace == .whenChanged {
      try sealing.work { try ResultProof.write(build.storePath, placeholder: placeholder) }
    }
    report.work.store = report.work.store + exportWork
    report.exports = exported.map(\.report)
    report.storeBytes = build.size(of: isUnchanged ? pipeline.store.path : build.storePath)
    report.externalFiles = build.externalFiles(of: isUnchanged ? pipeline.store.path : build.storePath)
    sealing.add(bytes: report.storeBytes)
    logSeal(bytes: report.storeBytes)
    exporting.add(rows: report.exports.reduce(0) { $0 + $1.rows })
    report.stages = [indexing.report, sealing.report]
    if !pipeline.exports.isEmpty { report.stages.append(exporting.report) }
    try cancellation.check()
    if !options.isDryRun {
      try publish(
        exported.filter { $0.work != nil }.map { (from: $0.temporaryPath, to: $0.report.path) },
        isUnchanged ? nil : build)
    }
    report.durationSeconds = (ContinuousClock.now - start).seconds
    report.peakMemoryBytes = PeakMemory.bytes
    report.allocations = AllocationCount.ofProcess
    isDone = true
    return report
  }

  /// Puts the exports and the store in place, all or none.
  ///
  /// The store comes last: the digest in it says of everything that it is done, and a run that is killed in between has
  /// to be done again.
  func publish(_ files: [(from: String, to: String)], _ build: StoreBuild?) throws {
    let placement = Placement()
    do {
      for file in files { try placement.put(file.from, at: file.to) }
      try build?.put(by: placement)
      try placement.synchronize()
    } catch {
      throw placement.undo(after: error)
    }
    placement.commit()
  }

  // MARK: - Before

  func plans(
    _ model: ManagedObjectModel, _ inputs: SourceInputs, _ resources: RecordExpressionResources
  ) throws(RunError) -> [StepPlan] {
    var plans: [StepPlan] = []
    for (index, step) in pipeline.imports.enumerated() {
      plans.append(
        try StepPlanner.plan(
          step, model: model, pipelinePath: FilePath.shown(pipeline.path), files: inputs.files[index],
          resources: resources))
    }
    let missing = zip(plans, inputs.files).flatMap { $0.missingColumns(in: $1) }
    if let error = RunError(missingColumns: missing, pipelinePath: FilePath.shown(pipeline.path)) { throw error }
    return plans
  }

  /// The digest of all inputs, still without the files that records name, which are known when the records are read.
  private func digestBefore(
    _ digest: Background<InputDigest, RunError>, _ plans: [StepPlan], _ inputs: SourceInputs, _ values: FileValues?
  ) throws -> String {
    for (plan, files) in zip(plans, inputs.files) where plan.step.filesPerRecord > 0 {
      let stages = StepStages(
        plan: plan, files: files, options: options(of: plan), jobs: max(options.jobs, 1),
        recordsPerBatch: min(options.recordsPerBatch, plan.recordsPerBatch), superseded: SupersededRecords(),
        cancellation: cancellation, progress: progress, preparation: nil, lookup: nil, met: nil, meters: StepMeters())
      try stages.run(header: { _, _ in }, consume: { _ in })
    }
    return try digest.value().adding(values).text
  }

  /// A step that looks for repeated keys first reads its source twice.
  private func expectedBytes(_ inputs: SourceInputs) -> Int {
    zip(pipeline.imports, inputs.files).reduce(0) { sum, step in
      let readings = !step.0.match.isEmpty && step.0.duplicates == .last ? 2 : 1
      return sum + SourceInputs.bytes(of: step.1) * readings
    }
  }

  // MARK: - Import

  /// Runs all import steps.
  /// - Parameters:
  ///   - isFresh: whether the target has no rows, and its indexes are still to be built.
  ///   - temporaryFolder: where references wait and keys are kept that do not fit into memory.
  ///   - warnings: gets the warnings about the steps.
  ///   - contexts: gets the requests of contexts, also where the import fails.
  func importAll(
    _ plans: [StepPlan], _ inputs: SourceInputs, into target: any ImportTarget, isFresh: Bool,
    rejects: RejectCollector, temporaryFolder: String, indexing: StageMeter, warnings: inout [String],
    contexts: inout PerformanceCounts
  ) throws -> (steps: [StepReport], ownersUpdated: Int) {
    let session = try ImportSession(
      target: target, plans: plans, rejects: rejects, progress: progress, cancellation: cancellation,
      jobs: max(options.jobs, 1), recordsPerBatch: options.recordsPerBatch,
      memory: options.memory, temporaryPath: temporaryFolder + "/pending",
      isFresh: isFresh, unchangedScan: options.unchangedScan, strategy: options.strategy)
    defer { contexts = session.contextCounts }
    var steps: [StepRun] = []
    for (index, plan) in plans.enumerated() {
      progress.begin(step: index + 1)
      let step = StepRun(
        index: index, plan: plan, files: inputs.files[index], options: options(of: plan), session: session)
      steps.append(step)
      trail.steps = steps
      if let warning = repetitionWarning(plan, session) { warnings.append(warning) }
      logBegin(plan.step, number: index + 1)
      try step.run()
      logEnd(step.report, number: index + 1)
      // References of restored rows may be resolved by later rows, so their pages are not finished before that.
      let isRestoreGoingOn =
        plan.step.strategy == .restore && plans.dropFirst(index + 1).first?.step.strategy == .restore
      if !isRestoreGoingOn { try session.resolvePending(steps: steps.map(\.scope), isFinal: false) }
    }
    try session.resolvePending(steps: steps.map(\.scope), isFinal: true)
    for step in steps { try step.finish() }
    progress.begin(.indexing)
    try indexing.work { try session.buildIndexes() }
    let ownersUpdated = try target.raiseOwnerVersions()
    let read = steps.reduce(0) { $0 + $1.report.counts.total }
    if rejects.isOverLimit(read: read) { throw session.limitError(isEarly: false) }
    return (steps.map(\.report), ownersUpdated)
  }

  private func options(of plan: StepPlan) -> FormatOptions {
    var options = plan.step.formatOptions
    options.optionalFields = plan.optionalFields
    options.limits.inflation = self.options.inflation
    return options
  }
}
