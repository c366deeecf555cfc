import Dispatch
import Foundation
import Platform

/// Workers that read a source piece after piece and make products of the pieces, which one consumer takes in the order
/// of the source.
///
/// Only one of them reads at a time, because a source has one position; any free worker does it, as long as there is
/// memory for one more piece, and otherwise takes the oldest piece that was read. So no worker rests while there is
/// work of either kind, and there need be no more threads than processors: with a thread for every stage, processors
/// were idle for a quarter of the time until the system had moved a thread that another one had woken.
final class OrderedWorkers<Buffer: Sendable, Piece: Sendable, Product: Sendable>: @unchecked Sendable {
  /// The result of reading on.
  enum Step {
    /// Something for a worker to process.
    case piece(Piece)
    /// Something that needs no processing; the buffer was not used.
    case product(Product)
    /// The source has ended.
    case end
  }

  private let condition = NSCondition()
  private let read: (Buffer) throws -> Step
  private let reader: StageMeter
  private let worker: StageMeter
  private let consumer: StageWait?

  /// Memory for pieces that is not in use; the last one used is taken first, because a cache may still hold it.
  private var free: [Buffer]
  private var pieces: [(number: Int, piece: Piece)] = []
  private var products: [Int: Product] = [:]
  /// Numbers of the next piece that is read and of the next product that is taken.
  private var nextRead = 0
  private var nextTaken = 0
  private var isReading = false
  private var hasRead = false
  private var failure: (any Error)?
  private var isCancelled = false
  /// The time since which reading has waited for a free buffer.
  private var starvedSince: ContinuousClock.Instant?

  /// - Parameters:
  ///   - buffers: so many pieces are on their way at most.
  ///   - reader: the meter of reading.
  ///   - worker: the meter of all other work of the workers.
  ///   - consumer: the meter of the consumer's waits.
  ///   - read: reads on, into memory for a piece. Called by one worker at a time.
  init(
    buffers: [Buffer], reader: StageMeter, worker: StageMeter, consumer: StageWait? = nil,
    read: @escaping (Buffer) throws -> Step
  ) {
    free = buffers
    self.reader = reader
    self.worker = worker
    self.consumer = consumer
    self.read = read
    reader.addWorker()
  }

  /// Works on the caller's thread until everything is done, or the consumer has gone away.
  func work(_ process: (Piece) -> Product) {
    condition.lock()
    defer { condition.unlock() }
    while !isCancelled {
      if canRead, let buffer = free.popLast() {
        isReading = true
        condition.unlock()
        let step = Result { try worker.work(for: reader) { try read(buffer) } }
        condition.lock()
        isReading = false
        accept(step, buffer)
        condition.broadcast()
      } else if !pieces.isEmpty {
        let (number, piece) = pieces.removeFirst()
        condition.unlock()
        let product = process(piece)
        condition.lock()
        products[number] = product
        if number == nextTaken { condition.broadcast() }
      } else if hasRead {
        return
      } else {
        condition.wait(as: worker.waitForInput) { !isCancelled && !canRead && pieces.isEmpty && !hasRead }
      }
    }
  }

  private var canRead: Bool { !isReading && !hasRead && !free.isEmpty }

  private func accept(_ step: Result<Step, any Error>, _ buffer: Buffer) {
    switch step {
    case .success(.piece(let piece)):
      pieces.append((nextRead, piece))
      nextRead += 1
      if free.isEmpty { starvedSince = ContinuousClock.now }
      return
    case .success(.product(let product)):
      products[nextRead] = product
      nextRead += 1
    case .success(.end): hasRead = true
    case .failure(let error):
      hasRead = true
      failure = error
    }
    free.append(buffer)
  }

  /// The next product in the order of the source; nil at the end.
  /// - Throws: the error of reading, after all products that were read before it.
  func next() throws -> Product? {
    condition.lock()
    defer { condition.unlock() }
    condition.wait(as: consumer) {
      products[nextTaken] == nil && !isCancelled && !(hasRead && nextTaken == nextRead)
    }
    if isCancelled { return nil }
    guard let product = products.removeValue(forKey: nextTaken) else {
      if let failure { throw failure }
      return nil
    }
    nextTaken += 1
    return product
  }

  /// Gives memory back for another piece.
  func giveBack(_ buffer: Buffer) {
    condition.lock()
    defer { condition.unlock() }
    if let since = starvedSince {
      reader.add(waitSince: since, isForInput: false)
      starvedSince = nil
    }
    free.append(buffer)
    condition.broadcast()
  }

  /// Stops because the consumer takes no more: workers end after their current piece.
  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    condition.broadcast()
  }
}
