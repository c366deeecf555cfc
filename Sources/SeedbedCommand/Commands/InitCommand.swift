import ArgumentParser
import Foundation
import ImportEngine
import Inference
import ModelFiles
import ObjectModel
import SeedFormats
import StoreModels

/// `seedbed init`
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Writes a model and a pipeline for data files, after a look at all that is in them.",
    discussion: """
      Reads every file as a run would (CSV, TSV, JSON, NDJSON, property lists, compressed or not), tells how it is written, which types \
      its columns have, which are keys and which refer to the keys of another file, and writes \
      NAME.xcdatamodeld, pipelines/NAME.yaml with the reason behind each line, and .gitignore. What it writes runs at once.

      A type is only taken where every value has it: 007 stays text. Where an export will write the same value otherwise, \
      such as 1.5 for 1.50, that is told; with --keep-text such columns stay text too. docs/INIT.md has the rules.
      """)

  @Argument(help: "The data files.", completion: .file())
  var data: [String]

  @Option(
    help: ArgumentHelp(
      "Fill this model: only the pipeline is written, with names matched by similarity.", valueName: "model"),
    completion: .file())
  var model: String?

  @Option(help: ArgumentHelp("The version of --model; the current one by default.", valueName: "name"))
  var modelVersion: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The project's folder; it is made when there is none.", valueName: "folder"),
    completion: .directory)
  var output = "."

  @Option(
    help: ArgumentHelp(
      "What model, pipeline and store are called. By default the model is Model, the others are called after the files.",
      valueName: "name"))
  var name: String?

  @Flag(help: "Keep a column as text where exports would write its values otherwise: 1.5 for 1.50, true for yes.")
  var keepText = false

  @Flag(help: "Let the pipeline export the files again, to compare.")
  var export = false

  @Option(
    help: ArgumentHelp(
      "What a compressed file may inflate to: a size, a ratio such as 200:1, or both with a comma.", valueName: "size"),
    transform: InflationOption.parse)
  var maxInflated = InflationOption(limit: .standard)

  @Flag(help: "Replace files that are in the way.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    guard !data.isEmpty else { throw ValidationError("give at least one data file") }
    if let name, name.isEmpty || name.contains("/") || name.hasPrefix(".") {
      throw ValidationError("\"\(name)\" is no name for files")
    }
    if let repeated = Dictionary(grouping: data, by: ProjectLayout.absolute).values.first(where: { $0.count > 1 })?
      .first
    {
      throw ValidationError("\(repeated) is given twice")
    }
    if model == nil, modelVersion != nil { throw ValidationError("--model-version goes with --model") }
  }

  func run() throws {
    let cancellation = Cancellation()
    let signals = Signals(cancelling: cancellation)
    defer { withExtendedLifetime(signals) {} }
    let layout = ProjectLayout(data: data, model: model, output: output, name: name)
    do {
      try layout.check(replacesForeign: force)
      let given = try model.map { try StoreModel.readFile(path: $0, version: modelVersion).model }
      var inference = DataInference(files: layout.files, places: layout.places(modelVersion: modelVersion))
      inference.model = given
      inference.keepsText = keepText
      inference.addsExports = export
      inference.inflation = maxInflated.limit
      let project = try inference.project(cancellation: cancellation)
      guard let filled = project.model ?? given else { return }
      let written = try layout.write(project, model: filled)
      if !quiet { report(project, layout, written) }
    } catch {
      throw CommandFailure(error, store: output, format: log.logFormat)
    }
  }

  private func report(_ project: DataInference.Project, _ layout: ProjectLayout, _ written: ProjectLayout.Written) {
    func say(_ text: String, _ event: String = "init.note") { LogLine.say(text, event: event) }
    for path in written.paths { say("wrote \(path)", "init.wrote") }
    if !project.notes.isEmpty {
      say("The store or an export will have otherwise than the files:")
      for note in project.notes.prefix(20) { say("  \(note)") }
      if project.notes.count > 20 { say("  and \(project.notes.count - 20) more, in \(layout.pipelinePath)") }
    }
    if project.textColumnCount > 0 {
      let columns = project.textColumnCount.counted("column stays", "columns stay")
      say("\(columns) text, because an export would write numbers or booleans otherwise")
    }
    for problem in written.problems { say(problem) }
    for hint in project.doubts + written.hints { say("note: \(hint)") }
    let records = project.recordCount.counted("record")
    let entities = project.entities.count.counted("entity", "entities")
    say("\(records), \(entities). Next:", "init.ended")
    say("  \(Terminal.commandName) run \(layout.pipelineArguments)", "init.next")
  }
}
