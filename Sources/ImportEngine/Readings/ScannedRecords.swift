import CoreDataLayout
import SeedFormats
import StoreInterface

/// The findings of a first reading (`UnchangedScan`) about the records of a source, and the records that are still to
/// be written. The scan fills it batch after batch; later readings drop finished records from their batches.
final class ScannedRecords {
  /// Rows of the table.
  let rowCount: Int
  /// Records of the source, faults not counted.
  private(set) var count = 0
  /// Whether the source is read again when many of its records are new: none of them is kept then.
  private let readsAgainForNew: Bool
  private(set) var unchangedCount = 0
  private(set) var filteredCount = 0
  /// Records whose keys no stored row has.
  private(set) var newCount = 0
  /// Records whose stored rows have other values, and about which all else is certain.
  private(set) var changedCount = 0
  /// Hashes of keys that more than one record may have.
  var repeatedKeys: Set<UInt64> = []
  /// The records that are neither unchanged nor filtered, in input order.
  private(set) var deferred: DeferredRecords
  /// Those of them that change no stored row, or about which something is uncertain; only kept where changes are
  /// collected.
  private var undecided: DeferredRecords
  /// Records by number that are known to be unchanged.
  private var isUnchanged = RecordSet()
  /// Those whose keys no stored row has.
  private var isNew = RecordSet()
  /// Those that change a stored row.
  private var isChanged = RecordSet()
  /// The changes of these records; nil where only SQLite can write them.
  private(set) var changes: ChangedRows?
  /// Whether the changes have been written.
  private var changesAreWritten = false
  /// Numbers of the records of the batch at hand in a later reading; none while there is none.
  private var numbers = 0..<0
  private let settings: UnchangedScanSettings

  init(_ scope: StepScope, rowCount: Int, changes: ChangedRows?, readsAgainForNew: Bool) {
    self.readsAgainForNew = readsAgainForNew
    self.rowCount = rowCount
    settings = scope.session.unchangedScan
    self.changes = changes
    deferred = DeferredRecords(scope.plan, scope.session)
    undecided = deferred
  }

  // MARK: - The first reading

  /// The findings about a record after the first reading.
  struct Finding {
    /// Whether it has a row: without one it was left out, or has a problem.
    var isRow = false
    /// Whether no stored row has its key.
    var isNew = false
    /// Whether its row may differ from the stored one.
    var isDeferred = false
    /// Whether the stored row must not be used to judge the record.
    var isUncertain = false
  }

  /// Collects the change that a record of the current batch makes to a stored row.
  /// - Parameters:
  ///   - record: counted in the batch.
  ///   - index: the position of its row among the encoded ones.
  func addChange(_ record: Int, _ index: Int, of rows: EncodedRows, primaryKey: Int64) throws {
    guard let changes else { return }
    try changes.add(index, of: rows, primaryKey: primaryKey, tag: count + record)
    isChanged.insert(count + record)
    changedCount += 1
  }

  /// Forgets all changes: they go record by record.
  func forgetChanges() {
    changes = nil
    changedCount = 0
    isChanged = RecordSet()
  }

  /// Makes room for the records of a batch.
  func reserve(_ batchCount: Int) {
    isUnchanged.reserve(count + batchCount)
    isNew.reserve(count + batchCount)
    if changes != nil { isChanged.reserve(count + batchCount) }
  }

  /// Enters the findings about the records of a batch, and keeps those that are deferred.
  func add(_ findings: [Finding], of decoded: DecodedBatch) {
    var left: [Int] = []
    var open: [Int] = []
    for (record, finding) in findings.enumerated() {
      let number = count + record
      if finding.isNew {
        isNew.insert(number)
        newCount += 1
      }
      if finding.isDeferred {
        left.append(record)
        if finding.isUncertain || !isChanged.contains(number) { open.append(record) }
      } else if finding.isRow {
        unchangedCount += 1
        isUnchanged.insert(number)
      } else {
        filteredCount += 1
      }
    }
    count += findings.count
    // Faults are only known where the whole batch is.
    if decoded.records.faults.isEmpty, !readsAgainForNew || !hasManyNew {
      deferred.add(left, of: decoded)
      if changes != nil { undecided.add(open, of: decoded) }
    } else {
      deferred.giveUp()
      undecided.giveUp()
    }
  }

  /// Whether it costs less to write new rows as finished pages and to make the indexes anew than to keep those up row
  /// by row. Stays true once it is.
  var hasManyNew: Bool { newCount >= settings.leastNewRecords && newCount >= rowCount / settings.rowsPerNewRecord }

  // MARK: - Changes

  /// Hands over the collected changes of stored rows.
  /// - Returns: the changes where they are many, to be written together; nil where they are few, or only SQLite can
  ///   write them.
  func releaseChangesIfMany() -> ChangedRows? {
    defer { changes = nil }
    guard changedCount >= settings.leastChangedRecords, changedCount >= rowCount / settings.rowsPerChangedRecord else {
      return nil
    }
    return changes
  }

  /// From here on the records that change rows count as written, unless their changes were refused.
  func markWritten(_ changes: ChangedRows) {
    changesAreWritten = true
    deferred = undecided
    for record in changes.refused { isChanged.remove(record) }
    if !changes.refused.isEmpty { deferred.giveUp() }
  }

  // MARK: - Later readings

  /// To be called before the records are read again.
  func beginReading() { numbers = 0..<0 }

  /// Takes the rows of unchanged records out of a batch, in input order, and those of changed ones that are or will be
  /// written.
  /// - Parameter changesAreWritten: nil: what `markWritten` has noted.
  /// - Returns: the number of the unchanged.
  func dropUnchanged(from decoded: DecodedBatch, changesAreWritten: Bool? = nil) -> Int {
    advance(decoded)
    if changesAreWritten ?? self.changesAreWritten { _ = drop(from: decoded) { isChanged.contains($0) } }
    return drop(from: decoded) { isUnchanged.contains($0) }
  }

  /// Takes the rows of unchanged and of new records out of a batch, in input order, and those of changed ones that are
  /// written.
  func dropFinished(from decoded: DecodedBatch) {
    advance(decoded)
    _ = drop(from: decoded) {
      isUnchanged.contains($0) || isNew.contains($0) || changesAreWritten && isChanged.contains($0)
    }
  }

  private func advance(_ decoded: DecodedBatch) {
    numbers = numbers.upperBound..<numbers.upperBound + decoded.records.count
    decoded.knownNew = KnownNewRecords(records: isNew, first: numbers.lowerBound)
  }

  private func drop(from decoded: DecodedBatch, _ isFinished: (Int) -> Bool) -> Int {
    let good = numbers.map { !isFinished($0) }
    guard good.contains(false) else { return 0 }
    let before = decoded.root.batch.count
    decoded.root.keep(records: good)
    return before - decoded.root.batch.count
  }
}
