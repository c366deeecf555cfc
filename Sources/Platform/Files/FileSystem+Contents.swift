import Foundation

/// Copies of files, and parts of them.
extension FileSystem {
  /// Copies a file's bytes into a new file, or over an old one.
  /// - Parameter synchronizes: whether they are forced to the disk.
  package static func copy(_ source: String, to target: String, synchronizes: Bool) throws(SystemError) {
    let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw SystemError("open the file", source) }
    defer { OpenFiles.close(input) }
    try copy(input, source, to: target, synchronizes: synchronizes)
  }

  /// Copies a file, or a folder with all that is in it. The copy belongs to this user and has the usual permissions,
  /// whatever those of the original are. Links in the folder stay links.
  package static func copyTree(_ source: String, to target: String) throws(SystemError) {
    guard isFolder(source) else { return try copy(source, to: target, synchronizes: true) }
    try makeFolder(target)
    for name in try listing(of: source) {
      let (from, to) = (source + "/" + name, target + "/" + name)
      if let destination = try? FileManager.default.destinationOfSymbolicLink(atPath: from) {
        guard unsafe symlink(destination, to) == 0 else { throw SystemError(SystemError.creation, to) }
      } else {
        try copyTree(from, to: to)
      }
    }
  }

  /// Copies what an open file holds.
  /// - Parameter source: its path, for messages.
  package static func copy(
    _ input: Int32, _ source: String, to target: String, synchronizes: Bool = true
  ) throws(SystemError) {
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard output >= 0 else { throw SystemError(SystemError.creation, target) }
    defer { FileDescriptor.close(output) }
    #if canImport(Glibc)
      // The system copies by itself, many times faster, where it can; what it leaves is copied below.
      while sendfile(output, input, nil, 1 << 30) > 0 {}
    #endif
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { unsafe buffer.deallocate() }
    while true {
      let count = unsafe try FileDescriptor.read(input, into: buffer, of: source)
      if count == 0 { break }
      unsafe try FileDescriptor.write(output, UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: target)
    }
    if synchronizes { try FileDescriptor.synchronize(output, of: target) }
  }

  /// Writes bytes to a file that was opened for writing just now, forces them to the disk and closes it.
  /// - Parameters:
  ///   - output: the descriptor, negative when the file could not be made.
  ///   - path: the file's path, for messages.
  package static func fill(_ output: Int32, _ path: String, with bytes: [UInt8]) throws(SystemError) {
    guard output >= 0 else { throw SystemError(SystemError.creation, path) }
    defer { FileDescriptor.close(output) }
    try FileDescriptor.write(output, bytes, to: path)
    try FileDescriptor.synchronize(output, of: path)
  }

  /// Overwrites part of an existing file.
  package static func overwrite(_ bytes: [UInt8], at offset: Int, of path: String) throws(SystemError) {
    let output = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard output >= 0 else { throw SystemError("open the file", path) }
    defer { OpenFiles.close(output) }
    guard lseek(output, off_t(offset), SEEK_SET) == off_t(offset) else { throw SystemError("seek in the file", path) }
    try FileDescriptor.write(output, bytes, to: path)
  }

  /// The first bytes of a file, fewer when it is shorter. A FIFO is not waited for.
  package static func start(of path: String, count: Int) throws(SystemError) -> [UInt8] {
    let input = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else { throw SystemError("open the file", path) }
    defer { OpenFiles.close(input) }
    var bytes = [UInt8](repeating: 0, count: count)
    let result: Result<Int, SystemError> = unsafe bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in unsafe try FileDescriptor.read(input, into: bytes, of: path) }
    }
    return Array(bytes[..<(try result.get())])
  }
}
