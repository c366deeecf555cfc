/// `expect:` of an import step: what must be so when the run is over, or the earlier store stays.
public struct StepExpectation: Sendable {
  /// How many rejects are allowed.
  public enum Allowance: Sendable, Equatable {
    case count(Int)
    /// A share of the records that were read, in percent.
    case percent(Double)
  }
  /// The fewest records that must be taken up.
  public var minimum: Int?
  /// The most records that may be taken up.
  public var maximum: Int?
  /// The most that the rows of the entity may get fewer, in percent of those in the store that is there.
  public var shrink: Double?
  /// The most rejects of the step.
  public var rejects: Allowance?
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]
}

/// An item of `expect:` of the pipeline: how many objects the finished store must have.
public struct StoreExpectation: Sendable {
  /// Its name in messages; nil: messages describe what it counts.
  public var name: String?
  /// Whose objects are counted, sub-entities included.
  public var entity: String
  /// Which of them, in the format language; nil: all.
  public var predicate: String?
  /// The smallest number of objects that is accepted.
  public var minimum: Int
  /// The most; nil: any number.
  public var maximum: Int?
  /// Where it starts in the pipeline file.
  public var position: FilePosition
  /// Where each field's value is in the pipeline file, by the field's name.
  public var fieldPositions: [String: FilePosition] = [:]
}
