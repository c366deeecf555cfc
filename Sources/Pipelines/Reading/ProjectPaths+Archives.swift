import Foundation
import ObjectModel
import Platform
import SeedFormats

extension ProjectPaths {
  /// The archive and the member that a path or pattern of a source names; nil where it names a file.
  ///
  /// The exclamation mark is the first one that stands behind `.zip`, or behind a file that is there.
  func archiveParts(
    _ path: EnvironmentExpansion
  ) throws(Failure) -> (archive: EnvironmentExpansion, member: String)? {
    guard path.text.contains("!"), !FileSystem.exists(try resolve(path, for: .source)) else {
      return nil
    }
    var start = path.text.startIndex
    while let mark = path.text[start...].firstIndex(of: "!") {
      var archive = path
      archive.text = String(path.text[..<mark])
      start = path.text.index(after: mark)
      if archive.text.isEmpty { continue }
      let isFile = SourceKind(try resolve(archive, for: .source)) == .file
      if isFile || archive.text.lowercased().hasSuffix(".zip") { return (archive, String(path.text[start...])) }
    }
    return nil
  }

  /// The members of an archive that a name or pattern means, each as a path of a source, in the order of their names.
  func members(_ pattern: String, of archive: String) throws(Failure) -> [String] {
    guard pattern.contains(where: { "*?[".contains($0) }) else { return [archive + "!" + pattern] }
    let names: [String]
    do {
      names = try ZipArchive(path: archive).members.filter { !$0.isFolder }.map(\.name)
    } catch {
      throw Failure(message: "\(FilePath.shown(archive)): \(error.message)", hint: error.hint, kind: error.problemKind)
    }
    if names.contains(pattern) { return [archive + "!" + pattern] }
    let found = names.filter { FilePattern.matches(path: $0, pattern: pattern) }
    guard !found.isEmpty else {
      throw Failure(
        message: "no member of \(FilePath.shown(archive)) matches \"\(pattern)\"",
        hint: Suggestion.list("it holds", names), kind: .missing)
    }
    // Several members of one name are refused when it is opened.
    return Set(found).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { archive + "!" + $0 }
  }
}

extension SeedFormatError {
  /// What it is among the problems of a pipeline file.
  var problemKind: PipelineProblem.Kind {
    switch kind {
    case .missing, .unreadable: .missing
    case .damaged, .io, .cannotCreate: .inputOutput
    case .malformed: .configuration
    }
  }
}
