import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Keeps two runs from building the same store: a locked file beside it that holds the owner's process id.
///
/// The kernel lets go of the lock when the process ends, however it ends, so a stale file never blocks a run.
final class RunLock {
  private let path: String
  private let descriptor: Int32

  init(storePath: String) throws(RunError) {
    path = storePath + ".lock"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw RunError(.cannotCreate, code: "lock.cannot-create", "cannot create \(path): \(String(errorCode: errno))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
      close(descriptor)
      throw RunError(
        .locked, code: "lock.held", "another run (process \(holder ?? "unknown")) is building \(storePath)",
        hint: "try again when it has finished")
    }
    self.descriptor = descriptor
    ftruncate(descriptor, 0)
    let text = "\(getpid())\n"
    _ = unsafe text.withCString { unsafe write(descriptor, $0, strlen($0)) }
  }

  deinit {
    _ = unsafe unlink(path)
    close(descriptor)
  }
}

extension String {
  /// The system's words for an error number.
  init(errorCode: Int32) {
    self = unsafe strerror(errorCode).map { unsafe String(cString: $0) } ?? "error \(errorCode)"
  }
}
