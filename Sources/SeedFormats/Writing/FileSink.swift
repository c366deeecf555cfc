import Platform

/// A file or standard output as a sink.
///
/// Writing to a pipe without a reader is an error only where the process ignores `SIGPIPE`; otherwise the signal
/// ends it.
public final class FileSink: ByteSink {
  private let path: String
  private var descriptor: Int32
  private var byteOffset: UInt64 = 0
  /// Asked while a FIFO has no reader, or one that is slow.
  private let isCancelled: (@Sendable () -> Bool)?
  /// The most that is handed to the system at once: it gives the file's cache memory in blocks as large as that, and
  /// large ones can take long to get.
  private static let writeSize = 64 << 10

  /// Creates or truncates a file. A FIFO or device is written to as it is, and so is what a path such as `/dev/stdout`
  /// or `/dev/fd/3` stands for: it is not opened anew, which would empty the file that it leads to.
  /// - Parameters:
  ///   - path: `-` is standard output.
  ///   - isCancelled: ends waiting for the reader of a FIFO, with an error; without it the wait may last for ever.
  /// - Throws: `file.create`.
  public init(path: String, isCancelled: (@Sendable () -> Bool)? = nil) throws(SeedFormatError) {
    self.path = path
    self.isCancelled = isCancelled
    descriptor =
      if path == "-" {
        STDOUT_FILENO
      } else if let isCancelled, isFIFO(path) {
        openFIFO(path, isCancelled)
      } else {
        createFile(path)
      }
    if descriptor < 0 {
      let error = SystemError("create the file", path)
      throw SeedFormatError(
        code: "file.create", kind: error.isOfSystem || error.number == ENOSPC ? .io : .cannotCreate,
        message: error.message, file: path)
    }
  }

  deinit { _ = close() }

  /// Whether what is written is shown by a terminal.
  public var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Whether what is written to a path becomes gzip: its name ends with `.gz`, in letters of any case.
  public static func compresses(_ path: String) -> Bool { path.lowercased().hasSuffix(".gz") }

  /// A sink for a path: gzip when the path ends with `.gz`, `-` is standard output.
  public static func open(
    path: String, isCancelled: (@Sendable () -> Bool)? = nil
  ) throws(SeedFormatError) -> any ByteSink {
    let sink = try FileSink(path: path, isCancelled: isCancelled)
    return compresses(path) ? GzipSink(downstream: sink, file: path) : sink
  }

  /// - Throws: `file.write` (disk full), `file.closed-pipe` when standard output has no reader any more.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    guard descriptor >= 0 else { throw failure("the output was already finished") }
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(FileSink.writeSize))
      do throws(SystemError) {
        let count = unsafe try FileDescriptor.writeSome(descriptor, rest, to: path)
        written += count
        byteOffset += UInt64(count)
      } catch {
        guard error.number == EAGAIN, let isCancelled, !isCancelled() else {
          throw failure(error.reason, isClosedPipe: path == "-" && error.number == EPIPE)
        }
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&state, 1, waitMilliseconds)
      }
    }
  }

  /// Closes the file. It does not wait for the disk.
  public func finish() throws(SeedFormatError) {
    guard close() else { throw failure(SystemError.reason(errno)) }
  }

  private func close() -> Bool {
    let closing = descriptor
    descriptor = -1
    return closing < 0 || closing == STDOUT_FILENO || FileDescriptor.close(closing)
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

/// How long to wait for a FIFO's reader before asking whether to go on.
private let waitMilliseconds: Int32 = 50

private func isFIFO(_ path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
}

/// Opens a FIFO for writing once it has a reader. It stays without blocking, so that a slow reader can be waited for
/// likewise.
private func openFIFO(_ path: String, _ isCancelled: @Sendable () -> Bool) -> Int32 {
  if let descriptor = FileSink.openDescriptor(path) { return dup(descriptor) }
  while true {
    let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor < 0, errno == ENXIO, !isCancelled() else { return descriptor }
    _ = poll(nil, 0, waitMilliseconds)
  }
}

private func createFile(_ path: String) -> Int32 {
  if let descriptor = FileSink.openDescriptor(path) { return dup(descriptor) }
  return unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
}
