public import Foundation

/// How the version hashes that a store or a compiled model carries compare with those of a model. Names are sorted by
/// code point.
public struct HashComparison: Sendable, Hashable {
  /// Entities of the model that are not in the other.
  public let missing: [String]
  /// Entities of the other that are not in the model.
  public let unknown: [String]
  /// Entities of both whose hashes differ.
  public let different: [String]

  /// Whether both have the same entities with the same hashes: the test that Core Data makes on opening a store.
  public var isCompatible: Bool { missing.isEmpty && unknown.isEmpty && different.isEmpty }
}

extension ManagedObjectModel {
  /// Compares the model's hashes with others, such as a store's `NSStoreModelVersionHashes` or those of one version in
  /// a `VersionInfo.plist`.
  public func compareVersionHashes(with other: [String: Data]) -> HashComparison {
    let own = entityVersionHashesByName
    return HashComparison(
      missing: own.keys.filter { other[$0] == nil }.sortedByCodePoint { $0 },
      unknown: other.keys.filter { own[$0] == nil }.sortedByCodePoint { $0 },
      different: own.filter { name, hash in other[name].map { $0 != hash } ?? false }.keys.sortedByCodePoint { $0 })
  }
}
