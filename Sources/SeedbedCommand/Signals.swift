import Dispatch
import ImportPipeline

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Turns the first SIGINT or SIGTERM into a cancellation; the second one ends the process at once.
final class Signals {
  private let sources: [any DispatchSourceSignal]

  init(cancelling cancellation: Cancellation) {
    sources = [SIGINT, SIGTERM].map { number in
      // The source only sees signals that have no other effect.
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if cancellation.isCancelled { _exit(130) }
        cancellation.cancel()
        Terminal.say("stopping; a second signal stops at once")
      }
      source.resume()
      return source
    }
  }

  /// A reader that goes away (`seedbed … | head`) and a file that grows beyond the limit (`ulimit -f`) show as failed writes,
  /// not as a dead process.
  static func ignoreFailedWrites() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
  }
}
