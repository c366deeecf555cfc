/// Writes a new object for every record of a dump. Steps that restore entities of one table go on with one load of
/// pages, which ends when a step that does not belong to it begins.
final class RestoreStrategy: WritingStrategy {
  let scope: StepScope
  private let writer: NewRowWriter

  init(_ scope: StepScope) {
    self.scope = scope
    writer = NewRowWriter(scope, rules: .restored)
  }

  func begin() throws {
    let session = scope.session
    let goesOn = session.target.pages?.isPageLoading(scope.plan.nodes.map(\.entity)) ?? false
    if !goesOn { try session.endPageLoad() }
    if try scope.beginPageLoad() { scope.count(.writtenAsPages) }
  }

  func importRecords() throws {
    try scope.source.read { decoded in
      try importBatch(decoded)
      scope.addProgress(of: decoded)
    }
  }

  func write(_ decoded: DecodedBatch, _ arrivals: Arrivals) throws { try writer.write(decoded, arrivals) }

  /// The pages are finished when a step begins that does not go on with them.
  func finish() {}
}
