import Foundation
package import Platform
import PropertyLists
import SQLite
import StoreInterface

/// The place of a store: whether a store may take it from what is at its path.
package enum StorePlace {
  /// The metadata key that every store made here has, copies included: what it was built from.
  package static let digestKey = "SeedbedInputDigest"
  /// What the digest begins with in a store of another program that was imported into. It stays that program's.
  package static let importedPrefix = "into:"
  /// The value under `digestKey` in a copy of a store that was not made here.
  static let copiedDigest = "copy"

  /// The folder with the files of a store's external data; it need not be there.
  package static func externalDataFolder(of path: String) -> String { ExternalDataFolder(storePath: path).supportPath }

  /// What is in the place of the folder with a store's external data, or of one inside it, and can be none; nil when
  /// nothing is. A symbolic link to a folder is not followed.
  package static func externalDataObstacle(of path: String) -> (path: String, text: String)? {
    let folder = ExternalDataFolder(storePath: path)
    for path in [folder.supportPath, folder.dataPath] {
      let content = PathContent(at: path)
      if PathContent.isLink(path) { return (path, "a symbolic link") }
      if content == .nothing { return nil }
      guard content == .folder else { return (path, content.text) }
    }
    return nil
  }

  /// Another store with files of external data, with which a store at a path would share the folder of these, because
  /// their names differ by their endings alone; nil where there is none.
  package static func storeSharingExternalData(with path: String) -> String? {
    guard FileSystem.exists(externalDataFolder(of: path)) else { return nil }
    return ExternalDataFolder.others(besides: path).first { (try? externalFiles(of: $0))?.isEmpty == false }
  }

  /// Names of the files of external data that a store's rows name, sorted.
  package static func externalFiles(of path: String) throws -> [String] {
    try ExternalDataFolder.files(of: path)
  }

  /// What is at a path, for a store that is to be put there.
  package enum Content: Sendable, Hashable {
    /// Nothing, or an empty file.
    case nothing
    /// A store that was made here.
    case earlierStore
    /// A store of another program, an app's for instance.
    case otherStore
    /// A SQLite database that is no store.
    case database
    /// A SQLite database whose metadata cannot be read, and that has no other sign of its origin.
    case damaged
    /// A file of zeros where a header would be, as a crash can leave a database.
    case emptyHeader
    /// A file that is no database.
    case otherFile
    /// Something that no file can replace: a folder, a FIFO, a device.
    case notAFile(PathContent)

    /// A description for messages; nil where a store may take its place.
    package var text: String? {
      switch self {
      case .nothing, .earlierStore: nil
      case .otherStore: "a store that Seedbed did not make"
      case .database: "a database that Seedbed did not make"
      case .damaged: "a damaged database: no metadata can be read, so nothing says that Seedbed made it"
      case .emptyHeader: "a file that begins with zeros, as a crash can leave a database, so nothing says whose it is"
      case .otherFile: "a file that is no store"
      case .notAFile(let content): content.text
      }
    }

    /// Whether it can be replaced when that is asked for.
    package var isReplaceable: Bool {
      if case .notAFile = self { return false }
      return true
    }
  }

  /// Whether a store was made here, as its metadata tell.
  static func isOurs(_ metadata: StoreMetadata) -> Bool {
    guard let value = metadata.values[digestKey] else { return false }
    return value.stringValue?.hasPrefix(importedPrefix) != true
  }

  /// Whether a file whose metadata cannot be read has the key in its bytes all the same: a store made here that was cut
  /// short.
  private static func isDamagedResult(_ path: String) -> Bool {
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe) else { return false }
    return data.range(of: Data(digestKey.utf8)) != nil && data.range(of: Data(importedPrefix.utf8)) == nil
  }

  /// Looks at a path without changing anything there.
  /// - Throws: `StoreError.busy` when a store is being written to all the time, `.inputOutput`.
  package static func content(at path: String) throws -> Content {
    let content = PathContent(at: path)
    switch content {
    case .nothing, .file(byteCount: 0): return .nothing
    case .file: break
    case .folder, .fifo, .socket, .device, .brokenLink, .unknown: return .notAFile(content)
    }
    guard StoreFiles.isDatabase(path: path) else {
      let header = try StoreFiles.header(path)
      return header.count >= 16 && header.allSatisfy { $0 == 0 } ? .emptyHeader : .otherFile
    }
    do {
      return isOurs(try StoreMetadata.read(path: path)) ? .earlierStore : .otherStore
    } catch StoreError.busy(let path) {
      throw StoreError.busy(path: path)
    } catch {
      if isDamagedResult(path) { return .earlierStore }
      return lacksMetadata(path) ? .database : .damaged
    }
  }

  /// Whether the schema of a database can be read, and no Core Data store has it.
  private static func lacksMetadata(_ path: String) -> Bool {
    let count = try? ReadOnlyAccess.withConnection(to: path) { connection in
      try connection.integer("SELECT count(*) FROM sqlite_master WHERE lower(name) = 'z_metadata'")
    }
    return count == 0
  }
}
