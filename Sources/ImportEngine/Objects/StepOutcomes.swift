import Reports

/// Counts of a step's records by their outcome. Rejected records are counted by `StepRejects`.
struct StepOutcomes: Sendable {
  var inserted = 0
  var updated = 0
  var unchanged = 0
  var filtered = 0
  var duplicate = 0
  /// Nested objects that were added.
  var nestedInserted = 0
  /// Nested objects that were changed.
  var nestedUpdated = 0
  /// Nested objects that were deleted because their owners no longer have them, without what the model's delete rules
  /// delete with them.
  var nestedDeleted = 0
  /// How rows were written, as far as the choice of the strategy does not say it: "written as finished pages".
  var remarks: [String] = []

  /// The remark of rows that are not written through SQL.
  static let writtenAsPages = StepOutcomes(remarks: ["written as finished pages"])

  static func += (left: inout StepOutcomes, right: StepOutcomes) {
    left.inserted += right.inserted
    left.updated += right.updated
    left.unchanged += right.unchanged
    left.filtered += right.filtered
    left.duplicate += right.duplicate
    left.nestedInserted += right.nestedInserted
    left.nestedUpdated += right.nestedUpdated
    left.nestedDeleted += right.nestedDeleted
    left.remarks += right.remarks
  }

  /// The outcomes as a report has them.
  func counts(rejected: Int) -> OutcomeCounts {
    var counts = OutcomeCounts()
    counts.inserted = inserted
    counts.updated = updated
    counts.unchanged = unchanged
    counts.filtered = filtered
    counts.duplicate = duplicate
    counts.rejected = rejected
    return counts
  }
}
