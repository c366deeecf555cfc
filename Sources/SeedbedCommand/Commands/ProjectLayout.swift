import Foundation
import ImportEngine
import Inference
import ModelFiles
import ObjectModel
import Pipelines
import Platform
import ResultFiles

/// Where `seedbed init` writes what, and what is in the way there.
struct ProjectLayout {
  /// The written files, and the remarks about them.
  struct Written {
    var paths: [String]
    /// The problems that lint finds in the pipeline.
    var problems: [String]
    var hints: [String]
  }

  static let ignored = "/build/"
  private static let schemaMark = "\"$schema\""

  private let data: [String]
  private let givenModel: String?
  /// The project's folder as it was given, without slashes at its end.
  private let folder: String
  private let name: String
  private let modelName: String

  init(data: [String], model: String?, output: String, name: String?) {
    self.data = data
    givenModel = model
    var folder = output
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
    self.name = name ?? Self.name(of: data)
    modelName = name ?? "Model"
  }

  /// A name after the file, or after the folder that holds all files.
  private static func name(of data: [String]) -> String {
    let paths = data.map(absolute)
    var name = (paths[0] as NSString).lastPathComponent
    let folders = Set(paths.map { ($0 as NSString).deletingLastPathComponent })
    if data.count > 1, folders.count == 1, let only = folders.first, only != "/" {
      name = (only as NSString).lastPathComponent
    } else {
      name = DataInference.name(ofFile: name)
    }
    let plain = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let words = String(plain).split(separator: "-").joined(separator: "-")
    return words.isEmpty ? "data" : words
  }

  static func absolute(_ path: String) -> String {
    let base = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return (base as NSString).standardizingPath
  }

  // MARK: - Places

  private func inFolder(_ path: String) -> String { folder == "." ? path : folder + "/" + path }

  /// The pipeline file as the command line names it.
  var pipelinePath: String { inFolder("pipelines/\(name).yaml") }

  private var modelPath: String { inFolder(modelName + ".xcdatamodeld") }

  /// The files, each with its path as the pipeline file has it.
  var files: [(path: String, written: String)] { data.map { ($0, written($0)) } }

  /// From the pipeline's folder where the file lies in the project, else absolute.
  private func written(_ path: String) -> String {
    let target = Self.absolute(path)
    guard ProjectFolder.holds(path, ofPipeline: pipelinePath) else { return target }
    var from = Self.absolute(inFolder("pipelines")).split(separator: "/")[...]
    var to = target.split(separator: "/")[...]
    while let first = from.first, first == to.first {
      from = from.dropFirst()
      to = to.dropFirst()
    }
    return (from.map { _ in ".." } + to.map(String.init)).joined(separator: "/")
  }

  /// Where the pipeline file finds things.
  func places(modelVersion: String?) -> DataInference.Places {
    var model = "../\(modelName).xcdatamodeld"
    if let givenModel { model = written(givenModel) }
    return .init(
      model: model, modelVersion: modelVersion, store: "../build/\(name).sqlite", build: "../build",
      pipeline: pipelineArguments)
  }

  /// The argument for `run` and `lint`, quoted for a shell.
  var pipelineArguments: String { (needsOutside ? "--allow-outside " : "") + FilePath.argument(pipelinePath) }

  /// Whether a file, or the model, lies outside of what the pipeline may name.
  var needsOutside: Bool {
    (data + [givenModel].compactMap { $0 }).contains { !ProjectFolder.holds($0, ofPipeline: pipelinePath) }
  }

  // MARK: - Writing

  /// Looks for what is in the way before anything is read.
  func check(replacesForeign: Bool) throws {
    for path in data {
      if SourceKind(path).isStream {
        throw RunError(
          .missingInput, code: "init.stream",
          "\(path == "-" ? "standard input" : path) cannot be read twice, which a look and a run need",
          hint: "write it to a file first")
      }
      if let refusal = DataArgument.refusal(of: path) { throw refusal }
    }
    try checkFolder()
    let reads = data + [givenModel].compactMap { $0 }
    try check(pipelinePath, reads, replacesForeign)
    if givenModel == nil {
      switch PathContent(at: modelPath) {
      case .nothing: break
      case .folder where replacesForeign: break
      case let other:
        throw RunError(
          .cannotCreate, code: "output.exists", "\(modelPath) is there: \(other.text)",
          hint: "give another --name or --output, fill that model with --model, or replace it with --force")
      }
    }
    try OutputCheck.check(option: "init", path: schemaPath, reads: reads, replacesForeign: replacesForeign) {
      $0.contains(Self.schemaMark)
    }
  }

  /// The project's folder, or the one that it is to be made in, has to be a folder.
  private func checkFolder() throws {
    var place = Self.absolute(folder)
    while case .nothing = PathContent(at: place), place != "/" { place = (place as NSString).deletingLastPathComponent }
    switch PathContent(at: place) {
    case .folder, .nothing: return
    case let other:
      throw RunError(
        .cannotCreate, code: "output.not-a-folder", "\(place) is no folder, but \(other.text)",
        hint: "--output is the project's folder: give another one")
    }
  }

  /// A pipeline is the user's own as soon as it is there: an earlier one of this command is replaced with --force
  /// alone.
  private func check(_ path: String, _ reads: [String], _ replacesForeign: Bool) throws {
    if case .file = PathContent(at: path), !replacesForeign {
      throw RunError(
        .cannotCreate, code: "output.exists", "\(path) is there",
        hint: "give another --name or --output, or replace it with --force: what is in it is lost then")
    }
    try OutputCheck.check(option: "init", path: path, reads: reads, replacesForeign: replacesForeign) { _ in false }
  }

  private var schemaPath: String { inFolder("pipelines/" + DataInference.schemaName) }

  /// Writes the files of a project, the pipeline last. Where one cannot be written, those that are new go again.
  /// - Parameter model: the one that the pipeline fills.
  func write(_ project: DataInference.Project, model filled: ManagedObjectModel) throws -> Written {
    let problems = try lint(project, filled)
    let all = [modelPath, schemaPath, pipelinePath, inFolder(".gitignore")]
    let new = all.filter { PathContent(at: ResultPath.followed($0)) == .nothing }
    let folders = Self.missingFolders(of: all)
    do {
      return try write(project, problems)
    } catch {
      let files = FileManager.default
      for path in new { try? files.removeItem(atPath: ResultPath.followed(path)) }
      for folder in folders where (try? files.contentsOfDirectory(atPath: folder))?.isEmpty == true {
        try? files.removeItem(atPath: folder)
      }
      throw error
    }
  }

  /// The folders that have to be made for some files, the innermost first.
  private static func missingFolders(of paths: [String]) -> [String] {
    var found: Set<String> = []
    for path in paths {
      var folder = (absolute(path) as NSString).deletingLastPathComponent
      while folder.count > 1, !FileManager.default.fileExists(atPath: folder), found.insert(folder).inserted {
        folder = (folder as NSString).deletingLastPathComponent
      }
    }
    return found.sorted { $0.count > $1.count }
  }

  private func write(_ project: DataInference.Project, _ problems: [String]) throws -> Written {
    var paths: [String] = []
    var hints: [String] = []
    var files = StagedFiles()
    defer { files.discard() }
    if let model = project.model {
      try makeFolder(folder)
      // Other versions in a model that is there stay.
      for file in try ModelWriter.files(of: model, version: ModelReader.modelName(path: modelPath)) {
        try files.add(file.text, at: modelPath + "/" + file.path)
      }
      paths.append(modelPath)
    }
    try files.add(PipelineSchema.json(), at: schemaPath)
    try files.add(project.pipeline, at: pipelinePath)
    paths += [pipelinePath, schemaPath]
    let ignore = inFolder(".gitignore")
    if let lines = try? String(contentsOfFile: ignore, encoding: .utf8).split(whereSeparator: \.isNewline) {
      if !lines.contains(where: { $0.trimmingCharacters(in: CharacterSet(charactersIn: "/ ")) == "build" }) {
        hints.append("\(ignore) does not leave out \(Self.ignored), where the store is built")
      }
    } else if case .nothing = PathContent(at: ignore) {
      try files.add("# What seedbed builds.\n\(Self.ignored)\n", at: ignore)
      paths.append(ignore)
    }
    try files.commit()
    return Written(paths: paths, problems: problems, hints: hints)
  }

  private func makeFolder(_ path: String) throws {
    do throws(SystemError) {
      try FileSystem.makeFolder(Self.absolute(path))
    } catch {
      throw RunError(
        .cannotCreate, code: "path.cannot-create", "cannot make \(path): \(error.reason)",
        hint: "give another --output, a folder that may be written to")
    }
  }

  /// The problems that lint finds before the pipeline is written: only those that data and model make unavoidable.
  private func lint(_ project: DataInference.Project, _ model: ManagedObjectModel) throws -> [String] {
    let file = try PipelineReader.read(
      text: project.pipeline, path: pipelinePath, environment: ProcessInfo.processInfo.environment,
      options: .init(allowsOutside: needsOutside))
    return PipelineLinter.lint(file, model: model).map(\.description)
  }
}
