import Foundation
import Platform

/// Stores whose names differ by their endings alone have their files in one folder.
extension ExternalDataFolder {
  /// The other stores that have their files in a store's folder, sorted.
  static func others(besides path: String) -> [String] {
    let place = ResultPath.followed(path)
    let folder = ExternalDataFolder(storePath: place).supportPath
    // Where the file system takes small letters and capitals for the same, names of several spellings have one folder.
    let folderIdentity = FileIdentity(folder)
    let parent = FileSystem.parent(place)
    let stem = ((place as NSString).lastPathComponent as NSString).deletingPathExtension
    let own = FileIdentity(place)
    let names = FileSystem.names(in: parent).filter { $0.lowercased().hasPrefix(stem.lowercased()) }
    return names.sorted().map { parent + "/" + $0 }.filter { other in
      let itsFolder = ExternalDataFolder(storePath: other).supportPath
      guard itsFolder == folder || (folderIdentity != nil && FileIdentity(itsFolder) == folderIdentity),
        case .file = PathContent(at: other)
      else { return false }
      // The store itself has several names: with and without a folder, in other letters, as a hard link.
      if other == place || (own != nil && FileIdentity(other) == own) { return false }
      return StoreFiles.isDatabase(path: other)
    }
  }

  /// Names of the files that a store's rows name, sorted.
  static func files(of path: String) throws -> [String] {
    try ReadOnlyAccess.withConnection(to: path) { try namedFiles($0) }.sorted()
  }

  /// Names of the files that the other stores of a store's folder name.
  /// - Throws: when one of these stores cannot be read.
  static func filesOfOthers(besides path: String) throws -> Set<String> {
    try others(besides: path).reduce(into: []) { $0.formUnion(try files(of: $1)) }
  }
}
