import Dispatch
import Foundation
import SeedFormats

/// A file of a step's source, opened or about to be.
struct SourceFile: Sendable {
  /// Where the bytes are; for standard input the file it was kept in.
  var path: String
  /// How messages name it.
  var name: String
}

/// Runs the stages of one step up to decoding: read, inflate and cut into batches of whole records on one worker, scan
/// and decode on `jobs` workers, and hands the decoded batches over in input order. (The records of a JSON document are
/// scanned before, by one worker, because only that finds their ends.)
///
/// The number of record batches is fixed; who has none to fill waits. That bounds memory whatever the input's size.
struct StepStages: Sendable {
  let plan: StepPlan
  let files: [SourceFile]
  let options: FormatOptions
  let jobs: Int
  let recordsPerBatch: Int
  let losers: LoserSet
  let cancellation: Cancellation
  let progress: RunProgress
  /// What the workers do with a batch besides decoding it.
  var preparation: BulkPreparation?
  /// Likewise, in a reading that looks for stored rows.
  var search: StoredRowSearch?
  let meters: StepMeters
  /// Of the reading at hand.
  private(set) var reading = ReadingMeters()

  /// Reads the source from the beginning to the end.
  /// - Parameters:
  ///   - header: told the column names of each file before its first batch.
  ///   - consume: called on the caller's thread, batch after batch in input order.
  func run(
    header: (Int, [String]) -> Void, consume: (DecodedBatch) throws -> Void
  ) throws {
    var stages = self
    stages.reading = meters.beginReading()
    try stages.read(header: header, consume: consume)
  }

  private func read(
    header: (Int, [String]) -> Void, consume: (DecodedBatch) throws -> Void
  ) throws {
    let start = reading.write.begin()
    defer { reading.write.end(start) }
    let credits = jobs + 3
    let pool = Channel<RecordBatch>(capacity: credits, receiving: reader.waitForOutput)
    for _ in 0..<credits { _ = pool.send(RecordBatch(fieldCount: plan.projection.count)) }
    let scanned = Channel<Scanned>(
      capacity: credits, sending: reader.waitForOutput, receiving: reading.decode.waitForInput)
    let sequencer = Sequencer<Decoded>(receiving: reading.write.waitForInput)

    let workers = DispatchGroup()
    startReading(pool: pool, into: scanned)
    for worker in 0..<jobs { startDecoding(worker, in: workers, from: scanned, into: sequencer) }
    defer {
      pool.cancel()
      scanned.cancel()
      sequencer.cancel()
      // They look into key tables, which the caller may change from here on.
      workers.wait()
    }
    var ordinal: UInt64 = 0
    while let element = try sequencer.next() {
      switch element {
      case .header(let file, let columns):
        header(file, columns)
        ordinal = 0
      case .batch(let decoded):
        decoded.records.firstOrdinal = ordinal
        ordinal += UInt64(decoded.records.count + decoded.records.faults.count)
        if cancellation.isCancelled {
          throw RunError(.interrupted, code: "run.interrupted", "interrupted; the previous store is as it was")
        }
        reading.write.add(rows: decoded.records.count)
        try consume(decoded)
        if let failure = decoded.records.failure { throw named(failure) }
        _ = pool.send(decoded.recordsAreRetained ? RecordBatch(fieldCount: plan.projection.count) : decoded.records)
      }
    }
  }

  /// Of the stage that fills record batches.
  private var reader: StageMeter { options.format == .json ? reading.scan : reading.read }

  private enum Scanned: Sendable {
    case header(sequence: Int, file: Int, columns: [String])
    case batch(sequence: Int, file: Int, RecordBatch)
    case end(sequence: Int, failure: (any Error)?)
  }

  private enum Decoded: Sendable {
    case header(file: Int, columns: [String])
    case batch(DecodedBatch)
  }

  private func startReading(pool: Channel<RecordBatch>, into scanned: Channel<Scanned>) {
    reader.work(on: DispatchQueue(label: "seedbed.read")) {
      var sequence = 0
      var failure: (any Error)?
      do {
        for (index, file) in files.enumerated() {
          let reader = try reader(of: file)
          guard scanned.send(.header(sequence: sequence, file: index, columns: reader.columns)) else { return }
          sequence += 1
          while let batch = try pool.receive() {
            guard try reader.read(batch, maximumRecords: recordsPerBatch) else {
              _ = pool.send(batch)
              break
            }
            guard scanned.send(.batch(sequence: sequence, file: index, batch)) else { return }
            sequence += 1
          }
        }
      } catch let error as SeedFormatError {
        failure = named(error)
      } catch {
        failure = error
      }
      _ = scanned.send(.end(sequence: sequence, failure: failure))
      scanned.finish()
    }
  }

  private func reader(of file: SourceFile) throws(SeedFormatError) -> RecordReader {
    // Cutting into batches is next to no work: the inflating worker does it itself.
    let source: any BlockSource =
      try options.format == .json ? PrefetchingBlockSource(bytes(of: file), reading) : bytes(of: file)
    return try RecordReader(source: source, options: options, projection: plan.projection, file: file.name)
  }

  private func bytes(of file: SourceFile) throws(SeedFormatError) -> sending any BlockSource {
    let bytes = CountingBlockSource(try FileBlockSource(path: file.path), progress: progress, meter: reading.read)
    return SeedFile.decoded(bytes, options: options, file: file.name, workers: jobs)
  }

  /// Messages name the file as the pipeline does, not where standard input was kept.
  private func named(_ error: SeedFormatError) -> SeedFormatError {
    guard let known = files.first(where: { $0.path == error.file }) else { return error }
    var error = error
    error.file = known.name
    return error
  }

  private func startDecoding(
    _ worker: Int, in group: DispatchGroup, from scanned: Channel<Scanned>, into sequencer: Sequencer<Decoded>
  ) {
    reading.decode.work(on: DispatchQueue(label: "seedbed.decode.\(worker)"), in: group) {
      let scanner = BatchScanner()
      let decoder = RecordDecoder(plan: plan)
      let preparer = preparation?.makeWorker()
      let searcher = search?.makeWorker()
      while let element = try? scanned.receive() {
        switch element {
        case .header(let sequence, let file, let columns):
          sequencer.put(.header(file: file, columns: columns), at: sequence)
        case .batch(let sequence, let file, let records):
          scanner.scan(records)
          let decoded = decoder.decode(records, file: file, losers: losers)
          preparer?.prepare(decoded)
          // What went wrong is told where the batch is taken up.
          decoded.search = try? searcher?.find(decoded)
          reading.decode.add(rows: records.count)
          sequencer.put(.batch(decoded), at: sequence)
        case .end(let sequence, let failure):
          sequencer.end(at: sequence, throwing: failure)
        }
      }
    }
  }
}

/// Puts results that workers finish in any order back into their order.
final class Sequencer<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let receiving: StageWait?
  private var waiting: [Int: Element] = [:]
  private var nextSequence = 0
  private var endSequence: Int?
  private var failure: (any Error)?
  private var isCancelled = false

  /// - Parameter receiving: what waits of `next` count as.
  init(receiving: StageWait? = nil) { self.receiving = receiving }

  func put(_ element: Element, at sequence: Int) {
    condition.lock()
    defer { condition.unlock() }
    guard !isCancelled else { return }
    waiting[sequence] = element
    if sequence == nextSequence { condition.broadcast() }
  }

  /// The sequence ends before this number; the error is thrown once everything before it was taken.
  func end(at sequence: Int, throwing error: (any Error)?) {
    condition.lock()
    defer { condition.unlock() }
    endSequence = sequence
    failure = error
    condition.broadcast()
  }

  func next() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    condition.wait(as: receiving) {
      waiting[nextSequence] == nil && !isCancelled && endSequence != nextSequence
    }
    if let element = waiting.removeValue(forKey: nextSequence) {
      nextSequence += 1
      return element
    }
    if !isCancelled, let failure { throw failure }
    return nil
  }

  func cancel() {
    condition.lock()
    defer { condition.unlock() }
    isCancelled = true
    waiting.removeAll()
    condition.broadcast()
  }
}
