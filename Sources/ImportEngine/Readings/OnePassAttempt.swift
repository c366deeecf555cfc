import SeedFormats

/// With `duplicates: last`, reads the source of a bulk step only once, in the hope that no match key comes twice and no
/// record is refused.
struct OnePassAttempt {
  private let scope: StepScope
  private let writer: NewRowWriter

  /// - Returns: nil where nothing can be gained, or the workers cannot prepare the rows.
  init?(_ scope: StepScope, _ writer: NewRowWriter) {
    guard writer.preparation != nil, scope.plan.step.looksForDuplicates else { return nil }
    self.scope = scope
    self.writer = writer
  }

  /// Writes all records.
  /// - Returns: false when that was not possible. Then outcomes and key tables are as they were, and the pages written
  ///   so far are to be abandoned.
  func run() throws -> Bool {
    let before = scope.outcomes
    let matchKeys = MatchKeyWatch(scope.plan, session: scope.session)
    do {
      try scope.source.read(preparation: writer.preparation) { decoded in
        scope.countLeftOut(of: decoded)
        guard decoded.problems.isEmpty, decoded.records.faults.isEmpty,
          try writer.writeEncoded(decoded, watching: matchKeys)
        else { throw OnePassFailed() }
        scope.addProgress(of: decoded)
      }
      scope.session.progress.add(bytes: SourceInputs.bytes(of: scope.source.files))
      return true
    } catch is OnePassFailed {
      scope.recount(from: before)
      // The step's tables were empty, and so was what is known of their objects.
      for (_, table) in scope.session.tables.tables(for: scope.plan.root.entity) { table.removeAll() }
      return false
    }
  }

  private struct OnePassFailed: Error {}
}
