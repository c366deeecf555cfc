public import ArgumentParser
import Foundation
import ImportEngine
public import ModelFiles
import StoreModels

/// `seedbed generate`
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Writes Swift classes for a model: for each entity a class, and an extension with its typed properties.",
    discussion: """
      Recipe.swift has the class: it is written when there is no such file, and never again, so that it can be changed. \
      Recipe+Properties.swift has the properties and is written anew when the model changes. An entity whose Codegen is \
      "Category/Extension" gets the second file only; --codegen decides for all entities.

      The paths of the files that are new or have changed are written to standard output; files that would not change \
      are not touched. A file that this command did not write is only replaced with --force, and a class not even then.
      """)

  @Argument(
    help: "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that carries it.", completion: .file())
  var model: String

  @Argument(help: "The folder for the files; it is made when there is none.", completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The model version; the current one by default.", valueName: "name"))
  var modelVersion: String?

  @Option(
    help: ArgumentHelp(
      "What the classes are for: seedbed for this package, core-data for Apple's framework: the files that Xcode writes.",
      valueName: "flavor"))
  var flavor = AccessorGenerator.Flavor.seedbed

  @Option(
    help: ArgumentHelp(
      "Which files every entity gets: class for both, category for its properties only; by default what the model says.",
      valueName: "files"))
  var codegen: AccessorGenerator.CodeGeneration?

  @Flag(name: .customLong("public"), help: "Make the classes public, for use outside their module.")
  var isPublic = false

  @Flag(help: "Replace files of the same names that this command did not write; classes are never replaced.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func validate() throws {
    try ResultName.check(folder, "the folder", isFolder: true)
    if isPublic, flavor == .coreData {
      throw ValidationError("--public is for --flavor seedbed: classes for Core Data are public, as Xcode's are")
    }
  }

  func run() throws {
    do {
      let file = try StoreModel.readFile(path: model, version: modelVersion)
      let generator = AccessorGenerator(
        model: file.model, modelName: ModelReader.modelName(path: model), isPublic: isPublic, flavor: flavor,
        codeGeneration: codegen)
      let files = GeneratedFiles(folder: folder, files: generator.files())
      let kept = files.keptClasses()
      let written = try files.write(from: model, replacesForeign: force)
      guard !quiet else { return }
      for path in written { Terminal.print(path) }
      let unchanged = files.files.count - written.count - kept.count
      LogLine.say(
        "\(written.count) written, \(unchanged) unchanged"
          + (kept.isEmpty ? "" : ", \(kept.count) classes left as they are"), event: "generate.ended")
      for note in generator.notes + files.notes(about: kept) { LogLine.say("note: \(note)", event: "generate.note") }
    } catch {
      throw CommandFailure(error, store: model, format: log.logFormat)
    }
  }
}

extension AccessorGenerator.Flavor: ExpressibleByArgument {}
extension AccessorGenerator.CodeGeneration: ExpressibleByArgument {}
