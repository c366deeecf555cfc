/// How the memory that a run may take is shared out among its stages. Data that exceeds a share goes to temporary files
/// in the folder where the store is built.
public struct MemoryBudget: Sendable, Equatable {
  /// Bytes for everything that could grow with the input. Batches, of which there are as many as workers need, and the
  /// program itself come on top.
  public let total: Int

  /// The default for a run: 256 MB.
  public static let standard = MemoryBudget(total: 256_000_000)
  /// The least that can be asked for.
  public static let minimum = 32_000_000

  /// - Parameter total: bytes; at least `minimum` counts.
  public init(total: Int) { self.total = max(total, Self.minimum) }

  /// Natural keys, by which references are found.
  var keyTables: Int { total / 4 }
  /// Columns that are kept while a table is written, for its indexes.
  var keptColumns: Int { total / 8 }
  /// Sorting of keys for indexes.
  var sorting: Int { total / 4 }
  /// Keys of stored rows, with which those of records are compared; nothing is sorted then.
  var storedKeys: Int { sorting + keptColumns }
  /// Records that are kept until their source is read to its end.
  var deferredRecords: Int { total / 16 }
  /// What records say of objects that have one owner each, by which contradictions are found.
  var ownerClaims: Int { total / 16 }
  /// New values of stored rows, while it is not known yet whether they are many.
  var changedRows: Int { total / 16 }
  /// The bytes of SQLite's page cache.
  var pageCache: Int { total / 8 }
}
