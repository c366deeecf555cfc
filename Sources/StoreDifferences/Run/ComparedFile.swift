import CoreDataLayout
import Foundation
import ObjectModel
import Platform
import StoreInterface

/// A store that is compared: open for its objects, and as one file whose tables are walked. Neither the store nor what
/// lies beside it is changed; where rows are in a log, the tables are those of a copy, which is removed with this
/// object.
final class ComparedFile {
  let store: SQLiteStore
  /// One file without sidecars, which nothing writes to.
  let tablesPath: String
  private let folder: ScratchFolder?
  private let stamp: StoreStamp
  /// Of each connection: four are open, and pages are mostly needed once.
  static let cacheKibibytes = 8_192

  /// - Throws: `StoreError` when it cannot be opened with the model.
  init(_ path: String, model: ManagedObjectModel) throws {
    var options = SQLiteStore.Options.reading
    options.cacheKibibytes = Self.cacheKibibytes
    stamp = try StoreStamp.read(path: path)
    store = try SQLiteStore.open(path: path, model: model, options: options)
    guard try StoreFiles.hasLog(path) else {
      tablesPath = path
      folder = nil
      return
    }
    let folder = try StoreFiles.temporaryFolder(for: path)
    self.folder = folder
    tablesPath = folder.path + "/store.sqlite"
    try StoreCopier.copy(from: path, to: tablesPath)
  }

  deinit { try? store.close() }

  /// To be called when all is read.
  /// - Throws: `StoreError.busy` when another process wrote to the store meanwhile.
  func requireUnchanged() throws {
    if try StoreStamp.read(path: store.path) != stamp { throw StoreError.busy(path: store.path) }
  }

  /// Whether two stores are the same to the byte, with nothing beside them that might differ.
  static func areSame(_ path: String, _ other: String) throws -> Bool {
    for store in [path, other] {
      if try StoreFiles.hasLog(store)
        || FileSystem.exists(StorePlace.externalDataFolder(of: ResultPath.followed(store)))
      {
        return false
      }
    }
    guard let stamp = try FileSystem.stamp(path), let otherStamp = try FileSystem.stamp(other),
      stamp.size == otherStamp.size
    else { return false }
    guard let first = FileHandle(forReadingAtPath: path), let second = FileHandle(forReadingAtPath: other) else {
      return false
    }
    defer {
      try? first.close()
      try? second.close()
    }
    while true {
      let bytes = try first.read(upToCount: 1 << 20) ?? Data()
      if try bytes != second.read(upToCount: 1 << 20) ?? Data() { return false }
      if bytes.isEmpty { return true }
    }
  }
}
