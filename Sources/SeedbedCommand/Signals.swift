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

  static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}
