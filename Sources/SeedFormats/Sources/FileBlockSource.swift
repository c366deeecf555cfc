#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
      let number = errno
      let isMissing = number == ENOENT || number == ENOTDIR
      // The file may be as it should; the system cannot open it now.
      let isSystem = [EIO, EMFILE, ENFILE, ENOMEM].contains(number)
      throw SeedFormatError(
        code: isMissing ? "file.missing" : isSystem ? "file.read" : "file.unreadable",
        kind: isMissing ? .missing : isSystem ? .io : .unreadable,
        message: "cannot open the file: \(systemMessage(number))", file: path)
    }
  }

  deinit { close() }

  /// - Throws: `file.read`, `file.unreadable` (a folder), with the offset that was reached.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    guard descriptor >= 0 else { return 0 }
    while true {
      #if canImport(Glibc)
        let count = unsafe Glibc.read(descriptor, target.baseAddress, target.count)
      #else
        let count = unsafe Darwin.read(descriptor, target.baseAddress, target.count)
      #endif
      if count > 0 {
        byteOffset += UInt64(count)
        return count
      }
      if count < 0 && errno == EINTR { continue }
      let number = errno
      close()
      if count == 0 { return 0 }
      let isUnreadable = number == EISDIR
      throw SeedFormatError(
        code: isUnreadable ? "file.unreadable" : "file.read", kind: isUnreadable ? .unreadable : .io,
        message: "cannot read the file: \(systemMessage(number))", file: path, byteOffset: byteOffset)
    }
  }

  private func close() {
    guard descriptor >= 0 else { return }
    #if canImport(Glibc)
      if descriptor != STDIN_FILENO { _ = Glibc.close(descriptor) }
    #else
      if descriptor != STDIN_FILENO { _ = Darwin.close(descriptor) }
    #endif
    descriptor = -1
  }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
  guard let text = unsafe strerror(number) else { return "error \(number)" }
  return unsafe String(cString: text)
}
