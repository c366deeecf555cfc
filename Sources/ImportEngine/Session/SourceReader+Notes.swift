import Pipelines
import Reports
import SeedFormats

extension SourceReader {
  /// Fields that the step reads and no record has.
  /// - Parameter isWhole: whether all records were read.
  func fieldWarnings(isWhole: Bool) -> [String] {
    seenFields?.findings(plan, isWhole: isWhole).map { "\(plan.step.name): \($0.message); \($0.hint)" } ?? []
  }

  /// The report's notes about files without a record.
  func sourceNotes() -> [SourceNote] {
    zip(files, meters.recordsPerFile).enumerated().compactMap { index, file in
      file.1 > 0 ? nil : SourceNote(file: file.0.name, kind: kind(ofEmpty: file.0, header: headers[index] ?? []))
    }
      + files.filter { meters.textNotices.hasControls(file: $0.name) }.map {
        SourceNote(file: $0.name, kind: .controlCharacters)
      }
  }

  private func kind(ofEmpty file: SourceFile, header: [String]) -> SourceNote.Kind {
    // A compressed file is not empty even when its contents are.
    if isEmpty(file) { return .emptyFile }
    switch plan.step.source.format {
    case .csv, .tsv: return plan.step.source.hasHeader && !header.isEmpty ? .headerOnly : .blankLines
    case .json, .plist: return .emptyArray
    case .ndjson: return .blankLines
    }
  }

  private func isEmpty(_ file: SourceFile) -> Bool {
    do {
      return try SeedFile.open(path: file.path, options: options).next() == nil
    } catch {
      return false
    }
  }
}
