import Foundation
import ImportEngine
public import ObjectModel
public import Pipelines
public import SeedFormats

/// Looks at data files and makes a model and a pipeline out of what they hold.
///
/// Every file is read from its first byte to its last, with the readers and the coercions of a run, and not kept:
/// memory grows with the number of columns and of different values in columns that may be keys, up to a bound. A type
/// is taken only where every value of a column has it, and what an export would write otherwise is reported.
public struct DataInference {
  /// The files that were made.
  public struct Project: Sendable {
    /// The model; nil where one was given.
    public var model: ManagedObjectModel?
    /// The pipeline file's text.
    public var pipeline: String
    /// The differences of the store or an export from the files, a line each.
    public var notes: [String]
    /// The decisions without evidence, a line each.
    public var doubts: [String]
    /// Columns that are text only because an export would write their values otherwise.
    public var textColumnCount: Int
    /// Records that can be read, in all files.
    public var recordCount: Int
    /// Names of the entities that the pipeline fills.
    public var entities: [String]
  }

  /// Where things are, as the pipeline file names them: relative to it, or absolute.
  public struct Places: Sendable {
    /// The path of the model.
    public var model: String
    /// The model version to fill; nil for the current one.
    public var modelVersion: String?
    /// The store to build.
    public var store: String
    /// The folder for rejects and exports.
    public var build: String
    /// How the pipeline file is called on the command line.
    public var pipeline: String

    /// Places by their paths.
    public init(model: String, modelVersion: String? = nil, store: String, build: String, pipeline: String) {
      self.model = model
      self.modelVersion = modelVersion
      self.store = store
      self.build = build
      self.pipeline = pipeline
    }
  }

  /// Name of the JSON Schema beside the pipeline file, for editors.
  public static let schemaName = PipelineText.schemaName

  /// The files as they were given, each with the path that the pipeline file has for it.
  public var files: [(path: String, written: String)]
  /// Where the pipeline file finds things.
  public var places: Places
  /// A model that is there already.
  public var model: ManagedObjectModel?
  /// Whether a column stays text where an export would write its values otherwise: `1.5` for `1.50`, `true` for `yes`.
  public var keepsText = false
  /// Whether the pipeline exports the files again.
  public var addsExports = false
  /// What compressed files may inflate to.
  public var inflation = InflationLimit.standard

  /// The part of a file's name that says what is in it: `title.basics` for `title.basics.tsv.gz`.
  public static func name(ofFile path: String) -> String { FileStem.stem(of: path) }

  /// An inference over files.
  public init(files: [(path: String, written: String)], places: Places) {
    self.files = files
    self.places = places
  }

  /// SQLite's tables have at most 2,000 columns; some are Core Data's own, and ordered lists take two more.
  private static func check(_ entity: EntityDraft) throws {
    guard !entity.lines.isEmpty else {
      throw RunError(
        .badData, code: "init.no-fields", "\(entity.place): no expression can name its fields",
        hint: "give the fields names")
    }
    guard entity.attributes.count + entity.relationships.count * 3 > 1990 else { return }
    throw RunError(
      .badData, code: "init.too-wide",
      "\(entity.place) has \(entity.lines.count.grouped) fields: a table of a store has 2,000",
      hint: "split the file into several with a common key")
  }

  private static func lists(_ profiler: FileProfiler, _ path: String) throws -> [RecordList] {
    do {
      return try profiler.lists()
    } catch var error as SeedFormatError {
      guard error.code == "csv.empty" else {
        error.hint = error.hint.map(Self.adviceWithoutSettings)
        throw error
      }
      throw RunError(
        .badData, code: "init.empty", "\(path): the file is empty", hint: "give a file with a header or with records")
    }
  }

  /// A hint that names settings of a source, with a word on where they go: `init` has no options for them.
  private static func adviceWithoutSettings(_ hint: String) -> String {
    let settings = ["format:", "encoding:", "lenient:", "header:", "pointer", "skip-lines", "delimiter:"]
    guard settings.contains(where: hint.contains) else { return hint }
    return hint + " (in a pipeline of your own; init has no option for it)"
  }

  /// The decisions about a list of records that have no evidence.
  private static func doubts(_ list: RecordList) -> [String] {
    let notes = list.form.notes
    func note(_ start: String) -> Substring? {
      notes.first { $0.hasPrefix(start) }.map { $0.drop { $0 != ":" }.dropFirst(2) }
    }
    var doubts: [String] = []
    if let columns = note("columns: ") { doubts.append("\(columns); the pipeline names its columns") }
    if let encoding = note("encoding: it is not UTF-8") {
      doubts.append("\(encoding): where it was meant to be UTF-8, mend the bytes that are none")
    }
    if let names = note("names: ") { doubts.append("\(names) below `from` in the pipeline") }
    if list.repeatedHeaders.count > 0, let name = list.columns.first?.name {
      let (count, line) = list.repeatedHeaders
      doubts.append(
        "the header stands again among the records, \(count.counted("time")) (first in line \(line)): "
          + "`where: \(Self.unlike(name))` in the pipeline leaves it out")
    }
    doubts = doubts.map { "\(list.title): " + $0 }
    if list.count == 0 {
      doubts.append(
        "\(list.title) has no records, so nothing tells types: all is optional text until a file with records does")
    } else if list.columns.count == 1, notes.contains("delimiter: " + DialectSniffer.singleFieldNote) {
      doubts.append(
        "\(list.title) is read as one column, because no delimiter splits its lines alike: state `delimiter` in the pipeline, or `skip-lines` for lines above the header"
      )
    }
    if list.isWholeDocument {
      doubts.append(
        "\(list.title) holds no array of objects, so the whole document is one record (where its members are the records, keyed-by of a pipeline reads them)"
      )
    }
    return doubts
  }

  /// The condition, as the pipeline file has it, that a column's value is not the column's own name.
  private static func unlike(_ name: String) -> String {
    let text = QuotedSample.text(of: name)
    guard YAMLText.field(name) != name else { return "\(name) != \(text)" }
    return "'`\(name.replacing("`", with: "``"))` != \(text)'".replacing("\n", with: " ")
  }

  private static func keyDoubt(_ step: StepDraft) -> String? {
    guard step.entity.keyAbsence != nil else { return nil }
    return "\(step.list.title) has no key, so each import into the same store adds all of its records anew: "
      + "name a property in `match`, below `entity` in the pipeline"
  }

  /// Reads the files and makes the project.
  /// - Throws: `SeedFormatError` for a file that cannot be read, `RunError` when there is nothing in a file or when it
  ///   was cancelled, `ModelError`.
  public func project(cancellation: Cancellation = Cancellation()) throws -> Project {
    let budget = ColumnHashes.Budget(ColumnHashes.standardBudget)
    var lists: [RecordList] = []
    for file in files {
      let profiler = FileProfiler(
        file: DataFile(path: file.path, inflation: inflation, cancellation: cancellation), budget: budget,
        mayTrim: model == nil && !keepsText)
      for list in try Self.lists(profiler, file.path) {
        guard !list.columns.isEmpty || list.objects?.members.isEmpty == false else {
          throw RunError(
            .badData, code: "init.no-fields", "\(file.path): no record in it has a field",
            hint: list.isJSON
              ? "records are JSON objects; give a file that has some" : "give a file with a header or with records")
        }
        if model == nil { try profiler.findCompoundKey(of: list) }
        lists.append(list)
      }
    }
    let titles = Dictionary(grouping: Set(files.map(\.path)), by: \.lastPathPart)
    for list in lists where titles[list.title]?.count ?? 1 > 1 { list.titleByPath() }
    let steps: [PipelineStep]
    var made: ManagedObjectModel?
    var notes: [String]
    var doubts: [String] = []
    var textColumnCount = 0
    if let model {
      let matching = ModelMatching(model: model, lists: lists)
      (steps, notes) = (matching.steps, matching.notes)
      guard !steps.isEmpty else {
        throw RunError(
          .badData, code: "init.no-match", "no field of the files is like a property of the model",
          hint: "is it the right model? Without --model a new one is made for the files")
      }
    } else {
      let draft = ProjectDraft(lists, takesValues: !keepsText)
      for entity in draft.entities { try Self.check(entity) }
      made = try draft.model()
      doubts = lists.flatMap(Self.doubts) + draft.steps.compactMap(Self.keyDoubt)
      (steps, notes) = (draft.steps.map { PipelineStep($0) }, draft.notes)
      textColumnCount = draft.textColumnCount
    }
    if addsExports { notes += steps.filter { !$0.isCommentedOut }.flatMap(\.exportNotes) }
    let text = PipelineText(
      steps: steps,
      places: .init(
        model: places.model, modelVersion: places.modelVersion, store: places.store, build: places.build,
        files: Dictionary(files.map { ($0.path, $0.written) }, uniquingKeysWith: { first, _ in first }),
        pipeline: places.pipeline),
      notes: notes, addsExports: addsExports)
    return Project(
      model: made, pipeline: text.text, notes: notes.map(PipelineText.oneLine),
      doubts: doubts.map(PipelineText.oneLine), textColumnCount: textColumnCount,
      recordCount: lists.reduce(0) { $0 + $1.count },
      entities: made?.entities.map(\.name) ?? steps.filter { !$0.isCommentedOut }.map(\.entity))
  }
}
