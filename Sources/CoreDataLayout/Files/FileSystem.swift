import Foundation
import Platform
import SQLite
import StoreInterface

extension StoreError {
  /// A call of the system that failed.
  init(_ error: SystemError) {
    self = .inputOutput(path: error.path, message: error.message, code: error.number)
  }
}

/// The few file operations that Foundation does not offer in a crash-safe form.
enum FileSystem {
  /// Size and modification time, by which a changed file is noticed.
  struct Stamp: Hashable, Sendable {
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
    var node: UInt64
  }

  static func failure(_ path: String, _ action: String) -> StoreError {
    let number = errno
    let message = unsafe String(cString: strerror(number))
    return .inputOutput(path: path, message: "cannot \(action): \(message)", code: number)
  }

  private static func creationFailure(_ path: String) -> StoreError {
    if [ENOSPC, EIO, EMFILE, ENFILE, ENOMEM].contains(errno) { return failure(path, "create the file") }
    let reason = unsafe String(cString: strerror(errno))
    return .cannotCreate(path: path, message: "cannot create the file: \(reason)")
  }

  /// nil when there is no file.
  static func stamp(_ path: String) throws -> Stamp? {
    var info = stat()
    if unsafe stat(path, &info) != 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(path, "look at the file")
    }
    #if canImport(Darwin)
      let time = info.st_mtimespec
    #else
      let time = info.st_mtim
    #endif
    return Stamp(
      size: Int64(info.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec), node: UInt64(info.st_ino))
  }

  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// - Throws: `StoreError.missing` when there is nothing, `.notAStore` when there is a folder.
  static func requireFile(_ path: String) throws {
    guard exists(path) else { throw StoreError.missing(path: path) }
    var isFolder: ObjCBool = false
    if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw StoreError.notAStore(path: path, message: StoreError.isFolder)
    }
  }

  /// Makes the folder that a file is to be put in.
  static func createParent(of path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: parent(path), withIntermediateDirectories: true)
    } catch {
      throw StoreError.cannotCreate(path: path, message: "its folder cannot be made")
    }
  }

  static func remove(_ path: String) throws(StoreError) {
    if unsafe unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR { throw failure(path, "remove the file") }
  }

  static func rename(_ from: String, to: String) throws(StoreError) {
    do throws(SystemError) {
      try Platform.FileSystem.rename(from, to: to)
    } catch {
      let isOfPath = [EACCES, EPERM, EISDIR, ENOTDIR, ENOTEMPTY, EROFS, EXDEV].contains(error.number)
      throw isOfPath ? StoreError.cannotCreate(path: to, message: error.message) : StoreError(error)
    }
  }

  /// Forces a file's, or a folder's, contents to the disk.
  static func synchronize(_ path: String) throws(StoreError) {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { throw failure(path, "open the file") }
    defer { OpenFiles.close(descriptor) }
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    // Some file systems cannot synchronise a folder and say EINVAL; the rename is then as safe as it can be.
    if fsync(descriptor) != 0 && errno != EINVAL { throw failure(path, "write the file to disk") }
  }

  static func parent(_ path: String) -> String {
    // Foundation's own splitting traps on paths of one character.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether a file begins as a SQLite database does, or has no bytes at all.
  /// - Throws: `StoreError.inputOutput` when it cannot be read.
  static func isDatabaseOrEmpty(_ path: String) throws -> Bool {
    let start = try header(path).prefix(16)
    return start.isEmpty || start.elementsEqual("SQLite format 3\0".utf8)
  }

  /// Copies a file's bytes into a new file, which is synchronised.
  static func copy(_ source: String, to target: String, synchronizes: Bool = true) throws {
    let input = unsafe open(source, O_RDONLY)
    guard input >= 0 else { throw failure(source, "open the file") }
    defer { OpenFiles.close(input) }
    try copy(input, source, to: target, synchronizes: synchronizes)
  }

  /// Copies what an open file holds.
  /// - Parameter source: its path, for messages.
  static func copy(_ input: Int32, _ source: String, to target: String, synchronizes: Bool = true) throws {
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard output >= 0 else { throw creationFailure(target) }
    defer { close(output) }
    #if canImport(Glibc)
      // The system copies by itself, many times faster, where it can; what it leaves is copied below.
      while sendfile(output, input, nil, 1 << 30) > 0 {}
    #endif
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(source, "read the file")
      }
      if count == 0 { break }
      try write(buffer[..<count], to: output, path: target)
    }
    if synchronizes, fsync(output) != 0 { throw failure(target, "write the file to disk") }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, path: String) throws {
    do throws(SystemError) {
      try FileDescriptor.write(descriptor, Array(bytes), to: path)
    } catch {
      throw StoreError(error)
    }
  }

  /// Writes bytes to a file that was opened for writing just now, synchronises and closes it.
  /// - Parameter path: the file's path, for messages.
  static func fill(_ output: Int32, _ path: String, with bytes: [UInt8]) throws {
    guard output >= 0 else { throw creationFailure(path) }
    defer { close(output) }
    try write(bytes[...], to: output, path: path)
    if fsync(output) != 0 { throw failure(path, "write the file to disk") }
  }

  /// Overwrites part of an existing file.
  static func overwrite(_ bytes: [UInt8], at offset: Int, of path: String) throws {
    let output = unsafe open(path, O_WRONLY)
    guard output >= 0 else { throw failure(path, "open the file") }
    defer { OpenFiles.close(output) }
    guard lseek(output, off_t(offset), SEEK_SET) == off_t(offset) else { throw failure(path, "seek in the file") }
    try write(bytes[...], to: output, path: path)
  }
}

extension FileSystem {
  /// The first 100 bytes of a file, fewer when it is shorter.
  static func header(_ path: String) throws -> [UInt8] {
    let input = unsafe open(path, O_RDONLY)
    guard input >= 0 else { throw failure(path, "open the file") }
    defer { OpenFiles.close(input) }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw failure(path, "read the file") }
    return Array(bytes[..<count])
  }
}
