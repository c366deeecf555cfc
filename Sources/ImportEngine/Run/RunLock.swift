import Foundation
import Pipelines
import Platform

/// Keeps two runs from building the same store: a locked file beside it that holds the owner's process id.
///
/// The kernel releases the lock when the process ends, however it ends, so a stale file never blocks a run.
final class RunLock {
  private let path: String
  private let descriptor: Int32

  init(storePath: String) throws(RunError) {
    path = storePath + ".lock"
    let isNew = !FileSystem.exists(path)
    var descriptor: Int32
    repeat {
      descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
      let isForeign =
        descriptor < 0 ? [ELOOP, EISDIR, ENXIO, EOPNOTSUPP].contains(errno) : !Self.isOurs(descriptor)
      if isForeign {
        if descriptor >= 0 { close(descriptor) }
        throw RunError(
          .cannotCreate, code: "lock.foreign",
          "\(path) is no lock of an earlier run, and a run keeps others out by a file of that name",
          hint: "move it away, or give the store another name")
      }
      guard descriptor >= 0 else {
        let error = SystemError("create the file", path)
        throw RunError(
          error.isOfSystem ? .inputOutput : .cannotCreate, code: "lock.cannot-create",
          "cannot create \(path): \(error.reason)")
      }
      guard try Self.acquire(descriptor, path, isNew: isNew) else {
        let text = try? String(contentsOfFile: path, encoding: .utf8)
        let holder = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        close(descriptor)
        throw RunError(
          .locked, code: "lock.held",
          "another run\(holder.isEmpty ? "" : " (process \(holder))") is building \(storePath)",
          hint: "try again when it has finished")
      }
      if FileDescriptor.isFile(descriptor, at: path) { break }
      // The previous holder removed the file between our opening and our locking it: that lock keeps no run out.
      close(descriptor)
    } while true
    self.descriptor = descriptor
    ftruncate(descriptor, 0)
    let text = "\(getpid())\n"
    _ = unsafe text.withCString { unsafe write(descriptor, $0, strlen($0)) }
  }

  /// - Parameter isNew: whether the file was made for this lock, and goes where it cannot be locked.
  /// - Returns: false when another run has it.
  private static func acquire(_ descriptor: Int32, _ path: String, isNew: Bool) throws(RunError) -> Bool {
    do throws(SystemError) {
      return try FileLock.acquire(descriptor, of: path)
    } catch {
      if isNew { _ = unsafe unlink(path) }
      close(descriptor)
      throw RunError(.inputOutput, code: "lock.failed", "cannot lock \(path): \(error.reason)")
    }
  }

  /// Whether the open file is a lock: a regular file of one name with nothing in it but a process id.
  private static func isOurs(_ descriptor: Int32) -> Bool {
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_nlink <= 1, info.st_size <= 12
    else { return false }
    var bytes = [UInt8](repeating: 0, count: 12)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
    return count >= 0 && bytes.prefix(count).allSatisfy { (48...57).contains($0) || $0 == 10 }
  }

  deinit {
    _ = unsafe unlink(path)
    close(descriptor)
  }
}
