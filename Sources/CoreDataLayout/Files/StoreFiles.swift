import Foundation
package import Platform
import SQLite
import SQLitePages
package import StoreInterface

extension StoreError {
  /// A call of the system that failed.
  init(_ error: SystemError) {
    self =
      error.isCreationAtPath
      ? .cannotCreate(path: error.path, message: error.message)
      : .inputOutput(path: error.path, message: error.message, code: error.number)
  }
}

/// Operations on a store's files that throw `StoreError`.
package enum StoreFiles {
  /// Whether a file begins as an SQLite database does. False for folders and for what cannot be read.
  package static func isDatabase(path: String) -> Bool {
    ((try? header(path)) ?? []).starts(with: DatabaseHeader.magic)
  }

  /// The size that a database file has by what its header says; nil where there is no header, or it cannot be read.
  package static func statedByteCount(path: String) -> Int? { (try? databaseHeader(path: path))?.statedByteCount }

  /// The header of a database file; nil where there is none.
  static func databaseHeader(path: String) throws(StoreError) -> DatabaseHeader? {
    let start = try header(path)
    // Safety: the header is read while the bytes are there.
    return unsafe start.withUnsafeBytes { bytes in unsafe try? DatabaseHeader(bytes, path: path) }
  }

  /// Whether a database file is in WAL mode.
  package static func isWriteAheadLogged(path: String) throws(StoreError) -> Bool {
    DatabaseHeader.isWriteAheadLogged(try header(path))
  }

  /// Refuses a file without a log that was cut off inside of its last page: SQLite would read zeros there.
  /// - Parameter source: the file that the error names, where this one is its copy.
  static func requireWholePages(_ path: String, _ connection: Connection, copiedFrom source: String? = nil) throws {
    guard let stamp = try stamp(path), let pageSize = try connection.integer("PRAGMA page_size"),
      stamp.size % pageSize != 0
    else { return }
    throw StoreError.notAStore(path: source ?? path, message: "it was cut off inside of its last page")
  }

  /// The error of a call of the system that has just failed.
  static func failure(_ path: String, _ action: String) -> StoreError { StoreError(SystemError(action, path)) }

  private static func converted<Result>(_ body: () throws(SystemError) -> Result) throws(StoreError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw StoreError(error)
    }
  }

  /// Nil when there is no file.
  package static func stamp(_ path: String) throws(StoreError) -> FileSystem.Stamp? {
    try converted { () throws(SystemError) in try FileSystem.stamp(path) }
  }

  /// Threads for work on all pages of a file: one where it is small, because to make another takes longer than the
  /// work.
  package static func workers(_ count: Int, for path: String) -> Int {
    let size = (try? FileSystem.stamp(path))?.size ?? 0
    return size < 1 << 18 ? 1 : count
  }

  /// Where SQLite keeps a store's log or journal: beside the file itself, also where the store's path is a symbolic
  /// link to it.
  package static func sidecar(_ sidecar: Sidecar, of path: String) -> String {
    sidecar.path(of: ResultPath.followed(path))
  }

  /// - Throws: `StoreError.missing` when there is nothing, `.notAStore` when there is a folder or a special file,
  ///   `.inputOutput` when one has the name of the store's log or journal.
  package static func requireFile(_ path: String) throws(StoreError) {
    guard FileSystem.exists(path) else {
      throw FileSystem.isOutOfReach(path)
        ? .inputOutput(path: path, message: StoreError.isUnreadable) : .missing(path: path)
    }
    switch PathContent(at: path) {
    case .folder: throw StoreError.notAStore(path: path, message: StoreError.isFolder)
    // Opening one would wait for another program.
    case .fifo, .socket, .device:
      throw StoreError.notAStore(path: path, message: "it is \(PathContent(at: path).text)")
    case .file, .brokenLink, .nothing, .unknown: break
    }
    guard FileManager.default.isReadableFile(atPath: path) else {
      throw StoreError.inputOutput(path: path, message: StoreError.isUnreadable)
    }
    try StoreSidecar.requireFiles(beside: path)
  }

  /// Makes the folder that a file is to be put in.
  static func createParent(of path: String) throws {
    do throws(SystemError) {
      try FileSystem.makeFolder(FileSystem.parent(path))
    } catch {
      throw StoreError.cannotCreate(path: path, message: "its folder cannot be made: \(error.reason)")
    }
  }

  /// A folder for a copy of a store, or one in its place.
  package static func temporaryFolder(for path: String) throws(StoreError) -> ScratchFolder {
    do throws(SystemError) {
      return try ScratchFolder()
    } catch {
      throw StoreError.inputOutput(
        path: path,
        message: "it is read in a temporary folder, which cannot be made in \(error.path) (TMPDIR): "
          + error.reason)
    }
  }

  static func remove(_ path: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.remove(path) }
  }

  static func rename(_ from: String, to: String) throws(StoreError) {
    do throws(SystemError) {
      try FileSystem.rename(from, to: to)
    } catch {
      let isOfPath = [EACCES, EPERM, EISDIR, ENOTDIR, ENOTEMPTY, EROFS, EXDEV].contains(error.number)
      throw isOfPath ? StoreError.cannotCreate(path: to, message: error.message) : StoreError(error)
    }
  }

  /// Forces a file's, or a folder's, contents to the disk.
  static func synchronize(_ path: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.synchronize(path) }
  }

  /// Whether a file begins as a SQLite database does, or has no bytes at all.
  /// - Throws: `StoreError.inputOutput` when it cannot be read.
  static func isDatabaseOrEmpty(_ path: String) throws(StoreError) -> Bool {
    let start = try header(path).prefix(16)
    return start.isEmpty || start.elementsEqual(DatabaseHeader.magic)
  }

  /// Copies a file's bytes into a new file.
  /// - Parameter synchronizes: whether they are forced to the disk.
  package static func copy(_ source: String, to target: String, synchronizes: Bool) throws(StoreError) {
    try converted { () throws(SystemError) in
      try FileSystem.copy(source, to: target, synchronizes: synchronizes)
    }
  }

  /// Whether another file can take the place of this one so that only its contents change: it has one name, and belongs
  /// to the user of this process. A second name that a killed run has left in the work folder does not count.
  package static func isReplaceable(_ path: String) throws(StoreError) -> Bool {
    let kept = FilePlacement.keptName(beside: WorkFolder.storePath(for: path))
    return try converted { () throws(SystemError) in try FileSystem.isReplaceable(path, besides: kept) }
  }

  /// Gives a file the permissions of another.
  package static func copyPermissions(of source: String, to target: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.copyPermissions(of: source, to: target) }
  }

  /// Overwrites part of an existing file.
  static func overwrite(_ bytes: [UInt8], at offset: Int, of path: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.overwrite(bytes, at: offset, of: path) }
  }

  /// The first 100 bytes of a file, fewer when it is shorter.
  static func header(_ path: String) throws(StoreError) -> [UInt8] {
    try converted { () throws(SystemError) in try FileSystem.start(of: path, count: 100) }
  }
}
