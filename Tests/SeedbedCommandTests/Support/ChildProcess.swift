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
      Thread.detachNewThread {
        let end = Date(timeIntervalSinceNow: 600)
        while !condition() {
          guard isRunning else { return continuation.resume(returning: condition()) }
          guard Date() < end else { return continuation.resume(throwing: PollTimeout(seconds: 600)) }
          Thread.sleep(forTimeInterval: 0.002)
        }
        continuation.resume(returning: true)
      }
    }
  }

  /// Waits until the process is blocked and has used no processor time for some looks. The process cannot report itself
  /// that it is blocked in the kernel.
  /// - Parameters:
  ///   - path: a file that it has open then, so that fewer looks are enough; nil for any. Known on Linux only.
  /// - Returns: false when the process ended before it did.
  func waitUntilIdle(with path: String? = nil) async throws -> Bool {
    let last = Mutex<(time: String?, looks: Int)>((nil, 0))
    return try await wait {
      if let path, !hasOpen(path) { return false }
      let now = restingTime
      return last.withLock {
        $0 = (now, now != nil && now == $0.time ? $0.looks + 1 : 0)
        return $0.looks == (path == nil ? 10 : 2)
      }
    }
  }

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
      let text = unsafe String(cString: line)
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
