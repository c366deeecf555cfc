import Foundation
import Pipelines
import Platform

/// Reads a stream as its bytes come, and gives up waiting when the run is asked to stop.
final class StreamReader {
  private let descriptor: Int32
  private let name: String
  private let stops: [Cancellation]

  /// How long a wait lasts before the run is asked whether it goes on.
  private static let patienceMilliseconds: Int32 = 50

  /// Opens a stream; of a FIFO without a writer that takes until there is one.
  /// - Parameters:
  ///   - path: `-` is standard input.
  ///   - stops: any of them ends the waiting.
  init(path: String, name: String, stops: [Cancellation]) throws(RunError) {
    self.name = name
    self.stops = stops
    descriptor =
      path == "-" ? STDIN_FILENO : try StreamOpening(path: path).wait(name: name, stops: stops)
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Reads some bytes.
  /// - Returns: 0 at the end.
  func read(into target: UnsafeMutableRawBufferPointer) throws(RunError) -> Int {
    while true {
      try Self.check(stops)
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&request, 1, Self.patienceMilliseconds)
      if ready < 0, errno != EINTR { throw failure(errno) }
      guard ready > 0 else { continue }
      do throws(SystemError) {
        return unsafe try FileDescriptor.read(descriptor, into: target, of: name)
      } catch {
        if error.number != EAGAIN { throw failure(error.number) }
      }
    }
  }

  private func failure(_ number: Int32) -> RunError {
    RunError(
      number == EISDIR ? .missingInput : .inputOutput, code: "source.stream",
      "\(name): cannot be read: \(SystemError.reason(number))")
  }

  fileprivate static func check(_ stops: [Cancellation]) throws(RunError) {
    for stop in stops { try stop.check() }
  }
}

/// Opens a path on a thread of its own, because opening a FIFO waits for a writer.
private final class StreamOpening: @unchecked Sendable {
  private let path: String
  private let condition = NSCondition()
  private var descriptor: Int32?
  private var errorNumber: Int32 = 0
  private var isAbandoned = false

  init(path: String) {
    self.path = path
    Thread.detachNewThread {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
      let number = errno
      self.condition.lock()
      if self.isAbandoned, descriptor >= 0 { close(descriptor) }
      self.descriptor = descriptor
      self.errorNumber = number
      self.condition.broadcast()
      self.condition.unlock()
    }
  }

  func wait(name: String, stops: [Cancellation]) throws(RunError) -> Int32 {
    condition.lock()
    defer { condition.unlock() }
    while descriptor == nil {
      if stops.contains(where: \.isCancelled) {
        isAbandoned = true
        // Opening the FIFO for writing for a moment releases the thread that waits for a writer.
        let writer = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if writer >= 0 { close(writer) }
        try StreamReader.check(stops)
      }
      _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
    }
    guard let descriptor, descriptor >= 0 else {
      let isSystem = [EIO, EMFILE, ENFILE, ENOMEM].contains(errorNumber)
      throw RunError(
        isSystem ? .inputOutput : .missingInput, code: "source.unreadable",
        "\(name): cannot be opened: \(SystemError.reason(errorNumber))")
    }
    return descriptor
  }
}
