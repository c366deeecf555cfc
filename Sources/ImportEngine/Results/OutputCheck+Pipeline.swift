import CoreDataLayout
import ObjectModel
import Pipelines
import Platform
import ResultFiles
import SeedFormats
import StoreModels

extension OutputCheck {
  /// Checks all results of a run.
  /// - Parameter replacesForeign: whether files that are no earlier results may be replaced.
  static func check(
    _ pipeline: PipelineFile, model: ManagedObjectModel, replacesForeign: Bool
  ) throws(RunError) {
    var inputs = RunInputs()
    inputs.add(file: pipeline.path)
    for path in (pipeline.imports.map(\.source) + pipeline.lookups.map(\.source)).flatMap(\.paths) where path != "-" {
      inputs.add(file: SeedPlace.parts(of: path).file)
    }
    if let seed = pipeline.store.seed { inputs.add(store: seed) }
    for path in pipeline.store.mappings.flatMap(MigrationSteps.mappingModels(at:)) { inputs.add(model: path) }
    // A store that is imported into may be the one that carries the model: it is read before it is replaced.
    let store = pipeline.store
    let isOwnModel =
      store.replace == .never && FileIdentity(pipeline.modelPath) != nil
      && FileIdentity(pipeline.modelPath) == FileIdentity(store.path)
    if !isOwnModel { inputs.add(model: pipeline.modelPath) }
    for step in pipeline.exports where step.isDirect && step.to != "-" && inputs.contain(step.to) {
      throw RunError(
        .cannotCreate, code: "output.is-input", "export.to names \(step.to), which the run reads",
        hint: "name another file")
    }
    try checkExternalData(of: pipeline.store, model)
    let results = try results(of: pipeline, model)
    try checkPlaces(results, inputs, store: store.path)
    for result in results {
      try check(result, replacesForeign: replacesForeign)
      try checkSidecars(of: result, inputs, replacesForeign: replacesForeign)
    }
  }

  /// Files of external data need a folder, where there may be something else.
  private static func checkExternalData(of store: StoreSettings, _ model: ManagedObjectModel) throws(RunError) {
    guard store.replace != .never || !FileSystem.exists(store.path),
      model.entities.contains(where: { $0.attributes.contains(where: \.allowsExternalBinaryDataStorage) }),
      let obstacle = StorePlace.externalDataObstacle(of: store.path)
    else { return }
    throw RunError(
      .cannotCreate, code: "output.not-a-folder",
      "store.path names \(store.path), and \(obstacle.path), where the folder of its external data would be, is "
        + obstacle.text,
      hint: "move it away, or give the store another name")
  }

  /// Everything that a run may put in place.
  private static func results(of pipeline: PipelineFile, _ model: ManagedObjectModel) throws(RunError) -> [Result] {
    var results = [
      Result(
        field: "store.path", path: pipeline.store.path, kind: .store(isImportedInto: pipeline.store.replace == .never))
    ]
    for step in pipeline.exports where !step.isDirect {
      // A mistake in the columns is reported with the others, later.
      guard let mark = try? step.mark(model) else { continue }
      results.append(Result(field: "export.to", path: step.to, kind: .text(mark, .csv)))
    }
    let rejects = RejectCollector(settings: pipeline.rejects, stepCount: pipeline.imports.count)
    for (index, step) in pipeline.imports.enumerated() {
      guard let path = rejects.path(step: index, name: step.name, source: step.source) else { continue }
      results.append(
        Result(
          field: "rejects.file", path: path, kind: .text(RejectFile.mark(step.source), RejectFile.options(step.source)))
      )
    }
    return results
  }
}
