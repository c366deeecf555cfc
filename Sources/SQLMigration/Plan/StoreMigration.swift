package import Diagnostics
import Foundation
import Platform

/// Brings a store in SQLite's file from one model version to another: by SQL in one transaction, or where large tables
/// are written anew, in a copy that takes the store's place.
public enum StoreMigration {
  /// What becomes of objects that have the same values under a uniqueness constraint that is new.
  public enum DuplicatePolicy: String, Sendable, Hashable, CaseIterable {
    /// The migration is refused.
    case refuse
    /// The object with the lowest primary key stays. References to the others become null.
    case keepFirst = "keep-first"
    /// The object with the highest primary key stays. References to the others become null.
    case keepLast = "keep-last"
    /// The object with the lowest primary key stays; it gets what it has no value for from the others, in the order of
    /// their keys, and references to the others lead to it.
    case merge
  }

  /// A part of the work. Raw values say what is going on.
  public enum Stage: String, Sendable, Hashable, CaseIterable {
    /// The data are compared with the rules of the new model.
    case checking = "checking the data"
    /// Rows are taken over, table by table.
    case writing = "writing rows"
    /// Derived attributes are computed, indexes and triggers made.
    case indexing = "building indexes"
    /// History, metadata and model are brought along, and all is committed.
    case finishing = "finishing"
  }

  /// How a store is migrated.
  public struct Options: Sendable {
    /// What becomes of duplicates.
    public var duplicates = DuplicatePolicy.refuse
    /// The new contents of `Z_MODELCACHE`, a deflated archive of the compiled model; nil has the new model archived. A
    /// store without that table gets it.
    public var modelCache: [UInt8]?
    /// How long the migration waits for other connections before it fails with `StoreError.busy`.
    public var busyTimeoutMilliseconds: Int32 = 5_000
    /// What derived attributes of `now()` get that are new, in seconds since 2001; the clock when nil.
    public var derivationTimestamp: Double?
    /// Whether the store is a copy that nothing else knows of, and goes where the migration fails.
    package var worksOnCopy = false
    /// When tables are written as finished pages; tests ask for one way or the other.
    var pageUse = PageUse.whereFaster

    /// Told of each part of the work before it begins, on the thread of the migration.
    public var willBegin: (@Sendable (Stage) -> Void)?

    /// Told, before the store is changed, of losses that only reading every row or doing the work shows: rows of no
    /// entity, and unique indexes that the rows left of duplicates break.
    package var willLose: (@Sendable ([String]) -> Void)?

    /// Options with the default values.
    public init() {}
  }

  /// When tables are written as finished pages, in a copy that takes the store's place, rather than by statements in
  /// the store.
  enum PageUse {
    case whereFaster, never
    /// Wherever tables can be; a failure with pages is an error then, without a second try by statements.
    case always
  }
}

/// What a migration did.
public struct MigrationReport: Sendable {
  /// What was planned, and done.
  public internal(set) var plan: MigrationPlan
  /// Objects that went because others had the same values, by entity.
  public internal(set) var removedDuplicates: [String: Int] = [:]
  /// Changes of the persistent history that were about objects of removed entities, and went with them.
  public internal(set) var removedHistoryChanges = 0
  /// Unique indexes outside the model, such as `mine on ZNOTE`, that went because a row that was left of duplicates has
  /// the values of another row.
  package internal(set) var brokenIndexes: [String] = []
  /// Counts of the statements that ran and of the pages written directly to the file.
  package internal(set) var work = StoreCounts()
  /// Tables whose rows were written as pages.
  var tablesOfPages: [String] = []

  init(plan: MigrationPlan) { self.plan = plan }
}
