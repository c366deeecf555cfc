import SeedFormats

/// Records that are kept until their source is read to its end, as they stand in it.
struct DeferredRecords {
  /// In input order, a batch for each batch that had some; nil when they cannot be kept.
  private(set) var batches: [(file: Int, records: RecordBatch)]? = []
  private var byteCount = 0
  private let budget: Int
  private let isNumbered: Bool

  init(_ plan: StepPlan, _ session: ImportSession) {
    budget = session.unchangedScan.deferredBudget ?? session.memory.deferredRecords
    isNumbered = plan.step.source.format.isDocument
  }

  /// Keeps some records of a batch.
  mutating func add(_ records: [Int], of decoded: DecodedBatch) {
    guard batches != nil, !records.isEmpty else { return }
    // The numbers of elements in a document are only known where the whole batch is.
    if isNumbered { return giveUp() }
    let kept = decoded.records.copy(ofRecords: records)
    byteCount += kept.byteCount
    batches?.append((decoded.file, kept))
    if byteCount > budget { giveUp() }
  }

  /// Forgets them all: the source is read again.
  mutating func giveUp() { batches = nil }
}

/// A set of numbers from 0 on, a bit for each.
struct RecordSet {
  private var words: [UInt64] = []

  /// Makes room for the numbers under `count`.
  mutating func reserve(_ count: Int) {
    words.append(contentsOf: repeatElement(0, count: max((count + 63) / 64 - words.count, 0)))
  }

  mutating func insert(_ number: Int) { words[number / 64] |= 1 << UInt64(number % 64) }

  mutating func remove(_ number: Int) { words[number / 64] &= ~(1 << UInt64(number % 64)) }

  func contains(_ number: Int) -> Bool {
    number / 64 < words.count && words[number / 64] & 1 << UInt64(number % 64) != 0
  }
}
