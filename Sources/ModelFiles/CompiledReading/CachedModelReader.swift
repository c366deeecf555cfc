public import Foundation
public import ObjectModel
import Platform

/// Reads the model that a store carries in `Z_MODELCACHE.Z_CONTENT`, so that the store can be opened without any
/// other model.
public enum CachedModelReader {
  /// Reads a store's cached model.
  /// - Parameters:
  ///   - deflated: the value of `Z_CONTENT`: raw DEFLATE (RFC 1951, no header) of a keyed archive.
  ///   - origin: path of the store, for messages.
  ///   - storedHashes: the store's `NSStoreModelVersionHashes`; see `CompiledModelReader`.
  /// - Throws: `ModelError` when the bytes cannot be inflated to at most `CompiledModelReader.maximumByteCount`, or are
  ///   no archive of a model.
  public static func read(
    deflated: [UInt8], origin: String, storedHashes: [String: Data] = [:]
  ) throws(ModelError) -> ModelFile {
    let archive: [UInt8]
    do {
      archive = try RawDeflate.inflate(deflated, CompiledModelReader.maximumByteCount)
    } catch {
      throw ModelError(
        .malformedArchive, file: origin, "the store's cached model cannot be inflated: \(error)",
        hint: "give the app's model instead")
    }
    return try CompiledModelReader.read(archive: archive, origin: origin, storedHashes: storedHashes)
  }
}
