public import ObjectModel

/// A model as it was read from a file, with what the reader could not use.
public struct ModelFile: Sendable {
  /// The validated model.
  public let model: ManagedObjectModel
  /// The version's name without the `.xcdatamodel` suffix.
  public let versionName: String
  /// Path of the XML file that was read.
  public let path: String
  /// XML that this reader does not know, or that contradicts itself harmlessly, each with its line.
  public let warnings: [ModelError.Problem]
}

/// The versions of a model's folder.
public struct ModelVersions: Sendable, Hashable {
  /// Names without the `.xcdatamodel` suffix, sorted by code point. Never empty.
  public let names: [String]
  /// The current version; nil when there are several and no file says which is current.
  public let current: String?
}
