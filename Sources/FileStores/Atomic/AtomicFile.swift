import Foundation
import ObjectModel
import Platform
import StoreInterface

/// A file that is replaced as a whole, and only while it still holds what was read from it.
struct AtomicFile: Sendable {
  /// Where the file is; a symbolic link is followed, so that it stays one.
  let path: String
  /// The digest of what was read or written last; nil: there was no file.
  private var known: Data?

  static let startByteCount = 512

  init(path: String) {
    self.path = URL(filePath: path).resolvingSymlinksInPath().path
  }

  // MARK: - Reading

  /// The whole file; nil when there is none.
  /// - Throws: `StoreError.notAStore` for a folder, `.inputOutput` when it cannot be read.
  mutating func read() throws(StoreError) -> Data? {
    let data = try Self.contents(of: path)
    known = data.map { Self.digest($0) }
    return data
  }

  /// The file's first bytes; nil when there is none.
  static func start(of path: String) throws(StoreError) -> Data? {
    guard try exists(path) else { return nil }
    guard let handle = FileHandle(forReadingAtPath: path) else { throw failure(path, "open the file") }
    defer { try? handle.close() }
    do {
      return try handle.read(upToCount: startByteCount) ?? Data()
    } catch {
      throw .inputOutput(path: path, message: "cannot read the file: \(error)")
    }
  }

  private static func contents(of path: String) throws(StoreError) -> Data? {
    guard try exists(path) else { return nil }
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      throw .inputOutput(path: path, message: "cannot read the file: \(error)")
    }
  }

  private static func exists(_ path: String) throws(StoreError) -> Bool {
    var info = stat()
    if unsafe stat(path, &info) != 0 {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw failure(path, "look at the file")
    }
    // A device or a pipe might never end.
    guard info.st_mode & S_IFMT == S_IFREG else { throw .notAStore(path: path, message: "it is no regular file") }
    return true
  }

  private static func digest(_ data: Data) -> Data {
    var digest = ContentDigest()
    digest.update(content: data)
    return digest.finalize()
  }

  // MARK: - Writing

  /// Puts new contents in the file's place; after an error the file is as it was.
  /// - Throws: `StoreError.failure` when the file is not what was read or written last.
  mutating func write(_ data: Data) throws(StoreError) {
    var files = [self]
    defer { self = files[0] }
    try Self.write([data], to: &files)
  }

  /// Whether there was a file when it was read or written last.
  var isThere: Bool { known != nil }

  /// Puts new contents in the places of several files of one folder: all are written beside them first, then each takes
  /// its place in one step. Those whose contents are nil, or the same as before, are only looked at.
  static func write(_ contents: [Data?], to files: inout [AtomicFile]) throws(StoreError) {
    guard let first = files.first else { return }
    let folder = FileSystem.parent(first.path)
    try createFolder(folder, for: first.path)
    // Others that write in this way wait here, so that nothing comes between the comparison and the renaming.
    let lock = unsafe open(folder, O_RDONLY | O_CLOEXEC)
    defer { if lock >= 0 { close(lock) } }
    if lock >= 0 { FileLock.wait(for: lock) }
    for file in files { try file.requireUnchanged() }

    var written: [(index: Int, path: String, digest: Data)] = []
    defer { for file in written { try? FileSystem.remove(file.path) } }
    for (index, data) in contents.enumerated() {
      guard let data else { continue }
      let digest = digest(data)
      if files[index].known == digest { continue }
      let beside = folder + "/." + UUID().uuidString + ".new"
      written.append((index, beside, digest))
      try create(beside, data, like: files[index].path)
    }
    for file in written {
      try converted { () throws(SystemError) in try FileSystem.rename(file.path, to: files[file.index].path) }
      files[file.index].known = file.digest
    }
    // Some file systems cannot synchronise a folder; the renaming is then as safe as it can be.
    if lock >= 0 { try? FileDescriptor.synchronize(lock, of: folder) }
  }

  private func requireUnchanged() throws(StoreError) {
    guard try Self.contents(of: path).map({ Self.digest($0) }) == known else {
      throw .failure("\(path) was changed by another program since it was read; open the store anew")
    }
  }

  private static func create(_ path: String, _ data: Data, like original: String) throws(StoreError) {
    var info = stat()
    let isThere = unsafe stat(original, &info) == 0
    let output = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard output >= 0 else {
      let error = SystemError(SystemError.creation, original)
      guard error.isCreationAtPath else { throw .inputOutput(path: original, message: error.message) }
      throw .cannotCreate(path: original, message: "cannot create a file beside it: \(error.reason)")
    }
    defer { close(output) }
    // The right to read the store stays as it was, whatever rights the process gives new files.
    if isThere && fchmod(output, info.st_mode & 0o777) != 0 {
      throw failure(original, "keep the permissions of the file")
    }
    do throws(SystemError) {
      let written = unsafe data.withUnsafeBytes { bytes in
        Result { () throws(SystemError) in unsafe try FileDescriptor.write(output, bytes, to: original) }
      }
      try written.get()
      try FileDescriptor.synchronize(output, of: original)
    } catch {
      throw .inputOutput(path: original, message: error.message)
    }
  }

  static func remove(_ path: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.remove(path) }
  }

  static func removeFolderIfEmpty(_ path: String) throws(StoreError) {
    try converted { () throws(SystemError) in try FileSystem.removeFolderIfEmpty(path) }
  }

  private static func converted(_ body: () throws(SystemError) -> Void) throws(StoreError) {
    do throws(SystemError) {
      try body()
    } catch {
      throw .inputOutput(path: error.path, message: error.message)
    }
  }

  static func createFolder(_ folder: String, for path: String) throws(StoreError) {
    do throws(SystemError) {
      try FileSystem.makeFolder(folder)
    } catch {
      throw .cannotCreate(path: path, message: "its folder cannot be made: \(error.reason)")
    }
  }

  private static func failure(_ path: String, _ action: String) -> StoreError {
    .inputOutput(path: path, message: SystemError(action, path).message)
  }
}
