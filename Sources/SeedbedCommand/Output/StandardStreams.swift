import Platform

/// The three descriptors that every process is given.
enum StandardStreams {
  /// Gives those that are closed (`seedbed … <&-`) something that cannot be read, or written to: otherwise the next
  /// file that is opened would be taken for them.
  static func fillGaps() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest that is free is the one that is missing.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
