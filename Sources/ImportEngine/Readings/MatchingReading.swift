/// Reads the source of a step whose records may be about stored objects. Where that can spare records from being looked
/// up one by one, it is read a first time without writing (`UnchangedScan`).
struct MatchingReading {
  let scope: StepScope
  /// Whether many changed records may be written as finished pages.
  let rewritesRows: Bool
  /// How many new records are written as finished pages; nil where they are not.
  let loading: NewRecordLoading?
  /// Writes the records of a batch one by one.
  let write: (DecodedBatch) throws -> Void

  init(
    _ scope: StepScope, rewritesRows: Bool, loading: NewRecordLoading?, write: @escaping (DecodedBatch) throws -> Void
  ) {
    self.scope = scope
    self.rewritesRows = rewritesRows && scope.plan.allowsTableRewrite
    self.loading = scope.plan.allowsPageAppend ? loading : nil
    self.write = write
  }

  /// Writes all records of the source.
  func run() throws {
    let plan = scope.plan
    let scanned = try UnchangedScan.run(scope, collectsChanges: rewritesRows, loadsNew: loading != nil)
    var superseded = SupersededRecords()
    if plan.step.looksForDuplicates {
      let duplicates = DuplicateKeyScan(scope.source)
      superseded = try scanned.map { try duplicates.superseded(among: $0.repeatedKeys) } ?? duplicates.superseded()
    }
    scope.keys.begin()
    if let scanned {
      if let loading,
        try TableRewrite(scope: scope, scanned: scanned, superseded: superseded, loading: loading, write: write).run()
      {
        return
      }
      if try writeDeferred(scanned) { return }
    }
    try scope.source.read(without: superseded) { decoded in
      scope.count(StepOutcomes(unchanged: scanned?.dropUnchanged(from: decoded) ?? 0))
      try write(decoded)
      scope.addProgress(of: decoded)
    }
  }

  /// Counts what the scan has found, and writes the deferred records.
  /// - Returns: false when the source has to be read again for that.
  private func writeDeferred(_ scanned: ScannedRecords) throws -> Bool {
    guard scanned.deferred.areComplete, scanned.repeatedKeys.isEmpty else { return false }
    scope.count(StepOutcomes(unchanged: scanned.unchangedCount, filtered: scanned.filteredCount))
    scope.session.progress.add(records: scanned.count)
    try scanned.deferred.forEachBatch(scope, write)
    return true
  }
}
