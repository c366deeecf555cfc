/// A pipeline file after reading: every path is absolute, every default filled in.
public struct PipelineFile: Sendable {
  /// The pipeline file's own path.
  public var path: String
  /// Absolute path of the model, or of a store that carries it.
  public var modelPath: String
  /// The model version's name; nil for the current one.
  public var modelVersion: String?
  /// The store to build.
  public var store: StoreSettings
  /// The steps of `import:`, in order.
  public var imports: [ImportStep]
  /// What happens to records that cannot be imported.
  public var rejects: RejectSettings
  /// The steps of `export:`, in order.
  public var exports: [ExportStep]
  /// What the finished store must have, in order.
  public var expectations: [StoreExpectation] = []
  /// The sources of `lookup()`, in order.
  public var lookups: [LookupSettings] = []
  /// Whether paths that records name may leave the project, as those of the file were allowed to.
  public var allowsOutside = false
  /// The position of `model:` in the file.
  public var modelPosition: FilePosition
  /// Where the model's version is; nil when none is stated.
  public var modelVersionPosition: FilePosition?

  /// The file's name without its extension, which names its runs in the history of a store.
  public var name: String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return file }
    return String(file[..<dot])
  }
}

/// `store:` of a pipeline file.
public struct StoreSettings: Sendable {
  /// SQLite's journal mode of the finished store: `delete` seals one file, `wal` leaves three.
  public enum Journal: String, Sendable, CaseIterable {
    case delete, wal
  }
  /// When a store that is there already is built anew.
  public enum Replace: String, Sendable, CaseIterable {
    case always, never
    case whenChanged = "when-changed"
  }
  /// Where the rows of a store that is there are written.
  public enum Write: String, Sendable, CaseIterable {
    /// Into a copy, which takes its place.
    case beside
    /// Into the store itself, in one transaction.
    case inPlace = "in-place"
  }
  /// The framework versions whose layouts are known; `FrameworkGeneration` has the same.
  package static let frameworks = 479...1523
  /// The first of them whose history tables are known.
  package static let firstFrameworkWithHistory = 969
  /// Absolute path of the store.
  public var path: String
  /// Journal mode of the finished store.
  public var journal: Journal
  /// A bundled store to copy first, with its sidecars.
  public var seed: String?
  /// Whether a store that is copied is migrated when it was made with another version of the model.
  public var migratesOrigin = false
  /// Absolute paths of mapping models for that, or of folders that have some; empty: those beside the model.
  public var mappings: [String] = []
  /// Whether a new store keeps persistent history. One that is copied goes on as it is.
  public var tracksHistory = false
  /// When to build anew.
  public var replace: Replace
  /// Where the rows of a store that is there are written.
  public var write = Write.beside
  /// A UUID to use instead of the one derived from the inputs' contents.
  public var uuid: String?
  /// The framework version whose layout a new store gets; nil for the newest.
  public var framework: Int?
  /// The time of derived attributes of `now()` and of new history transactions, in seconds since 2001. When nil, the
  /// clock.
  public var now: Double?
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}

/// `rejects:` of a pipeline file.
public struct RejectSettings: Sendable {
  /// Where rejected records go; nil: they are only counted and the first ones shown.
  public var file: String?
  /// More rejects than this over the whole run fail it. nil: no limit by count.
  public var limit: Int?
  /// More than this percentage of the records read fails the run. nil: no limit by percent.
  public var percent: Double?
}
