public import Exports
public import Pipelines

/// The look-ups of a pipeline's run in its store, and SQLite's plans for them.
public struct PipelineExplanation: Sendable {
  /// A statement that the run asks the store, once or many times.
  public struct Lookup: Sendable {
    /// The kind of objects that are looked for.
    public enum Kind: String, Sendable, CaseIterable {
      /// The object that a record is about.
      case match
      /// Rows with the values of a record that breaks a uniqueness constraint.
      case constraint
      /// The keys by which references find their objects.
      case keys
      /// The members of a to-many relationship.
      case members
      /// How many objects there are.
      case count
      /// The objects that an export writes.
      case export
    }
    /// The kind of objects that are looked for.
    public var kind: Kind
    /// The kind in words.
    public var purpose: String
    /// The statement, its plan, and the indexes that would help.
    public var fetch: ExplainedFetch
    /// Whether it reads every row of its table, so that no index can help.
    public var readsWholeTable: Bool
  }

  /// A part of the run.
  public struct Part: Sendable {
    /// The kinds of parts that a run has.
    public enum Kind: String, Sendable, CaseIterable {
      /// The work before the first step.
      case begin
      /// A step of import.
      case step = "import"
      /// The counts of `expect:`.
      case expect
      /// A step of export.
      case export
    }
    /// Which kind of part this is.
    public var kind: Kind
    /// The step's name, what is expected, or the path of the export; empty for the beginning.
    public var name: String
    /// The entity of the objects; nil for the beginning.
    public var entity: String?
    /// How an import step writes, as far as that is known before the run.
    public var strategy: ImportStep.Strategy?
    /// Why it writes so.
    public var reason: String?
    /// Whether its rows are written as finished pages.
    public var writesPages = false
    /// The work that needs no statement.
    public var notes: [String] = []
    /// The statements of the part.
    public var lookups: [Lookup] = []
  }

  /// The path of the pipeline file.
  public var pipeline: String
  /// The store that was asked for its plans; nil where there is none yet, and an empty one of the model was made and
  /// removed again.
  public var store: String?
  /// Remarks about the store that was asked.
  public var notes: [String]
  /// The parts in the order of the run.
  public var parts: [Part]
}
