/// A way in which a step's records become rows of the store. A step has one, which is made when its turn comes
/// (`StrategyChoice`) and kept until the run's end, because records may wait for later steps.
///
/// `begin` and `importRecords` are called once each, in this order, and `finish` after that, and after held records
/// were written; `write` for every batch. The outcomes of the records are counted in the scope.
protocol WritingStrategy: AnyObject {
  var scope: StepScope { get }

  /// Makes the step's tables ready to be written in this way.
  func begin() throws

  /// Reads the source, as often as this way needs it, and writes all records.
  func importRecords() throws

  /// Writes the rows of a batch whose keys were checked, and rejects the records that cannot be written.
  /// - Parameter arrivals: what may still come that the records refer to.
  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws

  /// Completes the step's tables, so that other steps can look rows up in them.
  func finish() throws

  /// The records that wait; nil where none can.
  var held: HeldRecords? { get }
}

extension WritingStrategy {
  /// No record of this strategy waits.
  var held: HeldRecords? { nil }

  /// Checks the keys of a decoded batch and writes it.
  func importBatch(_ decoded: DecodedBatch, _ arrivals: Arrivals = .anything) throws {
    scope.check(decoded)
    try write(decoded, arrivals)
  }
}

extension StepScope {
  /// Prepares a batch before its rows are written in any way.
  func check(_ decoded: DecodedBatch) {
    countLeftOut(of: decoded)
    if plan.step.onMatch == .replace { decoded.root.clearAbsentRelationships() }
    count(StepOutcomes(duplicate: keys.check(decoded)))
  }

  /// Begins to write new rows as finished pages, where the tables allow it.
  /// - Returns: whether they are written so.
  func beginPageLoad() throws -> Bool {
    let entities = plan.nodes.map(\.entity)
    guard let pages = session.target.pages else { return false }
    return try pages.isPageLoading(entities)
      || pages.beginPageLoad(
        entities, memoryBudget: session.memory.keptColumns, workers: session.jobs, appends: false, changes: nil)
  }
}
