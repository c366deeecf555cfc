/// One step of `import:`.
public struct ImportStep: Sendable {
  /// How rows are written.
  public enum Strategy: String, Sendable, CaseIterable {
    case automatic
    case findOrCreate = "find-or-create"
    case upsert, bulk
    /// Rows exactly as a dump has them.
    case restore
  }
  /// What happens when the object exists already.
  public enum OnMatch: String, Sendable, CaseIterable {
    case update, keep, fail, replace
  }
  /// Which of several records with the same match keys wins.
  public enum Duplicates: String, Sendable, CaseIterable {
    case last, first, reject
  }
  /// How the step is called in reports; the entity's name by default.
  public var name: String
  /// Where the records come from.
  public var source: SourceSettings
  /// Name of the entity whose objects the records are.
  public var entity: String
  /// Attributes or to-one relationships of the entity; empty: every record is inserted.
  public var match: [String]
  /// Yields the record key, by which references find the record's object during this run; it is not stored.
  public var key: RecordExpression?
  /// How rows are written.
  public var strategy: Strategy
  /// What happens when the object exists already.
  public var onMatch: OnMatch
  /// Which of several records with the same match keys wins.
  public var duplicates: Duplicates
  /// Only records for which it is true are imported; the others are filtered.
  public var condition: RecordExpression?
  /// Where each property's value comes from; empty only where `strategy` is `restore`.
  public var map: [MapEntry]
  /// The expected outcomes of the records.
  public var expectation: StepExpectation?
  /// Where it starts in the pipeline file.
  public var position: FilePosition
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]

  /// Whether the pipeline file has a strategy for this step, be it `automatic`.
  public var statesStrategy: Bool { fieldPositions["strategy"] != nil }

  /// Whether records add members to objects, so that every record counts, also of several with the same match keys.
  package var addsMembers: Bool { map.contains(where: \.addsMembers) }

  /// Whether the last of several records with one match key wins, so that the others must be known before anything is
  /// written.
  package var looksForDuplicates: Bool { !match.isEmpty && duplicates == .last && !addsMembers }
}
