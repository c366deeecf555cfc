import ArgumentParser
import CoreDataLayout
import ImportEngine
import ModelFiles
import ObjectModel
import StoreModels

/// The subject of `inspect`: a store with the model that describes it, if there is one, or a model alone.
struct InspectionSubject {
  let path: String
  /// The store or model, and the model given with it.
  let paths: [String]
  /// Nil for a model alone.
  let store: StoreInspection?
  /// Nil for a store without any.
  let modelFile: ModelFile?
  /// The versions in a model's folder; nil for a store.
  let versions: ModelVersions?
  /// Parts that could not be read or do not fit together, in sentences.
  let notes: [String]

  var model: ManagedObjectModel? { modelFile?.model }

  init(path: String, modelPath: String?, version: String?) throws {
    self.path = path
    paths = [path] + (modelPath.map { [$0] } ?? [])
    guard !ModelReader.isModel(path: path) else {
      guard modelPath == nil else { throw ValidationError("--model is for stores, and \(path) is a model") }
      store = nil
      modelFile = try ModelReader.readFile(path: path, version: version)
      versions = try ModelReader.versions(path: path)
      notes = []
      return
    }
    versions = nil
    var store = try StoreInspection.read(path: path)
    var notes: [String] = []
    var file: ModelFile?
    if let modelPath {
      file = try StoreModel.readFile(path: modelPath, version: version)
    } else if version != nil {
      throw ValidationError("--model-version chooses a version of --model, which is absent")
    } else {
      do {
        file = try StoreModel.readCached(storePath: path)
      } catch let error as ModelError {
        notes.append("the cached model cannot be read: \(error.problems.map(\.message).joined(separator: "; "))")
      }
    }
    if let model = file?.model {
      let mismatches = Self.mismatches(model, store)
      let renamed = mismatches.isEmpty ? Self.renamed(model, store) : [:]
      if !renamed.isEmpty {
        notes += store.entities.compactMap { row in
          renamed[row.number].map { "entity \(row.number) is \($0); Z_PRIMARYKEY has an earlier name, \(row.name)" }
        }
        store = try StoreInspection.read(path: path, entityNames: renamed)
      }
      notes += mismatches
    }
    self.store = store
    modelFile = file
    self.notes = notes
  }

  /// `Z_ENT` → name of the entities whose `Z_NAME` is another one, by the numbering of a model that fits the store.
  private static func renamed(_ model: ManagedObjectModel, _ store: StoreInspection) -> [Int: String] {
    let layout = StoreLayout(model: model)
    var names: [Int: String] = [:]
    for row in store.entities {
      if let entity = layout.entity(number: row.number), entity.name != row.name { names[row.number] = entity.name }
    }
    return names
  }

  private static func mismatches(_ model: ManagedObjectModel, _ store: StoreInspection) -> [String] {
    let comparison = model.compareVersionHashes(with: store.metadata.entityVersionHashesByName)
    return [
      ("the model's version hash differs from the store's", comparison.different),
      ("the store has no version hash", comparison.missing), ("the model has no such entity", comparison.unknown),
    ].filter { !$0.1.isEmpty }.map { "\($0.1.joined(separator: ", ")): \($0.0)" }
  }
}
