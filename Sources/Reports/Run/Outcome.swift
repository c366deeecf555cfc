/// The outcomes of a record. Every record that is read has exactly one.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
  case inserted, updated, unchanged, filtered, duplicate, rejected
}

/// How many records ended in each outcome.
public struct OutcomeCounts: Sendable, Hashable {
  /// Records that became new objects.
  public var inserted = 0
  /// Records that changed an object.
  public var updated = 0
  /// Records whose object already was as they say, or was to be kept.
  public var unchanged = 0
  /// Records that `where:` left out.
  public var filtered = 0
  /// Records that another record of the same key supersedes.
  public var duplicate = 0
  /// Records that could not be imported.
  public var rejected = 0

  /// Counts that are all zero.
  public init() {}

  /// The count of one outcome.
  public subscript(outcome: Outcome) -> Int {
    get {
      switch outcome {
      case .inserted: inserted
      case .updated: updated
      case .unchanged: unchanged
      case .filtered: filtered
      case .duplicate: duplicate
      case .rejected: rejected
      }
    }
    set {
      switch outcome {
      case .inserted: inserted = newValue
      case .updated: updated = newValue
      case .unchanged: unchanged = newValue
      case .filtered: filtered = newValue
      case .duplicate: duplicate = newValue
      case .rejected: rejected = newValue
      }
    }
  }

  /// The sum over all outcomes: the number of records read.
  public var total: Int { inserted + updated + unchanged + filtered + duplicate + rejected }

  /// Adds outcome by outcome.
  public static func += (left: inout OutcomeCounts, right: OutcomeCounts) {
    for outcome in Outcome.allCases { left[outcome] += right[outcome] }
  }
}
