public import Foundation
public import ObjectModel

/// A model as it was read from a file, with what the reader could not use.
public struct ModelFile: Sendable {
  /// The model, which was validated when it was read.
  public let model: ManagedObjectModel
  /// The version's name without its suffix; empty for a model that was read from bytes in memory.
  public let versionName: String
  /// Path of the XML file or archive that was read, or of the store that it came out of.
  public let path: String
  /// The keyed archive of the model as Apple's compiler made it, which is what a store caches; nil for a model that was
  /// read from XML.
  public let archive: [UInt8]?
  /// What the reader left out because it is unknown or a model has no place for it, and harmless contradictions; each
  /// with its line where the model came from XML.
  public let warnings: [ModelError.Problem]

  /// The same file with `ManagedObjectModel.takingUnconfirmedHashes(from:)` done to its model.
  public func takingUnconfirmedHashes(from storedHashes: [String: Data]) -> ModelFile {
    with(model.takingUnconfirmedHashes(from: storedHashes))
  }

  /// The same file with `ManagedObjectModel.takingUnconfirmedHashes(from:carrying:)` done to its model.
  package func takingUnconfirmedHashes(
    from storedHashes: [String: Data], carrying carried: ManagedObjectModel?
  ) -> ModelFile {
    with(model.takingUnconfirmedHashes(from: storedHashes, carrying: carried))
  }

  private func with(_ model: ManagedObjectModel) -> ModelFile {
    ModelFile(model: model, versionName: versionName, path: path, archive: archive, warnings: warnings)
  }
}

/// The versions of a model's folder.
public struct ModelVersions: Sendable, Hashable {
  /// Names without their suffix, sorted with numbers by their value: `Shop 2` before `Shop 10`. Never empty.
  public let names: [String]
  /// The current version; nil when there are several and no file says which is current.
  public let current: String?

  /// The order of the names.
  static func precedes(_ first: String, _ second: String) -> Bool {
    switch first.compare(second, options: .numeric) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: first.precedesByCodePoint(second)
    }
  }
}
