import Platform

/// Stores whose names differ by their endings alone have their files in one folder.
extension ExternalDataFolder {
  /// The other stores that have their files in a store's folder, sorted.
  static func others(besides path: String) -> [String] {
    let place = ResultPath.followed(path)
    let folder = ExternalDataFolder(storePath: place).supportPath
    let parent = FileSystem.parent(place)
    return FileSystem.names(in: parent).sorted().map { parent + "/" + $0 }.filter { other in
      // Where letters' case does not count, the store itself may be listed by another spelling.
      if other == place || other.lowercased() == place.lowercased() && FileIdentity(other) == FileIdentity(place) {
        return false
      }
      guard ExternalDataFolder(storePath: other).supportPath == folder, case .file = PathContent(at: other) else {
        return false
      }
      return StoreFiles.isDatabase(path: other)
    }
  }

  /// Names of the files that a store's rows name, sorted.
  static func files(of path: String) throws -> [String] {
    try ReadOnlyCopy.withConnection(to: path) { try namedFiles($0) }.sorted()
  }

  /// Names of the files that the other stores of a store's folder name.
  /// - Throws: when one of these stores cannot be read.
  static func filesOfOthers(besides path: String) throws -> Set<String> {
    try others(besides: path).reduce(into: []) { $0.formUnion(try files(of: $1)) }
  }
}
