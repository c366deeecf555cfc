public import Pipelines

/// The result of one import step.
public struct StepReport: Sendable {
  /// The step's name.
  public var name: String
  /// The name of the entity that records become objects of.
  public var entity: String
  /// The source as the pipeline file writes it.
  public var source: String
  /// The strategy taken; never automatic.
  public var strategy: ImportStep.Strategy
  /// Why the step took this strategy, in words.
  public var reason: String
  /// How many records ended in each outcome.
  public var counts = OutcomeCounts()
  /// Objects that nested mappings added besides the records themselves.
  public var nestedInserted = 0
  /// Objects that nested mappings changed.
  public var nestedUpdated = 0
  /// Objects that nested mappings deleted, as their owners have them no more, without what the
  /// model's delete rules take along.
  public var nestedDeleted = 0
  /// Files without records, and files that were not read.
  public var notes: [SourceNote] = []
  /// Warnings about the step's records as a whole, in sentences; they are also among the warnings of the run.
  public var warnings: [String] = []
  /// Wall-clock time of the step.
  public var durationSeconds = 0.0
  /// Where that time went, in the order that data goes through the stages.
  public var stages: [StageReport] = []
  /// How often the source was read, or begun to be read. More than once to find out which of several records with one
  /// key wins, or which records say nothing new.
  public var readings = 0

  /// A report of a step that has done nothing yet.
  package init(
    name: String, entity: String, source: String, strategy: ImportStep.Strategy, reason: String
  ) {
    self.name = name
    self.entity = entity
    self.source = source
    self.strategy = strategy
    self.reason = reason
  }
}
