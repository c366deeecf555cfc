import Foundation
import Pipelines

extension PipelineCheck {
  /// Files that `file()` would not find: where the whole argument is constant the file, where only its beginning is the
  /// folder that it names.
  static func ofValueFiles(_ file: PipelineFile) -> [PipelineProblem] {
    let paths = ProjectPaths(pipelinePath: file.path, allowsOutside: file.allowsOutside)
    return file.imports.flatMap { step in
      placed(step).flatMap { placed in
        placed.expression.root.namedFiles.compactMap { named in
          problem(of: named, paths).map { found in
            PipelineProblem(
              // A file that only some records need may exist for these records.
              severity: named.isCertain ? .error : .warning, kind: found.kind, code: "lint.file",
              message: "file(): \(found.message)", hint: found.hint, file: FilePath.shown(file.path),
              position: placed.position)
          }
        }
      }
    }
  }

  private static func problem(of named: NamedFile, _ paths: ProjectPaths) -> ProjectPaths.Failure? {
    let path: String
    do {
      path = try paths.resolve(EnvironmentExpansion(plain: named.path))
    } catch {
      return error
    }
    let shown = FilePath.shown(path)
    let advice = "paths in file() are relative to the pipeline file, here \(FilePath.shown(paths.folder))"
    switch SourceKind(path) {
    case .missing:
      let what = named.isWhole ? "file" : "folder"
      return ProjectPaths.Failure(
        message: "there is no \(what) \(shown)", hint: UnexpectedFileText.hint(forMissing: path) ?? advice,
        kind: .missing)
    case .folder: return named.isWhole ? ProjectPaths.Failure(message: "\(shown) is a folder, no file") : nil
    case .file:
      return named.isWhole
        ? nil : ProjectPaths.Failure(message: "\(shown) is a file, and the path goes on as if it were a folder")
    case .stream, .other: return ProjectPaths.Failure(message: "\(shown) is no plain file")
    }
  }

  /// The expressions of a step with the places where they stand.
  private static func placed(_ step: ImportStep) -> [(expression: RecordExpression, position: FilePosition)] {
    let own = [("where", step.condition), ("key", step.key)].compactMap { name, expression in
      expression.map { ($0, step.fieldPositions[name] ?? step.position) }
    }
    return own + placed(step.map)
  }

  private static func placed(_ map: [MapEntry]) -> [(expression: RecordExpression, position: FilePosition)] {
    map.flatMap { entry in
      switch entry.value {
      case .attribute(let mapped):
        [mapped.expression, mapped.defaultValue].compactMap { $0 }.map { ($0, entry.position) }
      case .reference(let mapped): mapped.from.map { ($0, entry.position) }
      case .nested(let mapped): [mapped.elements].compactMap { $0 }.map { ($0, entry.position) } + placed(mapped.map)
      }
    }
  }
}

/// A file that an expression names, as far as that is the same for every record.
struct NamedFile {
  /// The file's path, or that of a folder it lies in, or below.
  var path: String
  var isWhole: Bool
  /// Whether the expression asks for it whatever the record has, unless that is null.
  var isCertain: Bool
}

extension RecordExpression.Node {
  /// The files that calls of `file()` name in it.
  var namedFiles: [NamedFile] { files(isCertain: true) }

  private func files(isCertain: Bool) -> [NamedFile] {
    switch self {
    case .field, .constant: []
    case .call(.file, let arguments): arguments.flatMap { $0.paths(isCertain: isCertain) }
    case .call(.coalesce, let arguments):
      arguments.enumerated().flatMap { $1.files(isCertain: isCertain && $0 == 0) }
    case .call(_, let arguments): arguments.flatMap { $0.files(isCertain: isCertain) }
    case .unary(_, let operand): operand.files(isCertain: isCertain)
    case .binary(.coalesce, let left, let right):
      left.files(isCertain: isCertain) + right.files(isCertain: false)
    case .binary(_, let left, let right): left.files(isCertain: isCertain) + right.files(isCertain: isCertain)
    case .conditional(let test, let yes, let no):
      test.files(isCertain: isCertain) + yes.files(isCertain: false) + no.files(isCertain: false)
    }
  }

  /// What the node names as the argument of `file()`.
  private func paths(isCertain: Bool) -> [NamedFile] {
    switch self {
    case .conditional(_, let yes, let no): return yes.paths(isCertain: false) + no.paths(isCertain: false)
    case .binary(.coalesce, let left, let right):
      return left.paths(isCertain: false) + right.paths(isCertain: false)
    case .call(.coalesce, let arguments): return arguments.flatMap { $0.paths(isCertain: false) }
    default: break
    }
    let beginning = constantBeginning
    if beginning.isWhole { return [NamedFile(path: beginning.text, isWhole: true, isCertain: isCertain)] }
    guard let slash = beginning.text.lastIndex(of: "/") else { return [] }
    let folder = slash == beginning.text.startIndex ? "/" : String(beginning.text[..<slash])
    return [NamedFile(path: folder, isWhole: false, isCertain: isCertain)]
  }

  /// The text that the value begins with in every record, and whether it is all of it.
  private var constantBeginning: (text: String, isWhole: Bool) {
    switch self {
    case .constant(let value): return (try? value.asText()).map { ($0, true) } ?? ("", false)
    case .binary(.concatenate, let left, let right):
      let first = left.constantBeginning
      guard first.isWhole else { return first }
      let second = right.constantBeginning
      return (first.text + second.text, second.isWhole)
    case .call(.concat, let arguments):
      var text = ""
      for argument in arguments {
        if case .constant(.null) = argument { continue }
        let next = argument.constantBeginning
        text += next.text
        if !next.isWhole { return (text, false) }
      }
      return (text, true)
    default: return ("", false)
    }
  }
}
