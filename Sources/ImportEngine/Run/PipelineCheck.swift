import CoreDataLayout
import Foundation
import ModelFiles
public import ObjectModel
public import Pipelines
import SeedFormats
import StoreModels

/// The mistakes of a pipeline that show before it runs. `seedbed lint` lists them all; a run that has errors among them
/// ends with the same list before it touches anything.
public enum PipelineCheck {
  /// Reads a pipeline file. When it has mistakes, mistakes that only the model shows are reported as well, for all
  /// parts that could be read.
  /// - Throws: `PipelineError` with every mistake.
  public static func read(
    path: String, environment: [String: String], options: PipelineReader.Options = PipelineReader.Options()
  ) throws(PipelineError) -> PipelineFile {
    var reading = try PipelineReader.reading(path: path, environment: environment, options: options)
    if !reading.problems.isEmpty, let file = reading.file,
      let model = try? StoreModel.readFile(
        path: file.modelPath, version: file.modelVersion, templatePath: file.store.existingOrigin
      ).model
    {
      // A required part may be in a step that could not be read.
      reading.problems += PipelineLinter.lint(file, model: model).filter { problem in
        problem.severity == .error && !dependentCodes.contains(problem.code)
      }
      reading.problems = reading.problems.sortedByPosition()
    }
    return try reading.soundFile()
  }

  /// The parts that unreadable steps and lines might supply.
  private static let dependentCodes: Set<String> = ["lint.required-not-mapped", "lint.match-not-mapped"]

  /// Looks at a pipeline, its model and the beginning of every source: is it there, does it have the columns that `map`
  /// names?
  /// - Returns: errors and warnings in the order of the file.
  public static func problems(of file: PipelineFile, model: ManagedObjectModel) -> [PipelineProblem] {
    let (resources, failures) = RecordExpressionResources.load(file, files: FileValues(file))
    let sampledSteps = file.imports.map {
      SampledStep($0, pipelinePath: FilePath.shown(file.path), resources: resources)
    }
    let lint = ofFile(file, model, sampledSteps) + ofLookups(file, failures)
    let faulty = faulty(file, lint)
    // The source of a step with mistakes is not checked.
    let ofSources = zip(file.imports, sampledSteps).flatMap { step, sampled in
      faulty.contains(step.position) ? [] : sampled.findings(model: model)
    }
    return (lint + ofSources + sampledSteps.flatMap(\.warnings) + ofValueFiles(file)).sortedByPosition()
  }

  /// - Throws: `RunError` with all mistakes, when the pipeline itself has any. Problems of a source alone are reported
  ///   when it is read.
  static func requireSound(
    _ file: PipelineFile, model: ManagedObjectModel, resources: RecordExpressionResources
  ) throws(RunError) {
    let sampledSteps = file.imports.map {
      SampledStep($0, pipelinePath: FilePath.shown(file.path), resources: resources)
    }
    let errors = ofFile(file, model, sampledSteps).filter { problem in
      // Columns of a stream are not known yet, and a name may be one that reads like something else.
      problem.severity == .error
        && !zip(file.imports, sampledSteps).contains { $1.isStream && $0.position == owner(of: problem, file) }
    }
    if errors.isEmpty { return }
    let all = problems(of: file, model: model).filter { $0.severity == .error }
    let failure = RunError(any: PipelineError(all), store: file.store.path)
    guard all.count == 1, let problem = all.first else { throw failure }
    var error = RunError(failure.kind, code: problem.code, problem.place + problem.message, hint: problem.hint)
    error.position = failure.position
    error.problems = failure.problems
    throw error
  }

  /// The problems that the file, the model and the planning of steps show.
  private static func ofFile(
    _ file: PipelineFile, _ model: ManagedObjectModel, _ sampledSteps: [SampledStep]
  ) -> [PipelineProblem] {
    var known = file
    for index in sampledSteps.indices { known.imports[index] = sampledSteps[index].step }
    let lint = PipelineLinter.lint(known, model: model)
    let faulty = faulty(file, lint)
    let plans = zip(file.imports, sampledSteps).compactMap { step, sampled in
      faulty.contains(step.position) ? nil : sampled.mistake(model: model)
    }
    return (lint + plans).sortedByPosition()
  }

  /// Lookups that cannot be read, and those that nothing uses.
  private static func ofLookups(
    _ file: PipelineFile, _ failures: [(lookup: LookupSettings, error: RunError)]
  ) -> [PipelineProblem] {
    let used = Set(file.imports.flatMap(\.expressions).flatMap(\.root.withOperands).compactMap(\.lookupName))
    return failures.map { lookup, error in
      PipelineProblem(error, file: FilePath.shown(file.path), position: lookup.position)
    }
      + file.lookups.filter { !used.contains($0.name) }.map { lookup in
        PipelineProblem(
          severity: .warning, code: "lint.unused-lookup", message: "nothing uses the lookup \"\(lookup.name)\"",
          hint: "write lookup(\"\(lookup.name)\", ...) in an expression, or remove it",
          file: FilePath.shown(file.path), position: lookup.position)
      }
  }

  /// Positions of the steps with errors.
  private static func faulty(_ file: PipelineFile, _ problems: [PipelineProblem]) -> Set<FilePosition> {
    Set(problems.filter { $0.severity == .error }.compactMap { owner(of: $0, file) })
  }

  /// Where the step starts that a problem belongs to.
  private static func owner(of problem: PipelineProblem, _ file: PipelineFile) -> FilePosition? {
    guard let position = problem.position else { return nil }
    let starts =
      file.imports.map(\.position) + file.exports.map(\.position) + file.expectations.map(\.position)
      + [file.store.position]
    return starts.filter { ($0.line, $0.column) <= (position.line, position.column) }
      .max { ($0.line, $0.column) < ($1.line, $1.column) }
  }
}

extension PipelineCheck {
  /// A step with the columns of its first source.
  private struct SampledStep {
    /// The step as its columns make it: an expression that is the name of one is that column.
    let step: ImportStep
    /// Whether a source can be read only once; that is left to the run.
    let isStream: Bool
    private let writtenMap: [MapEntry]
    private let pipelinePath: String
    private let columns: Set<String>
    /// Why the columns are not known.
    private let failure: RunError?
    private let paths: [String]
    private let resources: RecordExpressionResources

    init(_ step: ImportStep, pipelinePath: String, resources: RecordExpressionResources) {
      self.resources = resources
      paths = step.source.paths.filter { !SourceKind($0).isStream }
      isStream = paths.count < step.source.paths.count
      self.pipelinePath = pipelinePath
      var columns: Set<String> = []
      var failure: RunError?
      do throws(RunError) {
        for path in paths { try SourceInputs.requireReadable(path, step: step) }
        columns = try step.source.columns(
          in: paths.map { SourceFile(path: $0, name: FilePath.shown($0)) })
      } catch {
        failure = error
      }
      self.columns = columns
      self.failure = failure
      writtenMap = step.map
      self.step = step.preferring(columns)
    }

    /// Why the step cannot be planned.
    func mistake(model: ManagedObjectModel) -> PipelineProblem? {
      if failure != nil { return nil }
      var planner = StepPlanner(
        step: step, model: model, pipelinePath: pipelinePath, columns: columns,
        resources: resources)
      do throws(RunError) {
        let plan = try planner.plan()
        if model.hasDerivedAttributes { try requireComputedDerivations([plan], StoreLayout(model: model)) }
        return nil
      } catch {
        return problem(error)
      }
    }

    /// The problems of the sources, as far as their beginnings show them.
    func findings(model: ManagedObjectModel) -> [PipelineProblem] {
      if let failure { return [problem(failure)] }
      do {
        var planner = StepPlanner(
          step: step, model: model, pipelinePath: pipelinePath, columns: columns,
          resources: resources)
        let plan = try planner.plan()
        let missing = plan.missingColumns(in: paths.map { SourceFile(path: $0, name: FilePath.shown($0)) })
        if !missing.isEmpty { return missing.map { $0.problem(pipelinePath: pipelinePath) } }
        let seenFields = SeenFields(plan)
        var isWhole = !isStream
        for path in paths {
          var options = step.source.formatOptions
          options.optionalFields = plan.optionalFields
          let source = try SeedFile.open(path: path, options: options)
          let reader = try RecordReader(
            source: source, options: options, projection: plan.projection, file: FilePath.shown(path))
          let batch = RecordBatch(fieldCount: plan.projection.count)
          guard let seenFields else {
            _ = try reader.next(batch, maximumRecords: 1)
            continue
          }
          guard try reader.next(batch, maximumRecords: min(plan.recordsPerBatch, Self.sampledRecords)) else { continue }
          _ = RecordDecoder(plan: plan, seenFields: seenFields).decode(batch, file: 0, superseded: SupersededRecords())
          if isWhole { isWhole = try !reader.next(batch, maximumRecords: 1) }
        }
        return seenFields?.findings(plan, isWhole: isWhole).map { warning($0, plan) } ?? []
      } catch {
        return [problem(RunError(any: error, store: ""))]
      }
    }

    /// How many records of a JSON file lint looks at.
    private static let sampledRecords = 1000

    private func warning(_ finding: SeenFields.Finding, _ plan: StepPlan) -> PipelineProblem {
      PipelineProblem(
        severity: .warning, code: "lint.field-not-met", message: finding.message, hint: finding.hint,
        file: pipelinePath,
        position: step.map.position(of: plan.propertyPath(ofNode: finding.node), finding.properties.first)
          ?? step.fieldPositions["where"] ?? step.position)
    }

    /// Warnings about the columns.
    var warnings: [PipelineProblem] {
      let doubts =
        step.map.flatMap { $0.doubts(columns) } + writtenMap.flatMap { $0.doubts(ofColumnsLikeConstants: columns) }
      return doubts.map { doubt in
        PipelineProblem(
          severity: .warning, code: doubt.code, message: doubt.message, hint: doubt.hint, file: pipelinePath,
          position: doubt.position)
      }
    }

    private func problem(_ failure: RunError) -> PipelineProblem {
      PipelineProblem(failure, file: pipelinePath, position: step.source.position)
    }
  }
}

extension ImportStep {
  /// The step with columns in place of expressions that are the names of columns.
  fileprivate func preferring(_ columns: Set<String>) -> ImportStep {
    if columns.isEmpty { return self }
    var step = self
    step.condition = condition?.preferringColumns(columns)
    step.key = key?.preferringColumns(columns)
    step.map = map.map { entry in
      var entry = entry
      switch entry.value {
      case .attribute(var mapped):
        mapped.expression = mapped.expression.preferringColumns(columns)
        entry.value = .attribute(mapped)
      case .reference(var mapped):
        mapped.from = mapped.from.map { $0.preferringColumns(columns) }
        entry.value = .reference(mapped)
      case .nested(var mapped):
        mapped.elements = mapped.elements?.preferringColumns(columns)
        entry.value = .nested(mapped)
      }
      return entry
    }
    return step
  }
}

extension [MapEntry] {
  /// The position of the map's entry for a property of a nested object, or of the innermost entry that exists.
  /// - Parameter path: the relationships that lead to the object.
  fileprivate func position(of path: [String], _ property: String?) -> FilePosition? {
    guard let name = path.first ?? property else { return nil }
    guard let entry = first(where: { $0.property == name || name.hasPrefix($0.property + ".") }) else { return nil }
    guard case .nested(let nested) = entry.value else { return entry.position }
    let isComposite = entry.property != name
    let inner =
      isComposite
      ? nested.map.position(of: [], String(name.dropFirst(entry.property.count + 1)))
      : path.isEmpty ? nil : nested.map.position(of: [String](path.dropFirst()), property)
    return inner ?? entry.position
  }
}
