/// The records of a run that wait for others, and the references that do.
struct HeldRecordRounds {
  private let steps: [StepRun]
  private let session: ImportSession
  private var scopes: [StepScope] { steps.map(\.scope) }
  private var heldCount: Int { steps.reduce(0) { $0 + ($1.held?.count ?? 0) } }

  /// - Parameter steps: all that have begun, by number.
  init(_ steps: [StepRun], _ session: ImportSession) {
    self.steps = steps
    self.session = session
  }

  /// Completes what has become possible, as long as what one record brings lets others be written.
  func writeReady() throws {
    try session.resolvePending(steps: scopes, isFinal: false)
    var before = 0
    while heldCount > 0, heldCount != before {
      before = heldCount
      for step in steps { try step.writeHeld(.anything) }
      try session.resolvePending(steps: scopes, isFinal: false)
    }
  }

  /// Writes or rejects all of them: nothing else will come.
  func finish() throws {
    while heldCount > 0, try HeldRecordPass.allCases.contains(where: judge) {}
    try session.resolvePending(steps: scopes, isFinal: true)
    for step in steps { try step.writeHeld(.nothing) }
  }

  /// Rejects the records that could not stand even with all that held records bring, and writes held ones that stand
  /// with others.
  /// - Returns: whether there were any.
  private func judge(_ pass: HeldRecordPass) throws -> Bool {
    let keys = try HeldObjectKeys.standing(
      steps.flatMap { $0.held?.batches ?? [] }, session.tables, session.pendingReferences, steps: scopes)
    let hasRejected = try session.rejectBlocked(steps: scopes, isToCome: keys.contains)
    let before = heldCount
    for step in steps {
      try step.writeHeld(.held(keys, pass))
      // What became of these may say that rows fall which records of later steps would change out of order.
      if pass == .outOfOrder && heldCount != before { break }
    }
    let hasChanged = hasRejected || heldCount != before
    if hasChanged { try writeReady() }
    return hasChanged
  }
}
