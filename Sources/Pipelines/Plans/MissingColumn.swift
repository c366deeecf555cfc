import SeedFormats

/// A column that a pipeline names and files of its source do not have.
package struct MissingColumn {
  var name: String
  /// Where the pipeline file names it first.
  var position: FilePosition
  /// The files without it, as messages call them.
  var files: [String]
  /// The names in the header of the first of them, and the name that is probably meant.
  var hint: String

  private var message: String {
    let others = files.count - 1
    return "there is no column \"\(name)\" in \(files.first ?? "")"
      + (others == 0 ? "" : others == 1 ? " and 1 more file" : " and \(others) more files")
  }

  package func problem(pipelinePath: String) -> PipelineProblem {
    PipelineProblem(
      severity: .error, kind: .badData, code: "csv.unknown-column", message: message, hint: hint,
      file: pipelinePath, position: position)
  }
}

extension StepPlan {
  /// The columns that a CSV source lacks, in the order of the pipeline file. What else is wrong with a file is told
  /// when it is read.
  package func missingColumns(in files: [SourceFile]) -> [MissingColumn] {
    guard step.source.format == .csv || step.source.format == .tsv else { return [] }
    var options = step.formatOptions
    options.optionalFields = optionalFields
    var missing: [MissingColumn] = []
    var directories = ZipDirectories()
    for file in files {
      do throws(SeedFormatError) {
        let bytes = try SeedFile.open(path: file.path, options: options, directories: &directories)
        _ = try RecordReader(source: bytes, options: options, projection: projection, file: file.name)
      } catch {
        for column in error.missingColumns {
          if let known = missing.firstIndex(where: { $0.name == column.name }) {
            missing[known].files.append(file.name)
          } else {
            missing.append(
              MissingColumn(
                name: column.name, position: positions[column.name] ?? step.source.position, files: [file.name],
                hint: column.hint))
          }
        }
      }
    }
    return missing.sorted {
      ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
    }
  }
}

extension RunError {
  /// All columns that the sources of a run lack, at once; nil when there are none.
  package init?(missingColumns missing: [MissingColumn], pipelinePath: String) {
    let problems = missing.map { $0.problem(pipelinePath: pipelinePath) }
    guard let first = problems.first else { return nil }
    let shown = 20
    let isOne = problems.count == 1
    self.init(
      .badData, code: "csv.unknown-column",
      isOne ? first.place + first.message : problems.prefix(shown).map(\.description).joined(separator: "\n"),
      hint: isOne ? first.hint : nil)
    if problems.count > shown { message += "\nand \(problems.count - shown) more columns are missing" }
    position = Position(first)
    self.problems = problems
  }

  /// The error of something that the pipeline file names: its line comes first.
  package func placed(at position: FilePosition, in pipelinePath: String) -> RunError {
    var error = self
    error.message = "\(pipelinePath):\(position.line):\(position.column): \(message)"
    error.place = Place(position: position, message: message)
    error.position = Position(file: pipelinePath, line: position.line, column: position.column)
    return error
  }
}
