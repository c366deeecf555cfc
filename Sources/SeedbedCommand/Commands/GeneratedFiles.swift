import Foundation
import ImportEngine
import ModelFiles
import Pipelines
import Platform
import ResultFiles

/// Writes generated source files into a folder, and replaces only files that were generated. A file that is written
/// once is left alone when there is one of its name, unless an earlier version made all of it anew each time.
struct GeneratedFiles {
  let folder: String
  let files: [AccessorGenerator.File]

  /// Writes what is new or has changed, all or none. Nothing is written when a file is in the way.
  /// - Parameters:
  ///   - model: the model that the files are made from; no file may be written inside it.
  ///   - replacesForeign: also replaces files that were not generated, but none that a symbolic link leads to.
  /// - Returns: the paths written, in the order of the files.
  func write(from model: String, replacesForeign: Bool) throws(RunError) -> [String] {
    try OutputCheck.check(paths: [folder] + files.map { path(of: $0.name) }, reads: [model])
    switch PathContent(at: folder) {
    case .nothing, .folder: break
    case let other:
      throw RunError(
        .cannotCreate, code: "output.not-a-folder",
        "\(folder) is \(other.text), and a folder is needed: one file is made for each entity",
        hint: "name a folder, such as \(FileSystem.parent(folder))/Generated")
    }
    // Only plain files are opened and replaced: opening a FIFO would wait for a writer.
    for file in files {
      switch PathContent(at: path(of: file.name)) {
      case .nothing, .file: break
      case let other:
        throw RunError(
          .cannotCreate, code: "output.not-a-file", "\(path(of: file.name)) is \(other.text)",
          hint: "choose another folder, or move it away")
      }
    }
    let kept = Set(keptClasses().map(\.name))
    let changed = files.filter { !kept.contains($0.name) && contents(of: $0.name) != Data($0.text.utf8) }
    let foreign = changed.filter { file in
      FileSystem.exists(path(of: file.name)) && !isGenerated(file.name)
    }
    guard foreign.isEmpty || replacesForeign else {
      throw RunError(
        .cannotCreate, code: "output.exists",
        foreign.map { "\(path(of: $0.name)) is there and was not made by this command" }.joined(separator: "\n"),
        hint: "choose another folder, or replace such files with --force")
    }
    // `--force` is about the file of that name, not one elsewhere.
    if let file = foreign.first(where: { ResultPath.followed(path(of: $0.name)) != path(of: $0.name) }) {
      throw RunError(
        .cannotCreate, code: "output.exists",
        "\(path(of: file.name)) is a symbolic link to \(ResultPath.followed(path(of: file.name))), which was not made by "
          + "this command",
        hint: "move the link away, or choose another folder")
    }
    let isNew = !FileSystem.exists(folder)
    do throws(SystemError) {
      try FileSystem.makeFolder(folder)
    } catch {
      throw RunError(.cannotCreate, code: "path.cannot-create", "cannot create \(folder): \(error.reason)")
    }
    do {
      try TextResults.write(changed.map { (path: path(of: $0.name), text: $0.text) })
    } catch {
      // Only an empty folder goes.
      if isNew { unsafe _ = rmdir(folder) }
      throw error
    }
    return changed.map { path(of: $0.name) }
  }

  /// The files of classes that are there already and belong to the program.
  func keptClasses() -> [AccessorGenerator.File] {
    files.filter { file in
      guard file.isWrittenOnce, case .file = PathContent(at: path(of: file.name)) else { return false }
      return !isGenerated(file.name)
    }
  }

  /// Messages about files that are left alone: classes whose declaration does not fit the model now, and files that
  /// an earlier run generated and this one does not.
  func notes(about kept: [AccessorGenerator.File]) -> [String] {
    let outdated = kept.filter { file in
      let words = (contents(of: file.name).map { String(decoding: $0, as: UTF8.self) } ?? "")
        .split { $0.isWhitespace || $0 == ":" || $0 == "," || $0 == "{" }
      let wanted = (file.declaration ?? "").split { $0 == " " || $0 == ":" }
      return !words.indices.contains { words[$0...].starts(with: wanted) }
    }
    return outdated.map {
      "\(path(of: $0.name)) is kept, but has no `\($0.declaration ?? "")`, which its properties need"
    }
      + leftOver().map { "\(path(of: $0)) was made before, and would not be made now" }
  }

  /// Names of generated files in the folder that are not among these.
  private func leftOver() -> [String] {
    let known = Set(files.map { $0.name.lowercased() })
    let names = FileSystem.names(in: folder)
    return names.filter {
      $0.hasSuffix(".swift") && !known.contains($0.lowercased())
        && (isGenerated($0) || begins($0, with: AccessorGenerator.firstLineOnce))
    }.sorted()
  }

  private func path(of name: String) -> String { folder.hasSuffix("/") ? folder + name : folder + "/" + name }

  private func contents(of name: String) -> Data? { FileManager.default.contents(atPath: path(of: name)) }

  private func isGenerated(_ name: String) -> Bool { begins(name, with: AccessorGenerator.firstLine) }

  private func begins(_ name: String, with line: String) -> Bool {
    contents(of: name)?.starts(with: Data(line.utf8)) ?? false
  }
}
