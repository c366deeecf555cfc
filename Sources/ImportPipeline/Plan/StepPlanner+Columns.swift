import ObjectModel
import SeedFormats

extension StepPlanner {
  /// Plans a step knowing the columns of its first file.
  static func plan(
    _ step: ImportStep, model: ManagedObjectModel, pipelinePath: String, files: [SourceFile],
    resources: RecordExpressionResources = RecordExpressionResources()
  ) throws(RunError) -> StepPlan {
    let columns = try columns(of: step.source, files: files)
    var planner = StepPlanner(
      step: step, model: model, pipelinePath: pipelinePath, columns: columns, resources: resources)
    return try planner.plan()
  }

  /// The columns of a source's first file; none where the format has none.
  static func columns(of source: SourceSettings, files: [SourceFile]) throws(RunError) -> Set<String> {
    var columns: Set<String> = []
    if source.format == .csv || source.format == .tsv, let file = files.first {
      do {
        let options = source.formatOptions
        let bytes = try SeedFile.open(path: file.path, options: options)
        columns = Set(try RecordReader(source: bytes, options: options, projection: [], file: file.name).columns)
      } catch {
        var error = error
        if error.file == file.path { error.file = file.name }
        throw RunError(error)
      }
    }
    return columns
  }
}

extension StepPlan {
  /// The most records in a batch: where records name files, so few that their contents fit into memory together.
  var recordsPerBatch: Int {
    let files = step.filesPerRecord
    return files == 0 ? Int.max : max(1, 16 / files)
  }

  /// Which of a CSV source's files lack columns. What else is wrong with a file is told when it is read.
  func missingColumns(in files: [SourceFile]) -> [SeedFormatError] {
    guard step.source.format == .csv || step.source.format == .tsv else { return [] }
    var options = step.formatOptions
    options.optionalFields = optionalFields
    return files.compactMap { file in
      do throws(SeedFormatError) {
        let bytes = try SeedFile.open(path: file.path, options: options)
        _ = try RecordReader(source: bytes, options: options, projection: projection, file: file.name)
        return nil
      } catch {
        return error.code == "csv.unknown-column" ? error : nil
      }
    }
  }
}

extension RunError {
  /// All columns that the sources of a run lack, at once; nil when there are none.
  init?(missingColumns errors: [SeedFormatError]) {
    guard let first = errors.first else { return nil }
    self.init(first)
    guard errors.count > 1 else { return }
    let shown = 20
    message = errors.prefix(shown).map { RunError($0).description }.joined(separator: "\n")
    if errors.count > shown { message += "\nand \(errors.count - shown) more files lack columns" }
    hint = nil
  }
}

extension MapEntry {
  /// Whether a source need not have the columns of the value.
  var isOptional: Bool {
    switch mapping {
    case .attribute(let mapping): mapping.isOptional
    case .reference(let mapping): mapping.isOptional
    case .nested: false
    }
  }
}
