/// Which generation of Core Data a layout is for: index names and the inline UNIQUE of old stores depend on it.
public struct FrameworkGeneration: Sendable, Hashable {
  /// `NSPersistenceFrameworkVersion`.
  public var version: Int
  /// Whether an index of one attribute is made a second time under the attribute's own name, as it is for models
  /// that went through Apple's model compiler (it sets the legacy `indexed` flag as well). Lookups gain nothing.
  public var repeatsSingleAttributeIndexes: Bool

  /// A generation by its framework version.
  public init(version: Int, repeatsSingleAttributeIndexes: Bool = false) {
    self.version = version
    self.repeatsSingleAttributeIndexes = repeatsSingleAttributeIndexes
  }

  /// The newest framework whose stores have been seen (iOS 26, macOS 26).
  public static let newest = FrameworkGeneration(version: 1523)

  /// Attribute indexes are called `<TABLE>_<COLUMN>_INDEX`.
  var usesLegacyIndexNames: Bool { version <= 754 }
  /// A constraint of one attribute is part of its column's definition.
  var hasInlineUnique: Bool { version <= 851 }
  /// `NSPersistenceMaximumFrameworkVersion` is written.
  var writesMaximumVersion: Bool { version >= 1522 }
  var writesDigest: Bool { version >= 969 }
  var writesChecksum: Bool { version >= 1321 }
}
