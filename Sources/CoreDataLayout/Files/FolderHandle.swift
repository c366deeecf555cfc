import Foundation
import Platform
import StoreInterface

/// An open folder whose files are reached by name only: neither the folder nor a file in it is ever a symbolic link
/// that leads elsewhere.
final class FolderHandle {
  /// The folder's path, for messages.
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a folder; nil when there is nothing of that name.
  /// - Throws: `StoreError.inputOutput` when it is no folder, a symbolic link included.
  static func open(_ path: String) throws -> FolderHandle? {
    try make(path) { unsafe openFile(path, $0) }
  }

  /// Opens a folder inside this one; nil when there is none.
  func folder(_ name: String) throws -> FolderHandle? {
    try FolderHandle.make(path + "/" + name) { flags in unsafe openat(descriptor, name, flags) }
  }

  private static func make(_ path: String, _ open: (Int32) -> Int32) throws -> FolderHandle? {
    let descriptor = open(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      var info = stat()
      // ENOTDIR may also mean that a folder on the way is none: then there is nothing of that name.
      if code == ENOENT || code == ENOTDIR, unsafe lstat(path, &info) != 0 { return nil }
      if code == ENOTDIR || code == ELOOP {
        throw StoreError.inputOutput(path: path, message: "is no folder (symbolic links are not followed)")
      }
      errno = code
      throw StoreFiles.failure(path, "open the folder")
    }
    return FolderHandle(path: path, descriptor: descriptor)
  }

  /// Names in the folder, sorted.
  func names() throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw StoreError.inputOutput(path: path, message: "cannot list the folder")
    }
  }

  /// The bytes of a regular file; nil when there is none.
  /// - Throws: `StoreError.inputOutput` when it is something else, a symbolic link included.
  func read(_ name: String) throws -> [UInt8]? {
    guard let (input, size) = try openRegular(name) else { return nil }
    defer { close(input) }
    let path = path + "/" + name
    var bytes = [UInt8](repeating: 0, count: size)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in unsafe try FileDescriptor.read(input, into: buffer, at: 0, of: path) }
    }
    guard case .success(size) = result else {
      if case .failure(let error) = result { throw StoreError(error) }
      throw StoreError.inputOutput(path: path, message: "cannot read the file: it became shorter")
    }
    return bytes
  }

  /// The size of a regular file in bytes; nil when there is none.
  func size(_ name: String) throws -> Int? {
    guard let (input, size) = try openRegular(name) else { return nil }
    close(input)
    return size
  }

  /// Copies a regular file's bytes to a path, and forces them to the disk.
  func copy(_ name: String, to target: String) throws {
    guard let (input, _) = try openRegular(name) else {
      throw StoreError.inputOutput(path: path + "/" + name, message: "the file is gone")
    }
    defer { close(input) }
    try StoreFiles.copy(input, path + "/" + name, to: target)
  }

  /// Writes a new file and forces it to the disk.
  func write(_ bytes: [UInt8], to name: String) throws {
    let output = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    try StoreFiles.fill(output, path + "/" + name, with: bytes)
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws {
    if unsafe unlinkat(descriptor, name, 0) != 0 && errno != ENOENT {
      throw StoreFiles.failure(path + "/" + name, "remove the file")
    }
  }

  /// Forces the folder's entries to the disk.
  func synchronize() throws { try StoreFiles.synchronize(path) }

  private func openRegular(_ name: String) throws -> (descriptor: Int32, size: Int)? {
    // Opening a pipe would otherwise wait for somebody who writes to it.
    let input = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw StoreError.inputOutput(path: path + "/" + name, message: "symbolic links are not followed")
      default: throw StoreFiles.failure(path + "/" + name, "open the file")
      }
    }
    var info = stat()
    guard unsafe fstat(input, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(input)
      throw StoreError.inputOutput(path: path + "/" + name, message: "not a regular file")
    }
    return (input, Int(info.st_size))
  }
}

/// The system's `open`, by a name that the method above does not hide.
@unsafe private func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
