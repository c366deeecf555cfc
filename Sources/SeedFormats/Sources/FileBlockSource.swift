import Platform

/// The bytes of a file or of standard input.
public final class FileBlockSource: BlockSource {
  private let path: String
  private var descriptor: Int32
  private var byteOffset: UInt64 = 0

  /// Opens a file for reading.
  /// - Parameter path: `-` is standard input.
  /// - Throws: `file.missing`, `file.unreadable`, `file.read` when the system fails, as with too many open files.
  public init(path: String) throws(SeedFormatError) {
    self.path = path
    descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      let error = SystemError("open the file", path)
      let isMissing = error.number == ENOENT || error.number == ENOTDIR
      // The file may be sound where the system fails, as with too many open files.
      throw SeedFormatError(
        code: isMissing ? "file.missing" : error.isOfSystem ? "file.read" : "file.unreadable",
        kind: isMissing ? .missing : error.isOfSystem ? .io : .unreadable, message: error.message, file: path)
    }
  }

  deinit { close() }

  /// - Throws: `file.read`, `file.unreadable` (a folder), with the offset that was reached.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    guard descriptor >= 0 else { return 0 }
    do throws(SystemError) {
      let count = unsafe try FileDescriptor.read(descriptor, into: target, of: path)
      byteOffset += UInt64(count)
      if count == 0 { close() }
      return count
    } catch {
      close()
      let isUnreadable = error.number == EISDIR
      throw SeedFormatError(
        code: isUnreadable ? "file.unreadable" : "file.read", kind: isUnreadable ? .unreadable : .io,
        message: error.message, file: path, byteOffset: byteOffset)
    }
  }

  private func close() {
    guard descriptor >= 0 else { return }
    if descriptor != STDIN_FILENO { FileDescriptor.close(descriptor) }
    descriptor = -1
  }
}
