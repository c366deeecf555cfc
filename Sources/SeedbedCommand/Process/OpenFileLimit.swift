import ImportEngine
import Pipelines
import Platform

/// How many files the process may have open.
///
/// The system's queues need some before the first file is opened, and end the process by a fatal signal where they get
/// none. That cannot be told from a mistake afterwards, so it is found out before.
enum OpenFileLimit {
  /// The descriptors that a command needs beside those that it was started with: its queues and signals, a source, a
  /// store with its log, and locks.
  static let leastFreeCount = 12

  /// What is asked for where the system would give more (`ulimit -Sn`): several sources may be streams, each with a
  /// file.
  private static let wantedCount: rlim_t = 4096

  /// Raises the limit to `wantedCount`, or as far as it may be; ends the process with 74 where that leaves too little.
  static func prepare() {
    raise()
    let count = freeCount()
    guard count < leastFreeCount else { return }
    let error = RunError(
      .inputOutput, code: "files.limit",
      "too few files may be open: \(count) more than now, and at least \(leastFreeCount) are needed",
      hint: "raise the limit to open files (ulimit -n), or start with fewer of them open")
    CommandFailure(error, store: "", format: .ofCommandLine).end()
  }

  private static func raise() {
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, wantedCount) else { return }
    limit.rlim_cur = min(limit.rlim_max, wantedCount)
    // When the limit may not be raised, the present one has to suffice.
    _ = unsafe setrlimit(resource, &limit)
  }

  /// How many can be opened, counted no further than is of interest.
  private static func freeCount() -> Int {
    var taken: [Int32] = []
    defer { for descriptor in taken { close(descriptor) } }
    while taken.count < leastFreeCount {
      let descriptor = dup(STDERR_FILENO)
      guard descriptor >= 0 else { break }
      taken.append(descriptor)
    }
    return taken.count
  }
}
