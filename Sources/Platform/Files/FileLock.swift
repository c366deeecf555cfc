/// Locks on files that processes keep by agreement. The system lets go of them when the process ends, however it ends.
package enum FileLock {
  /// Takes the lock of an open file, which goes with its descriptor.
  /// - Returns: false when another descriptor has it.
  package static func acquire(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Takes the lock of an open file as soon as no other descriptor has it.
  package static func wait(for descriptor: Int32) { _ = flock(descriptor, LOCK_EX) }

  /// Whether another process holds a lock on some of these bytes of a file, as SQLite does.
  package static func isHeldByAnother(_ bytes: Range<Int64>, of path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { OpenFiles.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(bytes.lowerBound)
    lock.l_len = off_t(bytes.count)
    return unsafe fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
