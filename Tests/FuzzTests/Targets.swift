import Foundation
import ModelFiles
import ObjectModel
import PropertyLists
import StoreInterface
import Testing

@testable import CoreDataLayout

/// A reader that must take any bytes: it gives a result or throws an error of its module, and nothing else. Or a writer
/// of pages, for which the bytes decide what it writes: the result must be what SQLite writes.
enum Target: String, CaseIterable, Sendable {
  case propertyList, compiledModel, cachedModel, sourceModel, versionInfo, store, pages, pageLoad, rewrite

  /// An input of the corpus.
  struct Input: Sendable {
    var name: String
    var bytes: [UInt8]
  }

  /// Feeds the bytes to the reader.
  /// - Parameter folder: an empty folder that the target may write to; what is left in it is removed.
  func run(_ bytes: [UInt8], in folder: URL) throws {
    switch self {
    case .propertyList:
      guard let value = try? PropertyList.decode(binary: bytes) else { return }
      // What was read can be written, and read again. (NaN is not equal to itself, so the bytes are compared.)
      let written = PropertyList.encode(binary: value)
      let again = try PropertyList.decode(binary: written)
      guard PropertyList.encode(binary: again) == written else { throw Broken("a property list changed on its way") }
    case .compiledModel: check { try CompiledModelReader.read(archive: bytes).model }
    case .cachedModel:
      check { try CachedModelReader.read(deflated: bytes, origin: "fuzz").model }
    case .sourceModel:
      let path = folder.appendingPathComponent("contents")
      try Data(bytes).write(to: path)
      check { try ModelReader.read(path: path.path) }
    case .versionInfo:
      try Data(bytes).write(to: folder.appendingPathComponent(VersionInfo.fileName))
      _ = try? VersionInfo.read(folder: folder.path)
    case .store: try openStore(bytes, folder)
    case .pages: try PageFuzzTarget(bytes, in: folder).run()
    case .rewrite: try RewriteTarget(bytes, in: folder).run()
    case .pageLoad: if let target = try? PageLoadTarget(bytes, in: folder) { try target.run() }
    }
  }

  /// A model that was read can be laid out.
  private func check(_ read: () throws -> ManagedObjectModel) {
    guard let model = try? read() else { return }
    _ = StoreLayout(model: model).tableStatements
  }

  private func openStore(_ bytes: [UInt8], _ folder: URL) throws {
    let path = folder.appendingPathComponent("fuzz.sqlite").path
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    _ = try? StoreMetadata.read(path: path)
    _ = try? StoreInspection.read(path: path)
    let cache = try? ModelCache.read(path: path)
    let model = cache.flatMap { cache in
      try? CachedModelReader.read(deflated: cache.content, origin: path, storedHashes: cache.versionHashes).model
    }
    for model in [model, try Corpus.model].compactMap({ $0 }) {
      _ = try? StoreChecker.check(path: path, model: model)
      var options = SQLiteStore.Options()
      options.isReadOnly = true
      options.checksVersionHashes = false
      guard let store = try? SQLiteStore.open(path: path, model: model, options: options) else { continue }
      for entity in model.entities {
        var request = FetchSpecification(entity)
        request.fetchLimit = 1_000
        _ = try? store.snapshots(request)
      }
      try? store.close()
    }
    guard try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes) else {
      throw Broken("reading changed the store")
    }
    _ = try? StoreCopier.copy(from: path, to: path + ".copy")
  }

  /// A promise that was not kept.
  struct Broken: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }
}
