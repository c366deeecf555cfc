/// Writes a table that is empty: rows as finished pages where that is possible, otherwise inserted through SQLite.
/// Nothing is looked up among stored rows.
final class BulkStrategy: WritingStrategy {
  let scope: StepScope
  private let writer: NewRowWriter

  init(_ scope: StepScope) {
    self.scope = scope
    writer = NewRowWriter(scope, rules: .bulk)
  }

  func begin() throws {
    try scope.session.endPageLoad()
    if try beginPages() { scope.count(.writtenAsPages) }
  }

  /// Begins to write pages, with encoded rows from the decode workers where the step allows it.
  private func beginPages() throws -> Bool {
    let isLoading = try scope.beginPageLoad()
    writer.preparation = isLoading ? try BulkPreparation(scope.plan, session: scope.session) : nil
    return isLoading
  }

  func importRecords() throws {
    if let attempt = OnePassAttempt(scope, writer) {
      if try attempt.run() { return }
      try scope.session.target.pages?.abandonPageLoad()
      _ = try beginPages()
    }
    scope.keys.begin()
    let superseded =
      try scope.plan.step.looksForDuplicates ? DuplicateKeyScan(scope.source).superseded() : SupersededRecords()
    try scope.source.read(without: superseded, preparation: writer.preparation) { decoded in
      try importBatch(decoded)
      scope.addProgress(of: decoded)
    }
  }

  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws { try writer.write(decoded, arrivals) }

  func finish() throws {
    writer.preparation = nil
    try scope.source.meters.index.work { try scope.session.endPageLoad() }
  }
}
