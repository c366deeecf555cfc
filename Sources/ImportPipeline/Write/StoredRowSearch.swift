import ObjectModel
import SQLiteStore
import StoreInterface

/// Looks for the stored rows that the records of a batch are about, and for the destinations of their references, while
/// nothing is written.
struct StoredRowSearch: Sendable {
  typealias Result = (unresolved: [UnresolvedReference], found: RowComparison.Found)

  /// Whether decode workers can do it, because the key tables that it looks into stay as they are: none is the step's own
  /// entity's.
  let isFree: Bool
  private let comparison: RowComparison
  private let resolver: ReferenceResolver
  private let provisional: ProvisionalRows

  init(_ comparison: RowComparison, _ plan: StepPlan, session: ImportSession) {
    self.comparison = comparison
    isFree = plan.root.references.allSatisfy { $0.table.entity.root != plan.root.entity.root }
    resolver = session.resolver
    provisional = ProvisionalRows(session)
  }

  /// One worker's part; it is used by one thread at a time.
  func makeWorker() -> Worker { Worker(self) }

  final class Worker {
    private let search: StoredRowSearch
    private let rows: RowComparison.Search

    fileprivate init(_ search: StoredRowSearch) {
      self.search = search
      rows = search.comparison.makeSearch()
    }

    func find(_ decoded: DecodedBatch) throws -> Result {
      let unresolved = search.resolver.resolve(
        decoded, isFinal: false, mayBeProvisional: !search.provisional.isEmpty,
        isProvisional: search.provisional.contains)
      return (unresolved, try rows.find(decoded.root.batch))
    }
  }
}

/// The rows that may still be rejected, as they are when a reading begins.
struct ProvisionalRows: Sendable {
  /// As `KeyTable.Row` of the root entity's table.
  private let rows: Set<UInt64>
  /// Model index of each entity's root.
  private let roots: [Int]

  var isEmpty: Bool { rows.isEmpty }

  init(_ session: ImportSession) {
    rows = session.provisionalRows
    roots = session.store.model.entities.map(\.root.index)
  }

  func contains(_ row: KeyTable.Row) -> Bool {
    !rows.isEmpty
      && rows.contains(KeyTable.Row(primaryKey: row.primaryKey, entityIndex: roots[row.entityIndex]).packed)
  }
}
