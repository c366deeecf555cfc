public import Foundation
import ModelFiles
public import ObjectModel
import Platform
import SQLite
import StoreInterface

/// The model that a store carries in `Z_MODELCACHE`, still compressed, and what its metadata says of it.
public struct ModelCache: Sendable {
  /// The most bytes of `Z_CONTENT` that are read; the largest known cache has far less than one megabyte.
  public static let maximumByteCount = 16 << 20

  /// Raw DEFLATE of a keyed archive of the model.
  public var content: [UInt8]
  /// The store's entity version hashes, 32 bytes each.
  public var versionHashes: [String: Data]

  /// What `Z_CONTENT` of a store of this model holds. Nil when the model is larger than caches may be, or has an
  /// expression that has no archived form (`CompiledModelWriter.archive(of:)`). Equal models give equal bytes.
  /// - Throws: when memory ends.
  public static func content(of model: ManagedObjectModel) throws -> [UInt8]? {
    guard let archive = try? CompiledModelWriter.archive(of: model) else { return nil }
    return try content(archive: archive)
  }

  /// Why a store cannot carry a model that is not compiled yet; nil where it can, unless the model is too large.
  package static func obstacle(to model: ManagedObjectModel) -> String? {
    do {
      _ = try CompiledModelWriter.archive(of: model)
      return nil
    } catch {
      return "the store carries no model (Z_MODELCACHE is empty), and commands need it by --model: "
        + (error.problems.first?.message ?? error.description)
    }
  }

  /// What `Z_CONTENT` holds for a model that is archived already; nil when it is larger than caches may be.
  /// - Throws: when memory ends.
  public static func content(archive: [UInt8]) throws -> [UInt8]? {
    let deflated = try RawDeflate.deflate(archive)
    return deflated.count <= maximumByteCount ? deflated : nil
  }

  /// Reads the cache of a store; it and its sidecars are not changed.
  /// - Returns: nil when the store has no cached model.
  /// - Throws: `StoreError.notAStore` when the file is none, `StoreError` when the cache is larger than
  ///   `maximumByteCount`.
  public static func read(path: String) throws -> ModelCache? {
    try ReadOnlyAccess.withConnection(to: path) { connection in
      do {
        let metadata = try StoreMetadata(connection)
        let exists = try connection.integer(
          "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = 'Z_MODELCACHE'")
        guard exists == 1 else { return nil }
        // The length is asked for first: SQLite answers from the record's header, without reading the value.
        let rows = try Statement(
          connection,
          """
          SELECT length(Z_CONTENT), CASE WHEN length(Z_CONTENT) <= \(maximumByteCount) THEN Z_CONTENT END
          FROM Z_MODELCACHE WHERE typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) > 0 LIMIT 1
          """)
        guard try rows.step() else { return nil }
        guard let content = rows.blob(at: 1) else {
          throw StoreError.notAStore(
            path: path,
            message: "the cached model has \(rows.int64(at: 0)) bytes; no more than \(maximumByteCount) are read")
        }
        return ModelCache(content: content, versionHashes: metadata.entityVersionHashesByName)
      } catch let error as SQLiteError {
        throw StoreError(error, path: path)
      }
    }
  }
}
