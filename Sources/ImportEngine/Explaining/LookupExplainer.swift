import CoreDataLayout
import Exports
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// Explains single statements of a run against the store that is asked.
final class LookupExplainer {
  typealias Lookup = PipelineExplanation.Lookup

  private let store: SQLiteStore
  private let advisor: IndexAdvisor
  /// Whether the store is an empty one, in which nothing can be measured.
  private let isEmptyStore: Bool
  /// Whether the run works in the store itself, in one transaction.
  private let isInPlace: Bool
  /// The number of keys that one statement looks for: as many as a batch of records has.
  private static let keysPerFetch = 8_192
  /// The number of keys in statements that are shown or used for advice, because the shell cannot handle long lists.
  private static let keysShown = 4

  init(_ asked: AskedStore, isInPlace: Bool) {
    self.isInPlace = isInPlace
    store = asked.store
    isEmptyStore = asked.path == nil
    advisor = IndexAdvisor(asked.store)
  }

  private func lookup(
    _ kind: Lookup.Kind, _ purpose: String, _ fetch: FetchExplanation, readsWholeTable: Bool = false
  ) throws -> Lookup {
    // A look-up by keys has its index when no table is scanned; for few keys of a small table the shell may suggest
    // another index.
    let hasIndex = [.match, .constraint, .members].contains(kind) && !fetch.scansTable
    return Lookup(
      kind: kind, purpose: purpose,
      fetch: try ExplainedFetch(fetch, advisor: readsWholeTable || hasIndex ? nil : advisor, isMeasured: !isEmptyStore),
      readsWholeTable: readsWholeTable)
  }

  /// How many objects meet a request.
  func count(_ request: FetchSpecification, purpose: String) throws -> Lookup {
    var request = request
    request.resultType = .count
    return try lookup(.count, purpose, store.explanation(of: request), readsWholeTable: request.predicate == .all)
  }

  /// The objects of an export; nil where pages are read.
  func export(_ request: FetchSpecification, _ keyPaths: [FetchPredicate.KeyPath], entity: String) throws -> Lookup? {
    let fetch = try store.explanation(ofScan: request, keyPaths: keyPaths, isInTransaction: isInPlace)
    guard let fetch else { return nil }
    return try lookup(
      .export, "the \(entity) objects that are written", fetch,
      readsWholeTable: request.predicate == .all && request.sortDescriptors.isEmpty)
  }

  /// The keys of all objects of a table of keys.
  func keys(_ id: KeyTableID, purpose: String) throws -> Lookup {
    try lookup(.keys, purpose, store.explanation(ofScan: id.storedColumns, of: id.entity), readsWholeTable: true)
  }

  /// The row of each record, one record after another.
  func row(by columns: [RowBatch.Column], in entity: Entity, purpose: String) throws -> Lookup {
    let example = try ExampleKeys.values(of: columns, in: entity, store, limit: 1)[0]
    return try lookup(
      .match, purpose, store.explanation(ofKeyLookupBy: columns, in: entity, example: example))
  }

  /// The objects of all records of a batch.
  func objects(
    by names: [String], in entity: Entity, kind: Lookup.Kind = .match, purpose: String,
    _ makeRequest: ([[Value]]) -> FetchSpecification
  ) throws -> Lookup {
    let columns = names.map { name in
      RowBatch.Column(.attribute(name), entity.storedAttribute(name)?.type.rowBatchStorage ?? .bytes)
    }
    let examples = try ExampleKeys.values(of: columns, in: entity, store, limit: Self.keysPerFetch)
    var fetch = try store.explanation(of: makeRequest(Array(examples.prefix(Self.keysShown))))
    // SQLite's plan for few keys may differ from that for many.
    let all = (0..<Self.keysPerFetch).map { examples[$0 % examples.count] }
    let real = try store.explanation(of: makeRequest(all))
    fetch.plan = real.plan
    fetch.scansTable = real.scansTable
    fetch.usesTemporaryTree = real.usesTemporaryTree
    return try lookup(kind, purpose, fetch)
  }

  /// The members of a to-many relationship; nil where it has no rows of its own.
  func members(of relationship: Relationship, purpose: String) throws -> Lookup? {
    try store.explanation(ofMembers: relationship).map { try lookup(.members, purpose, $0) }
  }
}
