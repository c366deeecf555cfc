import ArgumentParser
import Exports
import Foundation
import ImportEngine
import ModelFiles

/// `seedbed generate`
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Writes Swift accessors for a model: a file with a class per entity or a struct per composite.",
    discussion: """
      The paths of the files that are new or have changed are written to standard output; files that would not change \
      are not touched. A file that this command did not write is only replaced with --force.
      """)

  @Argument(
    help: "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that carries it.", completion: .file())
  var model: String

  @Argument(help: "The folder for the files; it is made when there is none.", completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The model version; the current one by default.", valueName: "name"))
  var modelVersion: String?

  @Flag(name: .customLong("public"), help: "Make the classes public, for use outside their module.")
  var isPublic = false

  @Flag(help: "Replace files of the same names that this command did not write.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func run() throws {
    do {
      let file = try StoreModel.readFile(path: model, version: modelVersion)
      let generator = AccessorGenerator(
        model: file.model, modelName: ModelReader.modelName(path: model), isPublic: isPublic)
      let files = GeneratedFiles(folder: folder, files: generator.files())
      let written = try files.write(from: model, replacesForeign: force)
      guard !quiet else { return }
      for path in written { Terminal.print(path) }
      let unchanged = files.files.count - written.count
      Terminal.say("\(written.count) written, \(unchanged) unchanged")
      for name in files.leftOver() {
        Terminal.say("note: \(folder)/\(name) was made from a model before, which has no such entity now")
      }
    } catch {
      throw CommandFailure(error, store: model, format: log.logFormat)
    }
  }
}
