import ObjectModel
import SeedFormats

extension StepRun {
  /// Fields that the step reads and no record has.
  func fieldWarnings() -> [String] {
    met?.findings(plan, isWhole: true).map { "\(plan.step.name): \($0.message); \($0.hint)" } ?? []
  }

  /// What the report says of files that have no record.
  func sourceNotes() -> [SourceNote] {
    zip(files, meters.recordsPerFile).enumerated().compactMap { index, file in
      file.1 > 0 ? nil : SourceNote(file: file.0.name, kind: kind(ofEmpty: file.0, header: headers[index] ?? []))
    }
      + files.filter { meters.textNotices.hasControls(file: $0.name) }.map {
        SourceNote(file: $0.name, kind: .controlCharacters)
      }
  }

  /// Counts a reference with `missing: null` whose key no object has.
  func noteLeftOut(_ reference: ReferencePlan, of node: NodePlan) {
    leftOut["\(node.entity.name).\(reference.property)", default: 0] += 1
  }

  /// Once nothing more can come that references may lead to.
  func addLeftOutNotes() {
    report.notes += leftOut.sorted { $0.key < $1.key }.map {
      SourceNote(source: plan.step.source.written, leftOut: $0.key, count: $0.value)
    }
    leftOut = [:]
  }

  private func kind(ofEmpty file: SourceFile, header: [String]) -> SourceNote.Kind {
    // Compressed, nothing has a size.
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
