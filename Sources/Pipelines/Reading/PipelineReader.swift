import Foundation
import ObjectModel
import Platform
import SeedFormats
internal import Yams

/// Reads pipeline files.
///
/// Every mistake is reported with its position, all of a file at once. Paths come out absolute, globs expanded,
/// defaults filled in.
public enum PipelineReader {
  /// Settings for reading a pipeline file.
  public struct Options: Sendable {
    /// Whether paths may leave the project folder.
    public var allowsOutside: Bool

    /// The options; by default paths must stay inside.
    public init(allowsOutside: Bool = false) {
      self.allowsOutside = allowsOutside
    }
  }

  /// Reads a pipeline file.
  /// - Parameters:
  ///   - path: The file, relative to the current folder or absolute. Messages name it as given here.
  ///   - environment: The variables for `${NAME}`.
  /// - Throws: `PipelineError` with every mistake; its kind is `.missing` when only files are missing.
  public static func read(
    path: String, environment: [String: String], options: Options = Options()
  ) throws(PipelineError) -> PipelineFile {
    try reading(path: path, environment: environment, options: options).soundFile()
  }

  /// Reads a pipeline file as far as it can be read.
  /// - Throws: `PipelineError` where there is no text of a pipeline.
  package static func reading(
    path: String, environment: [String: String], options: Options
  ) throws(PipelineError) -> PipelineReading {
    try requirePipeline(path)
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      let exists = FileSystem.exists(path)
      do {
        _ = try FileBlockSource(path: path)
      } catch  where error.kind == .io {
        throw PipelineError([
          PipelineProblem(
            kind: .inputOutput, code: "pipeline.unreadable",
            message: "the pipeline file cannot be read: \(error.message)", file: path, position: nil)
        ])
      } catch {}
      throw PipelineError([
        PipelineProblem(
          kind: .missing, code: "pipeline.unreadable",
          message: exists ? "the pipeline file cannot be read" : "there is no such pipeline file",
          hint: exists ? nil : hint(forMissing: path), file: path,
          position: nil)
      ])
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw PipelineError([
        PipelineProblem(
          code: "pipeline.encoding", message: "the file is not UTF-8", file: path,
          position: invalidPosition(in: data))
      ])
    }
    return reading(text: text, path: path, environment: environment, options: options)
  }

  /// Refuses a path that names something else than a pipeline file, as far as that shows, and says what it names.
  private static func requirePipeline(_ path: String) throws(PipelineError) {
    func refusal(_ message: String, _ hint: String?, kind: PipelineProblem.Kind = .configuration) -> PipelineError {
      PipelineError([
        PipelineProblem(
          kind: kind, code: "pipeline.unreadable", message: message, hint: hint, file: path, position: nil)
      ])
    }
    if UnexpectedFileText.isURL(path) {
      throw refusal("this is a URL, not a path", UnexpectedFileText.hint(forURL: path), kind: .missing)
    }
    // Paths in it are relative to it.
    if SourceKind(path).isStream {
      throw refusal(
        "a pipeline is read from a file, because the paths in it are relative to it",
        "write it into a file beside its model", kind: .missing)
    }
    guard let nature = UnexpectedFileText(path) else { return }
    let advice = "give the pipeline's YAML file, such as pipelines/NAME.yaml"
    if nature.isFolder {
      guard nature.name == "a folder" else {
        throw refusal("this is \(nature.name), not a pipeline", advice + ", which names it as model:")
      }
      let names = FileSystem.names(in: path).sorted()
      let pipelines = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.prefix(3)
      throw refusal(
        "this is a folder, not a pipeline", pipelines.isEmpty ? advice : "in it: \(pipelines.joined(separator: ", "))",
        kind: .missing)
    }
    if UnexpectedFileText.isData(path) || FileKind(path: path) != nil, SourceKind(path) == .file {
      throw refusal("this is \(nature.name), not a pipeline", advice)
    }
  }

  /// Names near the one that is not there, beside it or in the folder of pipelines.
  private static func hint(forMissing path: String) -> String? {
    let other =
      (FileSystem.parent(path) == "." ? "" : FileSystem.parent(path) + "/") + "pipelines/"
      + FilePath.name(of: path)
    if FileSystem.exists(other) { return "did you mean \(other)?" }
    return UnexpectedFileText.hint(forMissing: path)
  }

  /// Reads the text of a pipeline as if it were in the file of that path, which need not exist.
  /// - Throws: `PipelineError` with every mistake.
  public static func read(
    text: String, path: String, environment: [String: String], options: Options = Options()
  ) throws(PipelineError) -> PipelineFile {
    try reading(text: text, path: path, environment: environment, options: options).soundFile()
  }

  private static func reading(
    text: String, path: String, environment: [String: String], options: Options
  ) -> PipelineReading {
    let currentFolder = FileManager.default.currentDirectoryPath
    let absolutePath = FilePath.normalized(path.hasPrefix("/") ? path : currentFolder + "/" + path)
    // A byte order mark is no part of the text.
    let yaml = PipelineYAML(text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text)
    var reader = SectionReader(
      file: path, yaml: yaml, environment: environment,
      paths: ProjectPaths(pipelinePath: absolutePath, allowsOutside: options.allowsOutside))
    for problem in yaml.problems {
      reader.problems.append(
        PipelineProblem(
          code: problem.code, message: problem.message, hint: problem.hint, file: path, position: problem.position))
    }
    var pipeline: PipelineFile?
    if let root = yaml.root, root.scalar.map({ ScalarValue($0) }) != .null {
      pipeline = reader.pipeline(root, path: absolutePath)
      pipeline?.allowsOutside = options.allowsOutside
    } else if reader.problems.isEmpty {
      reader.add(
        "empty", "the file is empty", hint: SectionReader.pipelineNeeds,
        at: FilePosition(line: 1, column: 1))
    }
    return PipelineReading(
      file: pipeline,
      problems: reader.problems.enumerated().sorted { left, right in
        let (first, second) = (left.element.position, right.element.position)
        return (first?.line ?? 0, first?.column ?? 0, left.offset) < (
          second?.line ?? 0, second?.column ?? 0, right.offset
        )
      }.map(\.element))
  }

  /// Where the first bytes are that are no UTF-8.
  private static func invalidPosition(in data: Data) -> FilePosition {
    var position = FilePosition(line: 1, column: 1)
    for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
      if scalar == "\u{FFFD}" { break }
      position.column += 1
      if scalar == "\n" { position = FilePosition(line: position.line + 1, column: 1) }
    }
    return position
  }
}

extension SectionReader {
  /// A hint for a file that is no pipeline.
  fileprivate static let pipelineNeeds =
    "a pipeline has model: (the app's data model), store: { path: ... } and import: (steps with from:, entity: and map:); "
    + "seedbed init DATA writes one"

  /// Whether a mapping has no key of a pipeline, nor one that may be meant so.
  private func isNoPipeline(_ root: Node) -> Bool {
    guard case .mapping(let mapping) = root, !mapping.isEmpty else { return false }
    let names = PipelineSection.pipeline.fields.map(\.name)
    return mapping.keys.allSatisfy { key in
      guard case .scalar(let scalar) = key else { return true }
      return !names.contains(scalar.string) && Suggestion.nearest(to: scalar.string, among: names) == nil
        && ForeignVocabulary.hint(forKey: scalar.string, among: names) == nil
    }
  }

  mutating func pipeline(_ root: Node, path: String) -> PipelineFile? {
    if isNoPipeline(root) {
      add("no-pipeline", "this is no pipeline: it has no key of one", hint: Self.pipelineNeeds, at: root.position)
      return nil
    }
    guard let values = section(.pipeline, root) else { return nil }
    let model = values.nodes["model"].flatMap { pathOrSection(.model, $0) }
    let modelPath = model.flatMap { self.path($0, "path") }
    let store = values.nodes["store"].flatMap { storeSettings($0) }
    let imports = values.nodes["import"].map { items($0, what: "a list of steps").compactMap { importStep($0) } }
    let rejects = values.nodes["rejects"].map { rejectSettings($0) }
    let exports = values.nodes["export"].map { items($0, what: "a list of steps").compactMap { exportStep($0) } }
    let expectations = values.nodes["expect"].map {
      items($0, what: "a list of expectations").compactMap { storeExpectation($0) }
    }
    let tables = values.nodes["lookups"].map { lookups($0) }
    guard let modelPath, let store else { return nil }
    return PipelineFile(
      path: path, modelPath: modelPath, modelVersion: model?.text("version"), store: store, imports: imports ?? [],
      rejects: rejects ?? RejectSettings(file: nil, limit: 0, percent: nil), exports: exports ?? [],
      expectations: expectations ?? [], lookups: tables ?? [],
      modelPosition: values.position("model"), modelVersionPosition: model?.positions["version"])
  }

  private mutating func storeSettings(_ node: Node) -> StoreSettings? {
    guard let values = section(.store, node) else { return nil }
    let path = path(values, "path")
    let seed = self.path(values, "seed")
    var uuid = values.text("uuid")
    if let text = uuid {
      uuid = UUID(uuidString: text)?.uuidString
      if uuid == nil {
        add(
          "uuid", "\"\(text)\" is not a UUID", hint: "32 hexadecimal digits in groups of 8-4-4-4-12",
          at: values.position("uuid"))
      }
    }
    let now = values.text("now").flatMap { text in
      let seconds = DateParser.iso8601.parse(text)
      if seconds == nil {
        add(
          "now", "\"\(text)\" is not a date in ISO 8601", hint: "for instance 2026-01-31T12:00:00Z",
          at: values.position("now"))
      }
      return seconds
    }
    let newest = StoreSettings.frameworks.upperBound
    let framework = values.integer("framework")
    if let framework, framework > newest {
      add(
        "framework", "\(framework) is no framework version whose layout is known", hint: "\(newest) is the newest",
        at: values.position("framework"))
    }
    guard let path, let journal: StoreSettings.Journal = values.choice("journal"),
      var replace: StoreSettings.Replace = values.choice("replace"),
      let write: StoreSettings.Write = values.choice("write")
    else { return nil }
    if write == .inPlace {
      if values.positions["replace"] == nil { replace = .never }
      if replace != .never {
        add(
          "in-place",
          "write: in-place is an import into the store that is there, and replace: \(replace.rawValue) is not",
          hint: "replace: never", at: values.position("replace"))
      }
      for name in ["seed", "migrate", "mapping", "history", "uuid", "framework", "journal"]
      where values.positions[name] != nil {
        add(
          "in-place", "\(name) is about a store that is made, and write: in-place imports into the one that is there",
          hint: "remove \(name)", at: values.position(name))
      }
    }
    let settings = StoreSettings(
      path: path, journal: journal, seed: seed, migratesOrigin: values.boolean("migrate") ?? false,
      mappings: self.path(values, "mapping").map { [$0] } ?? [], tracksHistory: values.boolean("history") ?? false,
      replace: replace, write: write, uuid: uuid, framework: framework, now: now, position: values.position)
    checkMigration(settings, values)
    checkHistory(settings, values)
    return settings
  }

  private mutating func checkMigration(_ settings: StoreSettings, _ values: SectionValues) {
    if settings.migratesOrigin, settings.seed == nil, settings.replace != .never, settings.write != .inPlace {
      add(
        "migrate", "migrate is about a store that is copied first, and none is",
        hint: "name it as seed, or import into the store that is there with replace: never",
        at: values.position("migrate"))
    }
    if !settings.mappings.isEmpty, !settings.migratesOrigin, settings.write != .inPlace {
      add(
        "mapping", "mapping is about a store that is migrated, and none is", hint: "migrate: true",
        at: values.position("mapping"))
    }
  }

  private mutating func checkHistory(_ settings: StoreSettings, _ values: SectionValues) {
    guard settings.tracksHistory else { return }
    if settings.seed != nil {
      add(
        "history", "history is about a store that is new, and this one is a copy",
        hint: "a copied store goes on keeping history, or keeps none: remove history", at: values.position("history"))
    }
    if let framework = settings.framework, framework < StoreSettings.firstFrameworkWithHistory {
      add(
        "history", "the history tables of framework \(framework) are not known",
        hint: "state framework: \(StoreSettings.firstFrameworkWithHistory) or a later one, or remove history",
        at: values.position("history"))
    }
  }

  private mutating func rejectSettings(_ node: Node) -> RejectSettings {
    guard let values = section(.rejects, node) else { return RejectSettings(file: nil, limit: 0, percent: nil) }
    let percent = values.number("percent")
    return RejectSettings(
      file: path(values, "file", allowsStandardStream: true),
      limit: values.integer("limit") ?? (percent == nil ? 0 : nil), percent: percent)
  }
}
