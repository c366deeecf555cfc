import Dispatch
import Foundation
import Pipelines
import SeedFormats

/// Runs the stages of one step up to decoding, on `jobs` workers: one at a time reads, inflates and cuts into batches
/// of whole records, the others scan and decode, and the decoded batches are handed over in input order. (The records
/// of a JSON document are scanned by the worker that reads them, because only that finds their ends.)
///
/// The number of record batches is fixed; a worker without one to fill waits. That bounds memory whatever the input's
/// size.
struct StepStages: Sendable {
  let plan: StepPlan
  let files: [SourceFile]
  let options: FormatOptions
  let jobs: Int
  let recordsPerBatch: Int
  let superseded: SupersededRecords
  let cancellation: Cancellation
  let progress: RunProgress
  /// The work of the workers on a batch besides decoding it.
  let preparation: BulkPreparation?
  /// Looks stored rows up on the workers, in a reading that does so.
  let lookup: StoredRowLookup?
  /// Told which fields the records have.
  let seenFields: SeenFields?
  let meters: StepMeters
  /// The meters of the reading at hand.
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
    let buffers = (0..<jobs + 3).map { _ in RecordBatch(fieldCount: plan.projection.count) }
    let source = StepSource(self)
    let workers = OrderedWorkers(
      buffers: buffers, reader: options.format == .json ? reading.scan : reading.read, worker: reading.decode,
      consumer: reading.write.waitForInput, read: source.read)
    let running = DispatchGroup()
    // One of them reads. A source of no more bytes than a batch has records is one batch, which one worker reads and
    // decodes.
    let isOneBatch = files.count == 1 && SourceInputs.bytes(of: files) <= recordsPerBatch
    for worker in 0..<(isOneBatch ? 1 : max(jobs, 2)) {
      reading.decode.work(on: DispatchQueue(label: "seedbed.worker.\(worker)"), in: running) { decode(in: workers) }
    }
    defer {
      workers.cancel()
      // The workers must have ended, because they read key tables, which the caller may change from now on.
      running.wait()
    }
    var ordinal: UInt64 = 0
    var recordsPerFile: [Int] = []
    while let element = try workers.next() {
      switch element {
      case .header(let file, let columns):
        header(file, columns)
        ordinal = 0
        recordsPerFile.append(0)
      case .batch(let decoded):
        decoded.records.number(from: ordinal)
        ordinal += UInt64(decoded.records.count + decoded.records.faults.count)
        recordsPerFile[recordsPerFile.count - 1] = Int(ordinal)
        try cancellation.check()
        reading.write.add(rows: decoded.records.count)
        try consume(decoded)
        if let failure = decoded.records.failure { throw named(failure) }
        workers.giveBack(decoded.recordsAreRetained ? RecordBatch(fieldCount: plan.projection.count) : decoded.records)
      }
    }
    meters.note(recordsPerFile: recordsPerFile)
  }

  /// Messages name the file as the pipeline does, not where standard input was kept.
  fileprivate func named(_ error: SeedFormatError) -> SeedFormatError {
    guard let known = files.first(where: { $0.path == error.file }) else { return error }
    var error = error
    error.file = known.name
    return error
  }

  /// The part of the decoding that one worker does.
  private func decode(in workers: OrderedWorkers<RecordBatch, StepSource.Piece, Decoded>) {
    let scanner = BatchScanner()
    let decoder = RecordDecoder(plan: plan, seenFields: seenFields)
    let preparer = preparation?.makeWorker()
    let finder = lookup?.makeWorker()
    workers.work { piece in
      scanner.scan(piece.records)
      let decoded = decoder.decode(piece.records, file: piece.file, superseded: superseded)
      preparer?.prepare(decoded)
      // An error of the look-up is met again, and thrown, where the batch is taken up.
      decoded.lookup = try? finder?.find(decoded)
      reading.decode.add(rows: piece.records.count)
      return .batch(decoded)
    }
  }

  /// The product for the consumer.
  enum Decoded: Sendable {
    case header(file: Int, columns: [String])
    case batch(DecodedBatch)
  }
}

/// Reads the files of a step, one after another. Used by one worker at a time.
private final class StepSource {
  /// Whole records of a file.
  struct Piece: Sendable {
    var file: Int
    var records: RecordBatch
  }

  private let stages: StepStages
  private var file = -1
  private var reader: RecordReader?
  private var directories = ZipDirectories()

  init(_ stages: StepStages) { self.stages = stages }

  /// Fills a batch, or opens the next file.
  func read(_ batch: RecordBatch) throws -> OrderedWorkers<RecordBatch, Piece, StepStages.Decoded>.Step {
    do {
      if let reader {
        if try reader.read(batch, maximumRecords: stages.recordsPerBatch) {
          return .piece(Piece(file: file, records: batch))
        }
        self.reader = nil
      }
      file += 1
      guard file < stages.files.count else { return .end }
      let next = try open(stages.files[file])
      reader = next
      return .product(.header(file: file, columns: next.columns))
    } catch {
      throw stages.named(error)
    }
  }

  private func open(_ file: SourceFile) throws(SeedFormatError) -> RecordReader {
    // Cutting into batches is next to no work: the inflating worker does it itself.
    let source: any BlockSource =
      try stages.options.format == .json
      ? PrefetchingBlockSource(bytes(of: file), stages.reading) : bytes(of: file)
    return try RecordReader(
      source: source, options: stages.options, projection: stages.plan.projection, file: file.name)
  }

  private func bytes(of file: SourceFile) throws(SeedFormatError) -> sending any BlockSource {
    let place = try SeedPlace(path: file.path, directories: &directories)
    let bytes = CountingBlockSource(
      try place.bytes(), progress: stages.progress, meter: stages.reading.read)
    return SeedFile.decoded(
      bytes, member: place.member, options: stages.options, file: file.name, notices: stages.meters.textNotices)
  }
}
