import CoreDataLayout
import Foundation
import ObjectModel
import Pipelines
import Platform

/// The store whose indexes and rows plans are about: the one that is there, or else the seed store, or else an empty
/// one of the model in a temporary folder, which is removed when this is closed.
final class AskedStore {
  let store: SQLiteStore
  /// The path of a store that is there; nil for an empty one of the model.
  let path: String?
  /// Remarks about the store.
  let notes: [String]
  private let folder: ScratchFolder?

  init(_ settings: StoreSettings, _ model: ManagedObjectModel) throws {
    var notes: [String] = []
    for path in [settings.path, settings.seed].compactMap({ $0 }) where FileSystem.exists(path) {
      do {
        // A run may replace a file that is no store, or migrate a store of another version.
        try StoreMetadata.read(path: path).check(against: model)
      } catch {
        notes.append("\(FilePath.shown(path)) is no store of this model")
        continue
      }
      store = try SQLiteStore.open(path: path, model: model, options: .reading)
      self.path = path
      self.notes = notes
      folder = nil
      return
    }
    let folder = try StoreFiles.temporaryFolder(for: settings.path)
    var options = SQLiteStore.Options()
    if let framework = settings.framework { options.generation = FrameworkGeneration(version: framework) }
    store = try SQLiteStore.create(path: folder.path + "/Empty.sqlite", model: model, options: options)
    self.folder = folder
    path = nil
    self.notes = notes
  }

  func close() {
    try? store.close()
    folder?.remove()
  }
}
