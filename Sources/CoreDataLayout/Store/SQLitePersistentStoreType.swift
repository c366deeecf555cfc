public import Foundation
import MemoryStore
public import ObjectModel
import Platform
import SQLite
public import StoreInterface

/// Stores in Core Data's own SQLite layout.
public struct SQLitePersistentStoreType: PersistentStoreType {
  /// The name of the type in Core Data's metadata.
  public var name: String { "SQLite" }
  /// The type; `.sqlite` reads better.
  public init() {}

  /// Opens the store, or makes it in WAL mode when there is none. At `/dev/null`, or without a URL, it is kept in
  /// memory and gone with the container.
  public func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    try StorePragmas.check(description.sqlitePragmas)
    guard let path = description.url?.path, path != "/dev/null" else {
      return InMemoryStore(model: model, tracksHistory: description.tracksHistory)
    }
    var options = SQLiteStore.Options()
    options.isReadOnly = description.isReadOnly
    options.busyTimeoutMilliseconds = Int32((min(max(description.timeout, 0), 1_000_000) * 1_000).rounded())
    options.tracksHistory = description.tracksHistory
    if let size = StorePragmas.cacheKibibytes(description.sqlitePragmas) { options.cacheKibibytes = size }
    if description.isReadOnly || FileSystem.exists(path) {
      return try Self.following(description, in: try SQLiteStore.open(path: path, model: model, options: options))
    }
    try StoreFiles.createParent(of: path)
    let store = try SQLiteStore.create(path: path, model: model, options: options)
    do {
      return try Self.following(description, in: store)
    } catch {
      // Nothing is left of a store that could not be opened as it was asked for.
      try? destroy(at: URL(filePath: path))
      throw error
    }
  }

  /// Does what a description says of the opened file; the store is closed when that fails.
  private static func following(_ description: PersistentStoreDescription, in store: SQLiteStore) throws -> SQLiteStore
  {
    do {
      try store.apply(description)
      return store
    } catch {
      try? store.close()
      throw error
    }
  }

  /// What `Z_METADATA` says, with the UUID.
  public func metadata(at url: URL) throws -> [String: any Sendable] {
    guard FileSystem.exists(url.path) else { throw StoreError.missing(path: url.path) }
    return try StoreMetadata.read(path: url.path).plainValues
  }

  /// Writes the row of `Z_METADATA` in a transaction of its own.
  public func replaceMetadata(at url: URL, with values: [String: Any]) throws {
    guard FileSystem.exists(url.path) else { throw StoreError.missing(path: url.path) }
    // Refuses what is no store before anything is opened for writing.
    _ = try StoreMetadata.read(path: url.path)
    do {
      let connection = try Connection(path: url.path)
      try connection.atomically(mapping: { $0 as any Error }) {
        var metadata = try StoreMetadata(connection)
        for (key, value) in try metadata.changes(toProgramValues: values) { metadata.values[key] = value }
        try metadata.write(to: connection)
      }
      try connection.close()
    } catch let error as SQLiteError {
      throw StoreError(error, path: url.path)
    }
  }

  /// Empties the database under SQLite's own locks, so that a connection that is still open finds no rows instead of
  /// going on with a file that has no name any more, then removes it with its sidecars and external data.
  /// - Throws: `StoreError.busy` when another connection uses it, `.notAStore` when the file is no database; it stays
  ///   then.
  public func destroy(at url: URL) throws {
    let path = url.path
    if path == "/dev/null" || !FileSystem.exists(path) { return }
    guard try StoreFiles.isDatabaseOrEmpty(path) else {
      throw StoreError.notAStore(path: path, message: "it is no SQLite database and is left alone")
    }
    let external = ExternalDataFolder(storePath: path)
    // Where another store of the folder cannot be read, what it names is not known, and all stay.
    let others = try? ExternalDataFolder.filesOfOthers(besides: path)
    do {
      let connection = try Connection(path: path)
      // Leaving WAL mode needs every other connection gone; the exclusive lock is kept until the file is removed.
      try connection.keepLocks()
      try connection.reset()
      for file in Sidecar.files(of: path) { try StoreFiles.remove(file) }
      try connection.close()
    } catch let error as SQLiteError {
      if error.code == .busy || error.code == .locked { throw StoreError.busy(path: path) }
      throw StoreError(error, path: path)
    }
    guard let folder = try external.openData(), let others else { return }
    for name in try folder.names() where ExternalDataFolder.isFileName(name) && !others.contains(name) {
      try folder.remove(name)
    }
    external.removeIfEmpty()
  }

  /// Copies with sidecars and external data, and puts the copy in place under the destination's locks.
  public func replace(at url: URL, with source: URL) throws {
    var options = StoreCopier.Options()
    options.replace = .always
    // The program asked for the replacement, so any store may be replaced.
    options.replacesForeign = true
    options.journal = .wal
    try StoreCopier.copy(from: source.path, to: url.path, options: options)
  }
}

extension PersistentStoreType where Self == SQLitePersistentStoreType {
  /// Stores in Core Data's own SQLite layout.
  public static var sqlite: SQLitePersistentStoreType { SQLitePersistentStoreType() }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Core Data's name of `.sqlite`.
public let SQLiteStoreType = SQLitePersistentStoreType()

extension PersistentStoreDescription {
  /// An SQLite store at that place.
  public convenience init(url: URL) { self.init(type: .sqlite, url: url) }
  /// An SQLite store whose place is still to be set; one that has none is kept in memory.
  public convenience init() { self.init(type: .sqlite) }
}
