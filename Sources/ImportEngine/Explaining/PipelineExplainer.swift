import Foundation
import ModelFiles
import ObjectModel
public import Pipelines
import SeedFormats
import StoreInterface
import StoreModels

/// Explains what a run of a pipeline would ask its store. Nothing is imported, and nothing is changed or left anywhere.
public enum PipelineExplainer {
  /// - Parameter pipeline: a file that was read; its sources are looked into for the names of their columns. Streams
  ///   are not opened.
  /// - Throws: `RunError` for what would end a run before it begins.
  public static func explanation(of pipeline: PipelineFile) throws(RunError) -> PipelineExplanation {
    do {
      return try explain(pipeline)
    } catch {
      throw RunError(any: error, store: pipeline.store.path)
    }
  }

  private static func explain(_ pipeline: PipelineFile) throws -> PipelineExplanation {
    let model = try StoreModel.readFile(of: pipeline, templatePath: pipeline.store.existingOrigin).model
    let (resources, failures) = RecordExpressionResources.load(pipeline, files: FileValues(pipeline))
    if let failure = failures.first {
      throw failure.error.placed(at: failure.lookup.position, in: FilePath.shown(pipeline.path))
    }
    try PipelineCheck.requireSound(pipeline, model: model, resources: resources)
    let plans = try pipeline.imports.map { try plan($0, of: pipeline, model, resources) }
    let asked = try AskedStore(pipeline.store, model)
    defer { asked.close() }
    let origin = try RunOrigin(pipeline.store, model)
    let lookups = LookupExplainer(asked, isInPlace: pipeline.store.write == .inPlace)
    var parts = try begin(origin, model, lookups)
    var filled = origin.filled
    for plan in plans {
      let choice = try StrategyChoice.choose(
        plan, isEmpty: { !filled.contains($0.index) }, wasEmpty: { !origin.filled.contains($0.index) })
      let step = StepExplanation(plan: plan, choice: choice, origin: origin, lookups: lookups)
      parts.append(try step.part())
      for node in plan.nodes { filled.insert(node.entity.root.index) }
    }
    parts += try expectations(of: pipeline, model, lookups)
    parts += try pipeline.exports.map { try export($0, model, lookups) }
    return PipelineExplanation(pipeline: pipeline.path, store: asked.path, notes: asked.notes, parts: parts)
  }

  private static func plan(
    _ step: ImportStep, of pipeline: PipelineFile, _ model: ManagedObjectModel, _ resources: RecordExpressionResources
  ) throws(RunError) -> StepPlan {
    for path in step.source.paths { try SourceInputs.requireReadable(path, step: step) }
    let files = step.source.paths.filter { !SourceKind($0).isStream }.map {
      SourceFile(path: $0, name: FilePath.shown($0))
    }
    let shown = FilePath.shown(pipeline.path)
    let plan = try StepPlanner.plan(step, model: model, pipelinePath: shown, files: files, resources: resources)
    if let error = RunError(missingColumns: plan.missingColumns(in: files), pipelinePath: shown) { throw error }
    return plan
  }

  /// Before it imports into a store that has rows, a run counts those of every table.
  private static func begin(
    _ origin: RunOrigin, _ model: ManagedObjectModel, _ lookups: LookupExplainer
  ) throws -> [PipelineExplanation.Part] {
    if origin.isFresh { return [] }
    var part = PipelineExplanation.Part(kind: .begin, name: "")
    part.lookups = try model.entities.filter { $0.superentity == nil }.map { entity in
      try lookups.count(FetchSpecification(entity), purpose: "whether \(entity.name) has rows")
    }
    return [part]
  }

  private static func expectations(
    of pipeline: PipelineFile, _ model: ManagedObjectModel, _ lookups: LookupExplainer
  ) throws -> [PipelineExplanation.Part] {
    let ofSteps = try pipeline.imports.filter { $0.expectation?.shrink != nil }.map { step in
      var part = PipelineExplanation.Part(kind: .expect, name: step.name, entity: step.entity)
      part.lookups = [
        try lookups.count(FetchSpecification(entity(step.entity, model)), purpose: "how many \(step.entity) there are")
      ]
      return part
    }
    let ofStore = try pipeline.expectations.map { expectation in
      let what = expectation.entity + (expectation.predicate.map { " with \($0)" } ?? "")
      var part = PipelineExplanation.Part(
        kind: .expect, name: expectation.name ?? what, entity: expectation.entity)
      let request = try expectation.request(entity(expectation.entity, model))
      part.lookups = [try lookups.count(request, purpose: "how many \(what) there are")]
      return part
    }
    return ofSteps + ofStore
  }

  private static func export(
    _ step: ExportStep, _ model: ManagedObjectModel, _ lookups: LookupExplainer
  ) throws -> PipelineExplanation.Part {
    var part = PipelineExplanation.Part(kind: .export, name: step.to, entity: step.entity)
    let selection = try step.selection(in: model)
    if let lookup = try lookups.export(selection.request, selection.keyPaths, entity: step.entity) {
      part.lookups = [lookup]
      if selection.keyPaths.contains(where: { $0.count > 1 }) {
        part.notes = ["what lies behind relationships is read by primary keys"]
      }
    } else {
      part.notes = ["reads the pages of the table from the first row to the last, and looks nothing up"]
    }
    return part
  }

  private static func entity(_ name: String, _ model: ManagedObjectModel) throws(RunError) -> Entity {
    try model.entity(named: name, code: "pipeline.unknown-entity")
  }
}
