public import Foundation
public import ObjectModel

/// What `VersionInfo.plist` in a compiled model's folder says of the versions: the hashes that Apple's compiler
/// computed, which are the ones that stores carry.
public struct VersionInfo: Sendable, Hashable {
  /// Name of the file inside a `.momd` folder.
  public static let fileName = "VersionInfo.plist"
  /// The largest file that is read, in bytes.
  static let maximumByteCount = 16 << 20

  /// Name of the current version, without `.mom`.
  public let currentVersionName: String?
  /// Version name → entity name → 32-byte version hash.
  public let versionHashes: [String: [String: Data]]
  /// Version name → checksum (base64), which newer compilers write.
  public let versionChecksums: [String: String]

  /// The file's own names.
  private struct Contents: Decodable {
    var NSManagedObjectModel_CurrentVersionName: String?
    var NSManagedObjectModel_VersionHashes: [String: [String: Data]]?
    var NSManagedObjectModel_VersionChecksums: [String: String]?
  }

  /// Reads the file of a `.momd` folder.
  /// - Parameter folder: path of the `.momd` folder.
  /// - Returns: nil when the folder has no such file.
  /// - Throws: `ModelError` when the file is unreadable, too large or not what it should be.
  public static func read(folder: String) throws(ModelError) -> VersionInfo? {
    let path = folder + "/" + fileName
    guard ModelFileSystem.kind(path) != .missing else { return nil }
    let bytes = try ModelFileSystem.readFile(path, limit: maximumByteCount)
    let hint = "restore the file from a whole copy, or compile the model again"
    let contents: Contents
    do {
      contents = try PropertyListDecoder().decode(Contents.self, from: bytes)
    } catch {
      throw ModelError(
        .malformedArchive, file: path, "the file is not a property list with the versions' hashes", hint: hint)
    }
    let hashes = contents.NSManagedObjectModel_VersionHashes ?? [:]
    for (version, entities) in hashes {
      for (entity, hash) in entities where hash.count != 32 {
        throw ModelError(
          .malformedArchive, file: path, "the hash of \(entity) in version \(version) has \(hash.count) bytes, not 32",
          hint: hint)
      }
    }
    return VersionInfo(
      currentVersionName: contents.NSManagedObjectModel_CurrentVersionName, versionHashes: hashes,
      versionChecksums: contents.NSManagedObjectModel_VersionChecksums ?? [:])
  }
}
