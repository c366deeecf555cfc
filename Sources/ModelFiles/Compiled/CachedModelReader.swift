public import Foundation
public import ObjectModel

/// Reads the model that a store carries in `Z_MODELCACHE.Z_CONTENT`, so that the store can be opened without any
/// other model.
public enum CachedModelReader {
  /// Inflates raw DEFLATE (RFC 1951, no header), and throws when the bytes are damaged or would inflate to more than
  /// the given number of bytes. It must stop at that limit, since a few bytes can inflate to gigabytes.
  public typealias Inflater = (_ deflated: [UInt8], _ maximumByteCount: Int) throws -> [UInt8]

  /// Reads a store's cached model.
  ///
  /// This module knows no compression, so the caller brings it; one that has the archive inflated already calls
  /// `CompiledModelReader.read(archive:origin:storedHashes:)`.
  /// - Parameters:
  ///   - deflated: the value of `Z_CONTENT`.
  ///   - origin: path of the store, for messages.
  ///   - storedHashes: the store's `NSStoreModelVersionHashes`; see `CompiledModelReader`.
  ///   - inflate: see `Inflater`.
  /// - Throws: `ModelError` when the bytes cannot be inflated within the limit, or are no archive of a model.
  public static func read(
    deflated: [UInt8], origin: String, storedHashes: [String: Data] = [:], inflate: Inflater
  ) throws(ModelError) -> ModelFile {
    let archive: [UInt8]
    do {
      archive = try inflate(deflated, CompiledModelReader.maximumByteCount)
    } catch {
      throw ModelError(
        .malformedArchive, file: origin, "the store's cached model cannot be inflated: \(error)",
        hint: "give the app's model instead")
    }
    return try CompiledModelReader.read(archive: archive, origin: origin, storedHashes: storedHashes)
  }
}
