#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file or standard output as a sink.
///
/// Writing to a pipe that nobody reads is an error only where the process ignores `SIGPIPE`; otherwise the signal
/// ends it.
public final class FileSink: ByteSink {
  private let path: String
  private var descriptor: Int32
  private var byteOffset: UInt64 = 0
  /// The most that is handed to the system at once: it gives the file's cache memory in blocks as large as that, and
  /// large ones can take long to get.
  private static let writeSize = 64 << 10

  /// Creates or truncates a file. A FIFO or device is written to as it is, and so is what a path such as `/dev/stdout` or
  /// `/dev/fd/3` stands for: it is not opened anew, which would empty the file that it leads to.
  /// - Parameter path: `-` is standard output.
  /// - Throws: `file.create`.
  public init(path: String) throws(SeedFormatError) {
    self.path = path
    descriptor = path == "-" ? STDOUT_FILENO : createFile(path)
    if descriptor < 0 {
      let number = errno
      throw SeedFormatError(
        code: "file.create", kind: [ENOSPC, EIO, EMFILE, ENFILE, ENOMEM].contains(number) ? .io : .cannotCreate,
        message: "cannot create the file: \(systemMessage(number))", file: path)
    }
  }

  deinit { _ = close() }

  /// Whether what is written is shown by a terminal.
  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// A sink for a path: gzip when the path ends with `.gz`, `-` is standard output.
  public static func open(path: String) throws(SeedFormatError) -> any ByteSink {
    let sink = try FileSink(path: path)
    return path.hasSuffix(".gz") ? GzipSink(downstream: sink, file: path) : sink
  }

  /// - Throws: `file.write` (disk full), `file.closed-pipe` when nobody reads standard output any more.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    guard descriptor >= 0 else { throw failure("the output was already finished") }
    var written = 0
    while written < bytes.count, let base = bytes.baseAddress {
      let count = unsafe writeSome(base + written, min(bytes.count - written, FileSink.writeSize))
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(systemMessage(errno), isClosedPipe: path == "-" && errno == EPIPE)
      }
      written += count
      byteOffset += UInt64(count)
    }
  }

  /// Closes the file. It does not wait for the disk.
  public func finish() throws(SeedFormatError) {
    guard close() == 0 else { throw failure(systemMessage(errno)) }
  }

  private func writeSome(_ base: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, base, count)
    #else
      unsafe Darwin.write(descriptor, base, count)
    #endif
  }

  private func close() -> Int32 {
    let closing = descriptor
    descriptor = -1
    guard closing >= 0, closing != STDOUT_FILENO else { return 0 }
    #if canImport(Glibc)
      return Glibc.close(closing)
    #else
      return Darwin.close(closing)
    #endif
  }

  private func failure(_ reason: String, isClosedPipe: Bool = false) -> SeedFormatError {
    guard path != "-" else {
      return SeedFormatError(
        code: isClosedPipe ? "file.closed-pipe" : "file.write", kind: .io,
        message: "cannot write to standard output: \(reason)")
    }
    return SeedFormatError(
      code: "file.write", kind: .io, message: "cannot write the file: \(reason)", file: path, byteOffset: byteOffset)
  }
}

extension FileSink {
  /// The descriptor that a path stands for: `/dev/stdout`, `/dev/stderr`, `/dev/fd/3`, `/proc/self/fd/3`.
  public static func openDescriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
        return Int32(path.dropFirst(prefix.count)).flatMap { $0 >= 0 ? $0 : nil }
      }
      return nil
    }
  }
}

private func createFile(_ path: String) -> Int32 {
  if let descriptor = FileSink.openDescriptor(path) { return dup(descriptor) }
  return unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
}
