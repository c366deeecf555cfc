public import Foundation
public import ObjectModel
import Platform
import PropertyLists

/// What `VersionInfo.plist` in a compiled model's folder says of the versions: the hashes that Apple's compiler
/// computed, which are the ones that stores carry.
public struct VersionInfo: Sendable, Hashable {
  /// Name of the file inside a `.momd` folder.
  public static let fileName = "VersionInfo.plist"
  /// Name of the current version, without `.mom`.
  public let currentVersionName: String?
  /// Version name → entity name → 32-byte version hash.
  public let versionHashes: [String: [String: Data]]
  /// Version name → checksum (base64), which newer compilers write.
  public let versionChecksums: [String: String]

  /// Reads the file of a `.momd` folder.
  /// - Parameter folder: path of the `.momd` folder.
  /// - Returns: nil when the folder has no such file.
  /// - Throws: `ModelError` when the file is unreadable, too large or not what it should be.
  public static func read(folder: String) throws(ModelError) -> VersionInfo? {
    let path = folder + "/" + fileName
    guard ModelFileSystem.kind(path) != .missing else { return nil }
    let name = "NSManagedObjectModel_"
    guard let contents = try PropertyListFile.read(path)?.value?.dictionaryValue,
      let hashes = entries(contents[name + "VersionHashes"], { entries($0, \.dataValue) }),
      let checksums = entries(contents[name + "VersionChecksums"], \.stringValue),
      contents[name + "CurrentVersionName"].map({ $0.stringValue != nil }) ?? true
    else {
      throw ModelError(
        .malformedArchive, file: path, "the file is not a property list with the versions' hashes", hint: hint)
    }
    for (version, entities) in hashes {
      for (entity, hash) in entities where hash.count != 32 {
        throw ModelError(
          .malformedArchive, file: path, "the hash of \(entity) in version \(version) has \(hash.count) bytes, not 32",
          hint: hint)
      }
    }
    return VersionInfo(
      currentVersionName: contents[name + "CurrentVersionName"]?.stringValue, versionHashes: hashes,
      versionChecksums: checksums)
  }

  private static let hint = "restore the file from a whole copy, or compile the model again"

  /// The entries of a dictionary whose values are all of one kind; none for an absent one, nil for anything else.
  private static func entries<Entry>(
    _ list: PropertyListValue?, _ entry: (PropertyListValue) -> Entry?
  ) -> [String: Entry]? {
    guard let list else { return [:] }
    guard let found = list.dictionaryValue else { return nil }
    let values = found.compactMapValues(entry)
    return values.count == found.count ? values : nil
  }
}
