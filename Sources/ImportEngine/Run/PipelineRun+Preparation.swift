import Foundation
import ModelFiles
import ObjectModel
import Pipelines
import Platform
import Reports
import ResultFiles
import SeedFormats
import StoreInterface
import StoreModels

/// A pipeline whose model, expressions and results have been checked.
struct SoundPipeline {
  let modelFile: ModelFile
  let files: FileValues?
  let resources: RecordExpressionResources
  /// The model's warnings. Xcode's warnings of names change nothing in the store, and other commands give them.
  var warnings: [String] {
    modelFile.warnings.filter { $0.code != .invalidName }.map { "model: \($0.shortDescription)" }
  }
}

/// What a run has worked out before it opens the store.
struct PreparedRun {
  let modelFile: ModelFile
  let files: FileValues?
  let build: StoreBuild
  let inputs: SourceInputs
  let plans: [StepPlan]
  /// The digest of the inputs, which is worked out meanwhile.
  let digest: BackgroundResult<InputDigest, RunError>
  var model: ManagedObjectModel { modelFile.model }
}

// What comes before the store is opened.
extension PipelineRun {
  /// Reads the model, and checks everything that can be checked without the inputs.
  func soundPipeline() throws -> SoundPipeline {
    if let origin = pipeline.store.existingOrigin, !FileManager.default.isReadableFile(atPath: origin) {
      throw StoreError.inputOutput(path: origin, message: StoreError.isUnreadable)
    }
    let modelFile = try StoreModel.readFile(of: pipeline, templatePath: pipeline.store.existingOrigin)
    let files = FileValues(pipeline)
    let (resources, failures) = RecordExpressionResources.load(pipeline, files: files)
    if let failure = failures.first {
      guard failure.error.code == "csv.unknown-column" else { throw failure.error }
      throw failure.error.placed(at: failure.lookup.position, in: FilePath.shown(pipeline.path))
    }
    try PipelineCheck.requireSound(pipeline, model: modelFile.model, resources: resources)
    try OutputCheck.check(pipeline, model: modelFile.model, replacesForeign: options.replacesForeign)
    return SoundPipeline(modelFile: modelFile, files: files, resources: resources)
  }

  /// Finds the inputs, plans the steps, and begins the digest.
  func prepare(_ sound: SoundPipeline, _ build: StoreBuild) throws -> PreparedRun {
    let spool = SourceSpool(folder: build.folder, limit: options.maximumInputBytes, cancellation: cancellation)
    let inputs = try SourceInputs(pipeline.imports, spool: spool, isDryRun: options.isDryRun)
    progress.expect(bytes: expectedBytes(inputs))
    let plans = try plans(sound.modelFile.model, inputs, sound.resources)
    // For small inputs a thread costs more than it saves.
    let isSmall = pipeline.store.seed == nil && SourceInputs.bytes(of: inputs.files.flatMap { $0 }) < 1 << 20
    let digest = BackgroundResult(isInline: isSmall) { [pipeline] () throws(RunError) in
      try InputDigest(pipeline: pipeline, model: sound.modelFile, inputs: inputs)
    }
    return PreparedRun(
      modelFile: sound.modelFile, files: sound.files, build: build, inputs: inputs, plans: plans, digest: digest)
  }

  /// Whether the store is what the inputs would make; the report says so then. It warns of one that was changed since
  /// the last run.
  func isUpToDate(_ prepared: PreparedRun, _ report: inout RunReport) throws -> Bool {
    let build = prepared.build
    guard pipeline.store.replace == .whenChanged, let known = build.existingInputDigest else { return false }
    if let difference = known.difference {
      report.warnings.append(
        "\(FilePath.shown(pipeline.store.path)) is not as the last run left it, and is built anew: \(difference)")
      return false
    }
    guard try known.digest == digestBefore(prepared) else { return false }
    report.adopt(
      upToDate: known.identifier, storeBytes: build.size(of: pipeline.store.path),
      externalFiles: build.externalFiles(of: pipeline.store.path))
    return true
  }

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
  private func digestBefore(_ prepared: PreparedRun) throws -> String {
    for (plan, files) in zip(prepared.plans, prepared.inputs.files) where plan.step.filesPerRecord > 0 {
      let stages = StepStages(
        plan: plan, files: files, options: options(of: plan), jobs: max(options.jobs, 1),
        recordsPerBatch: min(options.recordsPerBatch, plan.recordsPerBatch), superseded: SupersededRecords(),
        cancellation: cancellation, progress: progress, preparation: nil, lookup: nil, seenFields: nil,
        meters: StepMeters())
      try stages.run(header: { _, _ in }, consume: { _ in })
    }
    return try prepared.digest.value().adding(prepared.files).text
  }

  /// The bytes that the run reads: a step that looks for repeated keys first reads its source twice.
  private func expectedBytes(_ inputs: SourceInputs) -> Int {
    zip(pipeline.imports, inputs.files).reduce(0) { sum, step in
      let readings = step.0.looksForDuplicates ? 2 : 1
      return sum + SourceInputs.bytes(of: step.1) * readings
    }
  }
}
