public import ObjectModel

/// A model as it was read from a file, with what the reader could not use.
public struct ModelFile: Sendable {
  /// The validated model.
  public let model: ManagedObjectModel
  /// The version's name without its suffix; empty for a model that was read from bytes in memory.
  public let versionName: String
  /// Path of the XML file or archive that was read, or of the store that it came out of.
  public let path: String
  /// What this reader does not know or has no place for and left out, or that contradicts itself harmlessly; each with
  /// its line where the model came from XML.
  public let warnings: [ModelError.Problem]
}

/// The versions of a model's folder.
public struct ModelVersions: Sendable, Hashable {
  /// Names without their suffix, sorted by code point. Never empty.
  public let names: [String]
  /// The current version; nil when there are several and no file says which is current.
  public let current: String?
}
