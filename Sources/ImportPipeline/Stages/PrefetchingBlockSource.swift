import Dispatch
import SeedFormats

/// Pulls blocks from another source on a worker of its own, so that reading and inflating run beside scanning.
///
/// The worker is at most `credits` blocks ahead.
final class PrefetchingBlockSource: BlockSource {
  private let channel: Channel<ByteBlock>

  /// - Parameter source: used by the worker alone from now on.
  init(_ source: sending any BlockSource, credits: Int = 4) {
    let channel = Channel<ByteBlock>(capacity: credits)
    self.channel = channel
    let upstream = Handover(source)
    DispatchQueue(label: "seedbed.inflate").async {
      let source = upstream.take()
      do {
        while let block = try source?.next() {
          guard channel.send(block) else { return }
        }
        channel.finish()
      } catch {
        channel.finish(throwing: error)
      }
    }
  }

  deinit { channel.cancel() }

  func next() throws(SeedFormatError) -> ByteBlock? {
    do {
      return try channel.receive()
    } catch let error as SeedFormatError {
      throw error
    } catch {
      preconditionFailure("a block source threw something else than SeedFormatError: \(error)")
    }
  }
}

/// Carries a value that is not Sendable to the one worker that will own it.
final class Handover<Value>: @unchecked Sendable {
  private var value: Value?
  init(_ value: sending Value) { self.value = value }
  /// The value, once.
  func take() -> Value? {
    defer { value = nil }
    return value
  }
}
