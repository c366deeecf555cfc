import Dispatch
import ImportEngine
import Logging
import Platform

/// Turns the first SIGINT or SIGTERM into a cancellation; a second one ends the process at once.
///
/// One that comes right after the first is the same request: `timeout` signals its child and then the child's process
/// group, and a shell may pass on what the terminal sent to all.
final class Signals {
  /// The time after the first signal in which another one is ignored, in nanoseconds.
  private static let echoTime: UInt64 = 500_000_000

  private let sources: [any DispatchSourceSignal]

  init(cancelling cancellation: Cancellation) {
    // Both sources hand over on one queue, so that the time needs no lock.
    let queue = DispatchQueue(label: "seedbed.signals")
    let first = FirstSignal()
    sources = [SIGINT, SIGTERM].map { number in
      // The source only sees signals that have no other effect.
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let now = DispatchTime.now().uptimeNanoseconds
        if let time = first.time {
          if now - time > Self.echoTime { _exit(130) }
          return
        }
        first.time = now
        cancellation.cancel()
        Self.sayStopping()
      }
      source.resume()
      return source
    }
  }

  private static func sayStopping() {
    LogLine.say("stopping; a second signal stops at once", .notice, event: "run.stopping")
  }

  /// When the first signal came; used on the signals' queue alone.
  private final class FirstSignal: @unchecked Sendable {
    var time: UInt64?
  }

  /// A reader that goes away (`seedbed … | head`) and a file that grows beyond the limit (`ulimit -f`) show as failed
  /// writes, not as a dead process.
  static func ignoreFailedWrites() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }
}
