import Foundation
import Platform
import Synchronization
import TestSupport

/// A child process started with `posix_spawn`, whose end is awaited with `waitpid` on its own process id.
///
/// Foundation's `Process` learns of a child's end in its own way, and on Linux it misses one now and then when many
/// children end while the test library waits for children too. Asking the kernel for this one child cannot miss it.
struct ChildProcess {
  let identifier: pid_t

  struct Failure: Error {
    var message: String
  }

  /// Starts a program.
  /// - Parameters:
  ///   - files: paths of what becomes standard input, standard output and standard error; they must exist.
  init(
    path: String, arguments: [String], environment: [String: String], folder: String, files: [String]
  ) throws {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t? = nil
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, file) in files.enumerated() {
      unsafe posix_spawn_file_actions_addopen(
        &actions, Int32(descriptor), file, descriptor == 0 ? O_RDONLY : O_WRONLY | O_TRUNC, 0)
    }
    // The shell changes the folder, since the call that lets `posix_spawn` do it is hidden from Swift; `exec` keeps
    // the process id.
    let words = ["/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder, path] + arguments
    var list: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (list + variables).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let result = unsafe posix_spawn(&identifier, words[0], &actions, nil, &list, &variables)
    guard result == 0 else { throw Failure(message: "\(path): \(unsafe String(cString: strerror(result)))") }
    self.identifier = identifier
  }

  /// Whether it still runs. A child that has ended and was not waited for yet does not.
  var isRunning: Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return unsafe result == 0 && information.si_signo == 0
  }

  /// Waits until a condition holds, at most ten minutes.
  ///
  /// A thread of its own looks: turns on the pool that the tests run on are seconds apart while all of them run, and
  /// some conditions take many looks.
  /// - Returns: false when the process ended before it did.
  func wait(until condition: @escaping @Sendable () -> Bool) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try block(until: condition) }) }
    }
  }

  private func block(until condition: () -> Bool) throws -> Bool {
    let end = Date(timeIntervalSinceNow: 600)
    while !condition() {
      guard isRunning else { return condition() }
      guard Date() < end else { throw PollTimeout(seconds: 600) }
      Thread.sleep(forTimeInterval: 0.002)
    }
    return true
  }

  /// Waits until the process is blocked and has used no processor time for ten looks. The process cannot report itself
  /// that it is blocked in the kernel.
  /// - Returns: false when the process ended before it did.
  func waitUntilIdle() async throws -> Bool {
    let idleness = Mutex(Idleness())
    return try await wait { idleness.withLock { $0.look(at: restingTime) } == 10 }
  }

  /// Blocks this thread until the process has a file open and is blocked. For what must go on soon after it: the wait
  /// for a turn on the pool can be longer than a program waits for a lock.
  /// - Returns: false when the process ended before it did.
  func blockUntilIdle(with path: String) throws -> Bool {
    var idleness = Idleness()
    return try block { hasOpen(path) && idleness.look(at: restingTime) == 2 }
  }

  private struct Idleness {
    private var last: String?
    private var looks = 0

    /// How many looks one after the other have found the same resting time.
    mutating func look(at now: String?) -> Int {
      looks = now != nil && now == last ? looks + 1 : 0
      last = now
      return looks
    }
  }

  /// Known on Linux only.
  private func hasOpen(_ path: String) -> Bool {
    #if os(Linux)
      let folder = "/proc/\(identifier)/fd"
      let wanted = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return descriptors.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == wanted
      }
    #else
      return true
    #endif
  }

  /// The processor time that it has used, as the system writes it; nil while one of its threads is running.
  private var restingTime: String? {
    #if os(Linux)
      let folder = "/proc/\(identifier)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      // After the name in parentheses: the state, and ten fields later user and system time.
      let fields = threads.map { thread in
        let text = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
        return text.split(separator: ")").last?.split(separator: " ") ?? []
      }
      guard !fields.isEmpty, fields.allSatisfy({ $0.count > 12 && $0[0] == "S" }) else { return nil }
      return fields.map { "\($0[11]) \($0[12])" }.joined(separator: ", ")
    #else
      guard let output = unsafe popen("ps -o state=,time= -p \(identifier)", "r") else { return nil }
      defer { unsafe pclose(output) }
      var line = [CChar](repeating: 0, count: 100)
      guard unsafe fgets(&line, 100, output) != nil else { return nil }
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return text.hasPrefix("R") ? nil : text
    #endif
  }

  /// Waits for the end.
  /// - Returns: the exit code, or the negative number of the signal that ended it.
  func exitCode() async -> Int32 {
    await withCheckedContinuation { continuation in
      // A thread of its own: waiting would take one from the pool that the tests run on.
      Thread.detachNewThread { [identifier] in
        var status: Int32 = 0
        var result: pid_t
        repeat {
          result = unsafe waitpid(identifier, &status, 0)
        } while result == -1 && errno == EINTR
        let signal = status & 0x7f
        continuation.resume(returning: result == -1 ? -1 : signal == 0 ? (status >> 8) & 0xff : -signal)
      }
    }
  }
}
