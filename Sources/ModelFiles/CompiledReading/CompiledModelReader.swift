public import Foundation
public import ObjectModel
import Platform
import PropertyLists

/// Reads compiled models: `.momd` folders, single `.mom` files, and archives that are in memory already.
///
/// An archive is read by a strict decoder that knows a fixed list of classes, makes no object of a class that the
/// archive names, and bounds depth, size and work. What compiled models do not hold stays at its default: the scalar
/// flag and the way of code generation.
public enum CompiledModelReader {
  /// The largest archive that is read, in bytes.
  public static let maximumByteCount = 64 << 20

  /// Reads an archive, as a `.mom` file or an inflated model cache holds it.
  /// - Parameters:
  ///   - bytes: the keyed archive of a model, a binary property list.
  ///   - origin: where the bytes came from, for messages: the path of a file.
  ///   - storedHashes: entity name → version hash that came with the archive, from a store's metadata or a
  ///     `VersionInfo.plist`. An entity whose hash rests on an unconfirmed rule takes its stored hash; any other entity
  ///     that differs from its stored hash gives a warning.
  /// - Throws: `ModelError` when the bytes are not such an archive, are damaged, or hold a model with a mistake.
  public static func read(
    archive bytes: [UInt8], origin: String = "compiled model", storedHashes: [String: Data] = [:]
  ) throws(ModelError) -> ModelFile {
    try read(archive: bytes, origin: origin, versionName: "", storedHashes: storedHashes)
  }

  /// Reads a version of a `.momd` folder or a `.mom` file. `path` has no `/` at the end.
  static func readFile(path: String, version: String?) throws(ModelError) -> ModelFile {
    let location = try CompiledModelLocation(path: path, version: version)
    let bytes = [UInt8](try ModelFileSystem.readFile(location.archivePath, limit: maximumByteCount))
    return try read(
      archive: bytes, origin: location.archivePath, versionName: location.versionName,
      storedHashes: location.versionInfo?.versionHashes[location.versionName] ?? [:])
  }

  private static func read(
    archive bytes: [UInt8], origin: String, versionName: String, storedHashes: [String: Data]
  ) throws(ModelError) -> ModelFile {
    guard bytes.count <= maximumByteCount else {
      throw ModelError(
        .unreadableFile, file: origin,
        "the archive is larger than \(maximumByteCount) bytes, the most a model may have",
        hint: "check that this is a model")
    }
    var decoder = CompiledModelDecoder(path: origin)
    let parts: CompiledModelDecoder.Parts
    do {
      parts = try decoder.decode(KeyedArchive(bytes).root())
    } catch {
      throw ModelError(
        .malformedArchive, file: origin, error.message,
        hint: error.isUnsupported
          ? "give the .xcdatamodeld folder instead" : "restore it from a whole copy, or compile the model again")
    }
    let model: ManagedObjectModel
    do {
      model = try ManagedObjectModel(
        entities: parts.entities, configurations: parts.configurations, fetchRequestTemplates: parts.templates,
        versionIdentifier: parts.versionIdentifier, storedHashes: storedHashes,
        validation: .compiled)
    } catch {
      throw ModelError(
        error.problems.map { problem in
          var problem = problem
          problem.file = origin
          return problem
        })
    }
    for warning in model.warnings { decoder.warn(warning) }
    if !storedHashes.isEmpty { decoder.compare(model, with: storedHashes) }
    return ModelFile(model: model, versionName: versionName, path: origin, archive: bytes, warnings: decoder.warnings)
  }
}

extension CompiledModelDecoder {
  /// Warns where the hashes that came with the archive are not those of the model.
  fileprivate mutating func compare(_ model: ManagedObjectModel, with storedHashes: [String: Data]) {
    let comparison = model.compareVersionHashes(with: storedHashes)
    for name in comparison.different { warn(entity: name, "the version hash stored with the model is another one") }
    for name in comparison.missing { warn(entity: name, "no version hash is stored with the model") }
    for name in comparison.unknown { warn(entity: name, "a version hash is stored, but the model has no such entity") }
  }
}
