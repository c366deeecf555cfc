import ArgumentParser
import ModelFiles
import StoreModels

/// The model that a store is read with.
struct ModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The model: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that carries it; the one that the store "
        + "itself carries by default.", valueName: "path"),
    completion: .file())
  var model: String?

  @Option(help: ArgumentHelp("The model version; the current one by default.", valueName: "name"))
  var modelVersion: String?

  /// Refuses a version of no model.
  func requireModel() throws {
    guard model == nil, modelVersion != nil else { return }
    throw ValidationError("--model-version chooses a version of --model, which is absent")
  }

  func read(store: String) throws -> ModelFile {
    try requireModel()
    return try StoreModel.read(storePath: store, modelPath: model, version: modelVersion)
  }
}
