package import Foundation
import ModelFiles
package import ObjectModel

/// What tells the version of a model that a store was made with: its version hashes; where some hashes of versions are
/// not sure, the model that the store carries, or else the columns of its tables.
package struct SourceVersion {
  /// The store's version hashes by entity.
  package let hashes: [String: Data]
  /// The model that the store carries itself, as far as it is sound and has the store's hashes.
  package let carried: ManagedObjectModel?
  /// The columns of the store; nil where it carries a model, and of a store without tables.
  package let shape: StoreShape?

  /// A version that is known by its hashes alone.
  package init(hashes: [String: Data]) {
    self.hashes = hashes
    carried = nil
    shape = nil
  }

  /// What a SQLite store tells.
  /// - Throws: `StoreError`.
  package init(storeAt path: String) throws {
    hashes = try StoreMetadata.read(path: path).entityVersionHashesByName
    carried = Self.carriedModel(ofStoreAt: path, hashes)
    shape = carried == nil ? try StoreShape(storeAt: path) : nil
  }

  /// The model that a store carries itself; nil where it carries none that is sound and has the store's hashes.
  package static func carriedModel(ofStoreAt path: String, _ hashes: [String: Data]) -> ManagedObjectModel? {
    guard let cache = try? ModelCache.read(path: path),
      let model = try? CachedModelReader.read(
        deflated: cache.content, origin: path, storedHashes: cache.versionHashes
      ).model.takingUnconfirmedHashes(from: hashes), model.entityVersionHashesByName == hashes
    else { return nil }
    return model
  }

  /// Whether a store may have been made with a model: nil where it was not. Of several models, those that leave the
  /// fewest columns unexplained fit best.
  /// - Returns: the model, with the store's hashes where its own are not sure, and how many columns of the store it
  ///   does not explain: less than 0 where it has the store's hashes by the rules alone or as Apple's compiler wrote
  ///   them.
  package func fit(_ model: ManagedObjectModel) -> (model: ManagedObjectModel, excess: Int)? {
    if model.entityVersionHashesByName == hashes { return (model, -1) }
    let known = model.takingUnconfirmedHashes(from: hashes, carrying: carried)
    guard known.entityVersionHashesByName == hashes else { return nil }
    if known.ruledVersionHashes == hashes { return (known, -1) }
    guard let shape else { return (known, 0) }
    return shape.excess(over: known).map { (known, $0) }
  }

  /// The version that the store was made with, with the store's hashes where its own are not sure.
  /// - Parameter wanted: which one is meant where columns do not tell several apart; the first one by default.
  package func find(
    among models: [ManagedObjectModel], wanted: Int? = nil
  ) -> (index: Int, model: ManagedObjectModel)? {
    if let index = models.firstIndex(where: { $0.entityVersionHashesByName == hashes }) {
      return (index, models[index])
    }
    let fitting = models.enumerated().compactMap { index, model in
      fit(model).map { (index: index, model: $0.model, excess: $0.excess) }
    }
    guard let least = fitting.map(\.excess).min() else { return nil }
    let best = fitting.filter { $0.excess == least }
    return (best.first { shape != nil && $0.index == wanted } ?? best.first).map { ($0.index, $0.model) }
  }
}
