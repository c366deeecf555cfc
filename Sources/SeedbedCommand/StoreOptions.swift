import ArgumentParser
import ModelFiles
import ObjectModel

/// The model that a store is read with.
struct ModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The model: an .xcdatamodeld or .xcdatamodel.", valueName: "path"), completion: .directory)
  var model: String

  @Option(help: ArgumentHelp("The model version; the current one by default.", valueName: "name"))
  var modelVersion: String?

  func read() throws(ModelError) -> ManagedObjectModel {
    try ModelReader.read(path: model, version: modelVersion)
  }
}

/// How errors are written.
struct LogOptions: ParsableArguments {
  @Option(help: "How errors are written to standard error: text or json.")
  var logFormat: LogFormat = .text
}
