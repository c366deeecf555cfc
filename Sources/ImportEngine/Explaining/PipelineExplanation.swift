public import Exports
public import Pipelines

/// What a run of a pipeline would look up in its store, and how SQLite means to find it.
public struct PipelineExplanation: Sendable {
  /// A statement that the run asks the store, once or many times.
  public struct Lookup: Sendable {
    /// What is looked for.
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
    /// What is looked for.
    public var kind: Kind
    /// What is looked for, in words.
    public var purpose: String
    /// The statement, its plan, and the indexes that would help.
    public var fetch: ExplainedFetch
    /// Whether it wants every row of its table, so that no index can help.
    public var readsWholeTable: Bool
  }

  /// A part of the run.
  public struct Part: Sendable {
    /// Which part.
    public enum Kind: String, Sendable, CaseIterable {
      /// What comes before the first step.
      case begin
      /// A step of import.
      case step = "import"
      /// What `expect:` counts.
      case expect
      /// A step of export.
      case export
    }
    /// Which part.
    public var kind: Kind
    /// The step's name, what is expected, or the path of the export; empty for the beginning.
    public var name: String
    /// Whose objects it is about; nil for the beginning.
    public var entity: String?
    /// How an import step writes, as far as it can be told before.
    public var strategy: ImportStep.Strategy?
    /// Why it writes so.
    public var reason: String?
    /// Whether its rows are written as finished pages.
    public var writesPages = false
    /// What is done without a statement.
    public var notes: [String] = []
    /// What it asks the store.
    public var lookups: [Lookup] = []
  }

  /// The pipeline file.
  public var pipeline: String
  /// The store that was asked for its plans; nil where there is none yet, and an empty one of the model was made and
  /// removed again.
  public var store: String?
  /// What is worth knowing about the store that was asked.
  public var notes: [String]
  /// In the order of the run.
  public var parts: [Part]
}
