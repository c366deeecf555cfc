import CoreDataLayout
import Diagnostics
import Foundation
public import Logging
public import Pipelines
import Platform
public import Reports
import ResultFiles
public import SeedFormats
import StoreModels

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
    /// Options with as many workers as there are processors, and no dry run.
    public init() {}
  }

  let pipeline: PipelineFile
  let options: Options
  let progress: RunProgress
  let cancellation: Cancellation
  let logger: Logger
  let partialReport = PartialReport()

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
      var failure = RunError(any: error, store: pipeline.store.path)
      if failure.code == "store.constraint", pipeline.imports.allSatisfy({ $0.strategy == .restore }) {
        failure.hint =
          "the store that was dumped had no index to keep them out: change all but one of them in the dump's files, or there"
      }
      throw failure.addingNeed(store: pipeline.store.path, use, progress)
    }
  }

  private func perform(_ use: WorkFolderUse) throws -> RunReport {
    let start = ContinuousClock.now
    let sound = try soundPipeline()
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
    let prepared = try prepare(sound, build)
    // The digest must be finished here, because it may read a file that the run removes.
    defer { prepared.digest.wait() }
    var report = RunReport(beginning: pipeline, warnings: sound.warnings, isDryRun: options.isDryRun)
    defer { partialReport.report = report }
    if try isUpToDate(prepared, &report) {
      try renewExports(prepared.model, build, &report)
    } else {
      try makeStore(prepared, &report)
    }
    report.durationSeconds = (ContinuousClock.now - start) / .seconds(1)
    isDone = true
    return report
  }

  /// Imports into the store, and finishes it where it is or aside.
  private func makeStore(_ prepared: PreparedRun, _ report: inout RunReport) throws {
    let build = prepared.build
    var expectations = ExpectationCheck(pipeline: pipeline, model: prepared.model)
    if build.isInPlace {
      // Closing a file lets go of this process's locks on it, SQLite's too: so the file must not be opened elsewhere
      // from here on.
      prepared.digest.wait()
      try expectations.countBefore()
    }
    let modelCache = try StoreModel.cacheContent(of: prepared.modelFile)
    let (store, isFresh, isMigrated) = try build.open(
      model: prepared.model, author: pipeline.name, uuid: pipeline.store.uuid ?? InputDigest.unknownUUID,
      modelCache: modelCache, memory: options.memory
    ) { copy in
      let migration = try migrate(copy, to: prepared.modelFile)
      report.warnings += migration.notes
      return migration.isDone
    }
    report.warnings += warnings(of: store)
    if isFresh || isMigrated, modelCache == nil, store.layout.generation.hasModelCache,
      let obstacle = ModelCache.obstacle(to: prepared.model)
    {
      report.warnings.append(obstacle)
    }
    let indexing = StageMeter(.index)
    do {
      try PipelineCheck.requireComputedDerivations(prepared.plans, store.layout)
      try importRecords(prepared, into: store, isFresh: isFresh, indexing, &report)
    } catch {
      report.work.store = store.work
      try? store.rollbackWhole()
      try? store.close()
      // A file that was cut off or written anew meanwhile looks damaged.
      let code = RunError(any: error, store: pipeline.store.path).code
      if Self.formats.contains(where: code.hasPrefix) { try prepared.inputs.requireUnchanged() }
      throw error
    }
    if build.isInPlace {
      try finishInPlace(store, build, &report, indexing) { report in
        report.expectations = try expectations.check(
          report.steps, unread: prepared.inputs.unread.map { !$0.isEmpty }, storePath: build.storePath, open: store)
        let known = try prepared.digest.value().adding(prepared.files)
        try prepared.inputs.requireUnchanged()
        return build.mark(known)
      }
    } else {
      try finishAside(prepared, store, isFresh: isFresh, isMigrated: isMigrated, expectations, indexing, &report)
    }
    report.peakMemoryBytes = PeakMemory.bytes
    report.allocations = AllocationCount.ofProcess
  }

  /// What the codes of errors begin with that are about the form of a source.
  private static let formats = ["csv.", "json.", "text.", "plist.", "gzip.", "zstd.", "zip."]

  private func warnings(of store: SQLiteStore) -> [String] {
    var warnings: [String] = []
    if store.tracksHistory, pipeline.store.now == nil {
      warnings.append(
        "the store's history has the clock's times: the same inputs make other bytes, unless store.now states a time")
    }
    if pipeline.store.tracksHistory, !store.tracksHistory {
      warnings.append(
        "history: true has no effect: \(FilePath.shown(pipeline.store.path)) was there and keeps no history; a new store keeps one (replace: "
          + "always), and one that is there gets it from an app that opens it with NSPersistentHistoryTrackingKey")
    }
    return warnings + store.foreignTriggers.map(\.warning)
  }

  /// Runs all import steps, and writes the rejects also when they fail, because these say what to mend.
  private func importRecords(
    _ prepared: PreparedRun, into store: SQLiteStore, isFresh: Bool, _ indexing: StageMeter, _ report: inout RunReport
  ) throws {
    var settings = pipeline.rejects
    if options.isDryRun { settings.file = nil }
    let rejects = RejectCollector(
      settings: settings, stepCount: pipeline.imports.count, replacesForeign: options.replacesForeign,
      onReject: rejectLog)
    partialReport.rejects = rejects
    do {
      (report.steps, report.ownersUpdated) = try importAll(
        prepared.plans, prepared.inputs, into: store, isFresh: isFresh, rejects: rejects,
        temporaryFolder: prepared.build.folder, indexing: indexing, warnings: &report.warnings,
        contexts: &report.work.contexts)
    } catch {
      try? rejects.finish(steps: pipeline.imports)
      logRejects(rejects)
      throw error
    }
    report.warnings += report.steps.flatMap(\.warnings)
    for (index, names) in prepared.inputs.unread.enumerated() {
      report.steps[index].notes += names.map { SourceNote(file: $0, kind: .unread) }
    }
    try rejects.finish(steps: pipeline.imports)
    report.addRejects(of: rejects)
    logRejects(rejects)
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
      partialReport.steps = steps
      if let warning = repetitionWarning(plan, session) { warnings.append(warning) }
      logBegin(plan.step, number: index + 1)
      try step.run()
      logEnd(step.report, number: index + 1)
      // References of restored rows may be resolved by later rows, so their pages are not finished before that.
      let isRestoreGoingOn =
        plan.step.strategy == .restore && plans.dropFirst(index + 1).first?.step.strategy == .restore
      if !isRestoreGoingOn { try HeldRecordRounds(steps, session).writeReady() }
    }
    try HeldRecordRounds(steps, session).finish()
    for step in steps { step.finish() }
    progress.begin(.indexing)
    try indexing.work { try session.buildIndexes() }
    let ownersUpdated = try target.raiseOwnerVersions()
    warnings += session.ownerClaims.warnings + session.tables.recordObjects.warnings
    let read = steps.reduce(0) { $0 + $1.report.counts.total }
    if rejects.isOverLimit(read: read) { throw session.limitError(isEarly: false) }
    return (steps.map(\.report), ownersUpdated)
  }

  func options(of plan: StepPlan) -> FormatOptions {
    var options = plan.step.formatOptions
    options.optionalFields = plan.optionalFields
    options.limits.inflation = self.options.inflation
    return options
  }
}
