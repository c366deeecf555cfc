import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// Stores and models that Apple's tools made, beside the package when they are there.
enum Fixtures {
  /// The stores with a source of their model.
  static let pairedStorePaths = FixtureFolder.expected.storePaths.filter { !models(of: $0).isEmpty }

  private static func models(of store: String) -> [String] { FixtureFolder.expected.stores[store]?.models ?? [] }

  static func expected(_ store: String) throws -> FixtureExpectations.Store {
    try #require(FixtureFolder.expected.stores[store])
  }

  static func model(of store: String) throws -> ManagedObjectModel {
    try ModelReader.read(path: FixtureFolder.path(try #require(models(of: store).first)))
  }

  /// The model that a store carries itself; nil when it has none.
  static func cachedModel(of path: String) throws -> ManagedObjectModel? {
    guard let cache = try ModelCache.read(path: path) else { return nil }
    return try CachedModelReader.read(
      deflated: cache.content, origin: path, storedHashes: cache.versionHashes
    ).model
  }

  /// A writable copy of a store with its sidecars.
  static func copy(_ store: String, to folder: TemporaryFolder) throws -> String {
    try FixtureFolder.copyStore(store, to: folder.url).path
  }
}
