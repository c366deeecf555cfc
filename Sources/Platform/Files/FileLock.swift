/// Advisory locks on files. The system releases them when the process ends, however it ends.
package enum FileLock {
  /// Takes the lock of an open file, which is released with its descriptor.
  /// - Parameter path: the file's path, for the error.
  /// - Returns: false when another descriptor has it.
  /// - Throws: where the file system gives no locks, or the call failed. Another descriptor may have the lock then.
  package static func acquire(_ descriptor: Int32, of path: String) throws(SystemError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw SystemError("lock the file", path) }
    }
    return true
  }

  /// Takes the lock of an open file as soon as no other descriptor has it.
  package static func wait(for descriptor: Int32) {
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
  }

  /// Opens a file to ask about its locks; nil when it cannot be.
  package static func open(_ path: String) -> Int32? {
    let descriptor = systemOpen(path)
    return descriptor >= 0 ? descriptor : nil
  }

  /// Whether any process, this one included, holds a lock on some of these bytes of an open file, as SQLite does.
  package static func isHeld(_ bytes: Range<Int64>, of descriptor: Int32) -> Bool {
    // `F_OFD_GETLK`, which not all headers show: locks of this process are told, too.
    #if canImport(Darwin)
      let command: Int32 = 92
    #else
      let command: Int32 = 36
    #endif
    var lock = writeLock(bytes)
    return unsafe fcntl(descriptor, command, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Whether another process holds a lock on some of these bytes of a file, as SQLite does.
  package static func isHeldByAnother(_ bytes: Range<Int64>, of path: String) -> Bool {
    guard let descriptor = open(path) else { return false }
    defer { OpenFiles.close(descriptor) }
    var lock = writeLock(bytes)
    return unsafe fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Takes a lock for reading on some bytes of an open file, which others may share; it is released with its
  /// descriptor.
  /// - Returns: false when a lock for writing is in the way.
  package static func share(_ bytes: Range<Int64>, of descriptor: Int32) -> Bool {
    // `F_OFD_SETLK`: a lock of the descriptor's own, which the end of another one does not release.
    #if canImport(Darwin)
      let command: Int32 = 90
    #else
      let command: Int32 = 37
    #endif
    var shared = lock(bytes, F_RDLCK)
    return unsafe fcntl(descriptor, command, &shared) == 0
  }

  private static func writeLock(_ bytes: Range<Int64>) -> flock { lock(bytes, F_WRLCK) }

  private static func lock<Kind: BinaryInteger>(_ bytes: Range<Int64>, _ kind: Kind) -> flock {
    var lock = flock()
    lock.l_type = Int16(kind)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.count)
    return lock
  }
}

// The system's function, by a name that the one above does not hide.
private func systemOpen(_ path: String) -> Int32 { unsafe open(path, O_RDONLY | O_CLOEXEC) }
