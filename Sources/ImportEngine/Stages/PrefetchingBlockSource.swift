import Dispatch
import Platform
import SeedFormats

/// Pulls blocks from another source on a worker of its own, so that reading and inflating run beside scanning.
///
/// The worker is as many blocks ahead as there are; they are used again and again.
final class PrefetchingBlockSource: BlockSource {
  private let free: Channel<ByteBlock>
  private let filled: Channel<ByteBlock>
  /// The block at hand and how much of it was handed out.
  private var block: ByteBlock?
  private var given = 0

  /// - Parameter source: used by the worker alone from now on.
  init(_ source: sending any BlockSource, _ meters: ReadingMeters) {
    let blocks = 4
    let reader = meters.read
    let free = Channel<ByteBlock>(capacity: blocks, receiving: reader.waitForOutput)
    let filled = Channel<ByteBlock>(
      capacity: blocks, sending: reader.waitForOutput, receiving: meters.scan.waitForInput)
    for _ in 0..<blocks { _ = free.send(ByteBlock()) }
    self.free = free
    self.filled = filled
    let upstream = UncheckedTransfer(source)
    reader.work(on: DispatchQueue(label: "seedbed.inflate")) {
      let source = upstream.receive()
      do {
        while let source, let block = try free.receive(), try block.fill(from: source) {
          guard filled.send(block) else { return }
        }
        filled.finish()
      } catch {
        filled.finish(throwing: error)
      }
    }
  }

  deinit {
    free.cancel()
    filled.cancel()
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if block == nil {
      given = 0
      block = try nextBlock()
    }
    guard let block else { return 0 }
    // Safety: the block is this source's alone until it is sent back, and `given` never goes beyond its bytes.
    let bytes = unsafe block.bytes
    let count = min(target.count, bytes.count - given)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[given..<given + count]))
    given += count
    if given == bytes.count {
      _ = free.send(block)
      self.block = nil
    }
    return count
  }

  private func nextBlock() throws(SeedFormatError) -> ByteBlock? {
    do {
      return try filled.receive()
    } catch let error as SeedFormatError {
      throw error
    } catch {
      preconditionFailure("a block source threw something else than SeedFormatError: \(error)")
    }
  }
}

/// Carries a value that is not Sendable to the one worker that will own it.
final class UncheckedTransfer<Value>: @unchecked Sendable {
  private var value: Value?
  init(_ value: sending Value) { self.value = value }
  /// The value; nil when it was received before.
  func receive() -> Value? {
    defer { value = nil }
    return value
  }
}
