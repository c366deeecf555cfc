import Dispatch
import Pipelines
import Platform
import StoreInterface

/// Writes batches of an export's rows, one after another. Used by one thread at a time.
protocol RowBatchWriter: AnyObject {
  /// Writes the rows of a batch.
  func write(_ batch: RowBatch) throws
  /// Writes the rows that are held back and ends the output.
  func finish() throws
}

/// Hands the batches of an export to a worker that writes them while the next ones are read.
///
/// Three batches go round, so memory does not grow with the rows. The code that fills batches calls `exchange` and
/// `finish` from one thread; the worker starts with the second batch, so that a small export starts none.
final class ExportWorker {
  private static let batchLimit = 3

  private let writer: any RowBatchWriter
  private let filled = Channel<RowBatch>(capacity: batchLimit)
  private let empty = Channel<RowBatch>(capacity: batchLimit)
  private var batchCount = 1
  private var held: RowBatch?
  private var isRunning = false

  init(_ writer: any RowBatchWriter) { self.writer = writer }

  deinit {
    filled.cancel()
    empty.cancel()
  }

  /// Takes a filled batch and gives an empty one.
  /// - Throws: the writer's error.
  func exchange(_ batch: RowBatch) throws -> RowBatch {
    if let first = held {
      held = nil
      start()
      try send(first)
    }
    if isRunning { try send(batch) } else { held = batch }
    if batchCount < Self.batchLimit {
      batchCount += 1
      return RowBatch(entity: batch.entity, columns: batch.columns, capacity: batch.capacity)
    }
    guard let next = try empty.receive() else { throw Self.stopped }
    return next
  }

  /// Waits until everything is written, and ends the output.
  /// - Throws: the writer's error.
  func finish() throws {
    if let only = held {
      held = nil
      try writer.write(only)
    }
    try drain()
    try writer.finish()
  }

  /// Waits until the worker has stopped, and throws the error that stopped it early.
  func drain() throws {
    filled.finish()
    guard isRunning else { return }
    isRunning = false
    while try empty.receive() != nil {}
  }

  private func send(_ batch: RowBatch) throws {
    if filled.send(batch) { return }
    // The worker has failed; its error comes after the batches it gave back.
    while try empty.receive() != nil {}
    throw Self.stopped
  }

  private func start() {
    isRunning = true
    let filled = filled
    let empty = empty
    // The worker alone uses the writer until `drain` has seen it end.
    nonisolated(unsafe) let writer = writer
    DispatchQueue(label: "seedbed.export").async {
      let writer = unsafe writer
      do {
        while let batch = try filled.receive() {
          try writer.write(batch)
          _ = empty.send(batch)
        }
        empty.finish()
      } catch {
        filled.cancel()
        empty.finish(throwing: error)
      }
    }
  }

  private static var stopped: RunError {
    RunError(.inputOutput, code: "export.stopped", "the export's output was closed")
  }
}
