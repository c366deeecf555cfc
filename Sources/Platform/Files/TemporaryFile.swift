/// Files for what does not fit into memory.
package enum TemporaryFile {
  /// Makes a file beside others of this prefix and takes its name away, so that it is gone with its descriptor.
  /// - Returns: its descriptor; nil when there is no place for it, with `errno` set.
  package static func open(prefix: String) -> Int32? {
    var name = Array(prefix.utf8CString.dropLast()) + Array("-XXXXXX".utf8CString)
    // Safety: the name ends with the zero of its last part, which `mkstemp` leaves as it is.
    let descriptor = unsafe mkstemp(&name)
    guard descriptor >= 0 else { return nil }
    guard unsafe unlink(name) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }
}
