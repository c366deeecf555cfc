import Foundation

/// Why a folder, or a file in it, cannot be used.
package enum FolderError: Error, Hashable, Sendable {
  /// A call of the system failed.
  case system(SystemError)
  /// There is something else at the name: a symbolic link, a pipe, a file in place of a folder. No call has failed.
  case unsuitable(path: String, reason: String)

  fileprivate static func mapping(_ body: () throws(SystemError) -> Void) throws(FolderError) {
    do throws(SystemError) { try body() } catch { throw .system(error) }
  }
}

/// An open folder whose files are reached by name only: neither the folder nor a file in it is ever a symbolic link
/// that leads elsewhere.
package final class FolderHandle {
  /// The folder's path, for messages.
  package let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a folder; nil when there is nothing of that name.
  /// - Throws: `FolderError.unsuitable` when it is no folder, a symbolic link included.
  package static func open(_ path: String) throws(FolderError) -> FolderHandle? {
    try make(path) { unsafe openFile(path, $0) }
  }

  /// Opens a folder inside this one; nil when there is none.
  package func folder(_ name: String) throws(FolderError) -> FolderHandle? {
    try FolderHandle.make(path + "/" + name) { flags in unsafe openat(descriptor, name, flags) }
  }

  private static func make(_ path: String, _ open: (Int32) -> Int32) throws(FolderError) -> FolderHandle? {
    let descriptor = open(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      var info = stat()
      // ENOTDIR may also mean that a part of the path is no folder: then there is nothing of that name.
      if code == ENOENT || code == ENOTDIR, unsafe lstat(path, &info) != 0 { return nil }
      if code == ENOTDIR || code == ELOOP {
        throw .unsuitable(path: path, reason: "is no folder (symbolic links are not followed)")
      }
      throw .system(SystemError("open the folder", path, number: code))
    }
    return FolderHandle(path: path, descriptor: descriptor)
  }

  /// Names in the folder, sorted.
  package func names() throws(FolderError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw .unsuitable(path: path, reason: "cannot list the folder")
    }
  }

  /// The bytes of a regular file; nil when there is none.
  /// - Throws: `FolderError.unsuitable` when it is something else, a symbolic link included.
  package func read(_ name: String) throws(FolderError) -> [UInt8]? {
    guard let (input, size) = try openRegular(name) else { return nil }
    defer { close(input) }
    let path = path + "/" + name
    var bytes = [UInt8](repeating: 0, count: size)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in unsafe try FileDescriptor.read(input, into: buffer, at: 0, of: path) }
    }
    guard case .success(size) = result else {
      if case .failure(let error) = result { throw .system(error) }
      throw .unsuitable(path: path, reason: "cannot read the file: it became shorter")
    }
    return bytes
  }

  /// The size of a regular file in bytes; nil when there is none.
  package func size(_ name: String) throws(FolderError) -> Int? {
    guard let (input, size) = try openRegular(name) else { return nil }
    close(input)
    return size
  }

  /// Copies a regular file's bytes to a path, and forces them to the disk.
  package func copy(_ name: String, to target: String) throws(FolderError) {
    guard let (input, _) = try openRegular(name) else {
      throw .unsuitable(path: path + "/" + name, reason: "the file is gone")
    }
    defer { close(input) }
    try FolderError.mapping { () throws(SystemError) in try FileSystem.copy(input, path + "/" + name, to: target) }
  }

  /// Writes a new file and forces it to the disk.
  package func write(_ bytes: [UInt8], to name: String) throws(FolderError) {
    let output = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    try FolderError.mapping { () throws(SystemError) in
      try FileSystem.fill(output, path + "/" + name, with: bytes)
    }
  }

  /// Removes a file, if it is there.
  package func remove(_ name: String) throws(FolderError) {
    if unsafe unlinkat(descriptor, name, 0) != 0 && errno != ENOENT {
      throw .system(SystemError("remove the file", path + "/" + name))
    }
  }

  /// Forces the folder's entries to the disk.
  package func synchronize() throws(FolderError) {
    try FolderError.mapping { () throws(SystemError) in try FileSystem.synchronize(path) }
  }

  private func openRegular(_ name: String) throws(FolderError) -> (descriptor: Int32, size: Int)? {
    // Opening a pipe would otherwise wait for a writer.
    let input = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .unsuitable(path: path + "/" + name, reason: "symbolic links are not followed")
      default: throw .system(SystemError("open the file", path + "/" + name))
      }
    }
    var info = stat()
    guard unsafe fstat(input, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(input)
      throw .unsuitable(path: path + "/" + name, reason: "not a regular file")
    }
    return (input, Int(info.st_size))
  }
}

/// The system's `open`, by a name that the method above does not hide.
@unsafe private func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
