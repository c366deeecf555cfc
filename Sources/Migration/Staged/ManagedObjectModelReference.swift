public import Foundation
import ModelFiles
public import ObjectModel

/// A model that a stage of a migration names: itself, or where it is, with the checksum that it must have.
public struct ManagedObjectModelReference: Sendable {
  private enum Place: Sendable {
    case model(ManagedObjectModel)
    case file(URL, version: String?)
    case hashes([String: Data], ModelLibrary)
  }

  private let place: Place
  /// The model's `versionChecksum`, base64 as Xcode's build log and `momc` print it.
  public let versionChecksum: String

  /// A model that is there.
  public init(model: ManagedObjectModel, versionChecksum: String) {
    place = .model(model)
    self.versionChecksum = versionChecksum
  }

  /// A model in a file, or a version of a model's folder.
  public init(fileURL: URL, version: String? = nil, versionChecksum: String) {
    place = .file(fileURL, version: version)
    self.versionChecksum = versionChecksum
  }

  /// The version of a library with these version hashes.
  public init(entityVersionHashes: [String: Data], in library: ModelLibrary, versionChecksum: String) {
    place = .hashes(entityVersionHashes, library)
    self.versionChecksum = versionChecksum
  }

  /// The model, read where it is only named.
  /// - Throws: `ModelError` when it cannot be read, `MigrationError` when it is another than the checksum says.
  public func resolvedModel() throws -> ManagedObjectModel {
    let model: ManagedObjectModel
    switch place {
    case .model(let known): model = known
    case .file(let url, let version): model = try ModelReader.read(path: url.path, version: version)
    case .hashes(let hashes, let library):
      guard let version = library.version(withHashes: hashes) else {
        throw MigrationError(.missingSourceModel, "no version of the library has these version hashes")
      }
      model = version.model
    }
    guard model.versionChecksum == versionChecksum else {
      throw MigrationError(
        .missingSourceModel,
        "a stage names a model with the checksum \(versionChecksum), and it has \(model.versionChecksum)",
        hint: "the model was changed after the stage was written")
    }
    return model
  }
}
