/// Which generation of Core Data a store is laid out for. Everything that differs between generations is said here,
/// by the version from which, or up to which, it has been seen in stores.
public struct FrameworkGeneration: Sendable, Hashable {
  /// `NSPersistenceFrameworkVersion`: 519 is iOS 8, 754 iOS 10, 866 iOS 12, 1044 iOS 14, 1251 iOS 16, 1523 iOS 26.
  public var version: Int
  /// Whether an index of one attribute is made a second time under the attribute's own name, as it is for models
  /// that went through Apple's model compiler (it sets the legacy `indexed` flag as well). Models that an app builds
  /// in code have the index once. Older generations than 866 make only the index under the attribute's name.
  public var repeatsSingleAttributeIndexes: Bool

  /// A generation by its framework version.
  public init(version: Int, repeatsSingleAttributeIndexes: Bool = true) {
    self.version = version
    self.repeatsSingleAttributeIndexes = repeatsSingleAttributeIndexes
  }

  /// The oldest framework whose stores have been seen (2013).
  public static let oldest = FrameworkGeneration(version: 479)
  /// The newest framework whose stores have been seen (iOS 26, macOS 26).
  public static let newest = FrameworkGeneration(version: 1523)

  // MARK: - Schema

  /// Attribute indexes are called `<TABLE>_<COLUMN>_INDEX`, and there are no fetch indexes.
  var usesLegacyIndexNames: Bool { version <= 754 }
  /// An index of one attribute has the attribute's name, whatever the fetch index is called.
  var namesIndexesByAttribute: Bool { version < 866 }
  /// A constraint of one attribute is part of its column's definition.
  var hasInlineUnique: Bool { version <= 851 }
  /// There is a table `Z_MODELCACHE`.
  package var hasModelCache: Bool { version >= 640 }
  /// The tables of persistent history have the shape that is known here; those of the first generations with
  /// history (836 to 866) had other columns.
  var hasKnownHistoryTables: Bool { version >= 969 }

  // MARK: - Metadata

  /// `NSPersistenceMaximumFrameworkVersion` is written.
  var writesMaximumVersion: Bool { version >= 1522 }
  /// `NSStoreModelVersionHashesDigest` is written.
  var writesDigest: Bool { version >= 969 }
  /// `NSStoreModelVersionChecksumKey` is written.
  var writesChecksum: Bool { version >= 1321 }
}
