/// Which records are refused as new rows, and whether before or after they get primary keys.
struct NewRowRules: Sendable {
  /// Whether a record that leaves a required relationship without a destination is refused.
  var requiresDestinations = true
  /// Whether a record that is refused for its references gets no primary key, as when an upsert inserts it. Otherwise
  /// its key stays unused.
  var resolvesBeforeKeys = false

  /// The rules of bulk steps.
  static let bulk = NewRowRules()
  /// The rules of steps that restore a dump, whose references may come with the other side.
  static let restored = NewRowRules(requiresDestinations: false)
  /// The rules for the new records of an upsert.
  static let upserted = NewRowRules(resolvesBeforeKeys: true)

  /// Refuses the records of a batch that lack what the model requires of a new object: what they lack themselves first,
  /// then destinations.
  /// - Parameter keepsRows: only the problems are noted, and a record may get those of both kinds.
  func refuseUnfit(_ decoded: DecodedBatch, keepsRows: Bool = false) {
    decoded.refuseIncomplete { _ in true }
    if !keepsRows { decoded.dropProblemRows() }
    guard requiresDestinations else { return }
    decoded.refuseMissingDestinations { _ in true }
    if !keepsRows { decoded.dropProblemRows() }
  }
}
