import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import StoreInterface

/// Finds the version of a model that a store was made with: by its version hashes, and where some hashes of versions
/// are not sure, by the model that the store carries, or else by the columns of its tables.
struct SourceVersion {
  let hashes: [String: Data]
  /// The model that the store carries itself, as far as it is sound and has the store's hashes.
  private var carried: ManagedObjectModel?
  private var shape: StoreShape?

  /// Hashes alone.
  init(hashes: [String: Data]) { self.hashes = hashes }

  /// - Throws: where the store cannot be read.
  init(storeAt url: URL, _ type: some PersistentStoreType, _ hashes: [String: Data]) throws {
    self.hashes = hashes
    guard type is SQLitePersistentStoreType else { return }
    carried = (try? Self.carriedModel(ofStoreAt: url, hashes)) ?? nil
    if carried == nil { shape = try StoreShape(storeAt: url.path) }
  }

  /// The model that a SQLite store carries itself, where it has the store's hashes.
  static func carriedModel(ofStoreAt url: URL, _ hashes: [String: Data]) throws -> ManagedObjectModel? {
    guard let cache = try ModelCache.read(path: url.path) else { return nil }
    let model = try CachedModelReader.read(
      deflated: cache.content, origin: url.path, storedHashes: cache.versionHashes
    ).model
    return model.entityVersionHashesByName == hashes ? model : nil
  }

  /// The version that the store was made with, with the store's hashes where its own are not sure.
  /// - Parameter wanted: which one is meant where columns do not tell several apart; the first one by default, and in
  ///   stores of other types.
  func find(
    among models: [ManagedObjectModel], wanted: Int? = nil
  ) -> (index: Int, model: ManagedObjectModel)? {
    if let index = models.firstIndex(where: { $0.entityVersionHashesByName == hashes }) {
      return (index, models[index])
    }
    let fitting = models.enumerated().compactMap {
      index, model -> (index: Int, model: ManagedObjectModel, excess: Int)? in
      let model = model.takingUnconfirmedHashes(from: hashes, carrying: carried)
      guard model.entityVersionHashesByName == hashes else { return nil }
      guard let shape else { return (index, model, 0) }
      return shape.excess(over: model).map { (index, model, $0) }
    }
    guard let least = fitting.map(\.excess).min() else { return nil }
    let best = fitting.filter { $0.excess == least }
    return (best.first { shape != nil && $0.index == wanted } ?? best.first).map { ($0.index, $0.model) }
  }
}
