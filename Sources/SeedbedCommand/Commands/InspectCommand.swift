import ArgumentParser
import Foundation

/// `seedbed inspect`
struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows a store's or a model's entities, properties, versions, metadata and history; or a mapping model.",
    discussion: """
      Properties are those of the model that the store carries, or of --model; without either, the tables' columns are \
      shown. With --er, a diagram is written instead: an SVG picture or Mermaid text. Nothing is changed.
      """)

  @Argument(
    help:
      "The store, or a model: an .xcdatamodeld, .xcdatamodel, .momd or .mom; or a mapping model, an .xcmappingmodel or .cdm.",
    completion: .file())
  var path: String

  @OptionGroup var model: ModelOptions

  @Option(
    name: .customLong("er"),
    help: ArgumentHelp(
      "Write an entity-relationship diagram: to an .svg or .mmd file, or as Mermaid text to standard output for -.",
      valueName: "path"), completion: .file(extensions: ["svg", "mmd"]))
  var diagramPath: String?

  @Flag(help: "Replace a file at the diagram's path that is no diagram.")
  var force = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    guard let diagramPath else { return }
    if json { throw ValidationError("--json describes the listing, and --er writes a diagram instead of it") }
    if DiagramFormat(path: diagramPath) == nil {
      throw ValidationError("--er takes a path that ends in .svg or .mmd, or -")
    }
  }

  func run() throws {
    do {
      if MappingInspection.isMappingModel(path) {
        if diagramPath != nil { throw ValidationError("--er draws the entities of a store or a model, not mappings") }
        let mapping = try MappingInspection(path: path)
        Terminal.print(json ? mapping.json : mapping.text)
        return
      }
      let subject = try InspectionSubject(path: path, modelPath: model.model, version: model.modelVersion)
      if let diagramPath, let format = DiagramFormat(path: diagramPath) {
        try DiagramFile(subject: subject, replacesForeign: force).write(to: diagramPath, format)
        return
      }
      Terminal.print(json ? InspectionJSON.text(subject) : InspectionText.text(subject))
    } catch let error as ValidationError {
      throw error
    } catch {
      throw CommandFailure(error, store: path, format: log.logFormat)
    }
  }
}
