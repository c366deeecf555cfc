/// Operations on open files. Signals never end a call early.
package enum FileDescriptor {
  /// Closes a file that no SQLite connection can have open; for others there is `OpenFiles.close`.
  /// - Returns: false when the system could not write all that was given to it.
  @discardableResult
  package static func close(_ descriptor: Int32) -> Bool { systemClose(descriptor) == 0 }

  /// Reads the next bytes, fewer than there is room for where the file ends or more are yet to come.
  /// - Returns: 0 at the end.
  package static func read(
    _ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer, of path: String
  ) throws(SystemError) -> Int {
    while true {
      let count = unsafe systemRead(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if errno != EINTR { throw SystemError("read the file", path) }
    }
  }

  /// Reads bytes at a place, as many as there is room for, fewer only where the file ends.
  package static func read(
    _ descriptor: Int32, into bytes: UnsafeMutableRawBufferPointer, at offset: Int, of path: String
  ) throws(SystemError) -> Int {
    var total = 0
    while total < bytes.count, let base = bytes.baseAddress {
      let count = unsafe systemRead(descriptor, base + total, bytes.count - total, at: offset + total)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError("read the file", path) }
      if count == 0 { break }
      total += count
    }
    return total
  }

  /// Writes some of the bytes.
  /// - Returns: how many.
  package static func writeSome(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, to path: String
  ) throws(SystemError) -> Int {
    while true {
      let count = unsafe systemWrite(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if errno != EINTR { throw SystemError("write the file", path) }
    }
  }

  /// Writes all of the bytes.
  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, to path: String
  ) throws(SystemError) {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let count = unsafe try writeSome(descriptor, rest, to: path)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes all of the bytes.
  package static func write(_ descriptor: Int32, _ bytes: [UInt8], to path: String) throws(SystemError) {
    let result: Result<Void, SystemError> = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in unsafe try write(descriptor, bytes, to: path) }
    }
    try result.get()
  }

  /// Forces a file's bytes, or a folder's names, to the disk.
  package static func synchronize(_ descriptor: Int32, of path: String) throws(SystemError) {
    #if canImport(Darwin)
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    if fsync(descriptor) != 0 { throw SystemError("write the file to disk", path) }
  }

  /// Whether the open file is the one that a path names, which may have got another one meanwhile.
  package static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var opened = stat()
    var named = stat()
    guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }
}

// The system's functions, by names that the ones above do not hide.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
@unsafe private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, min(count, greatestCount))
}
@unsafe private func systemRead(
  _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, at offset: Int
) -> Int {
  unsafe pread(descriptor, bytes, min(count, greatestCount), off_t(offset))
}
@unsafe private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, min(count, greatestCount))
}
/// Linux moves no more than this in one call, and macOS refuses to.
private let greatestCount = Int(Int32.max)
