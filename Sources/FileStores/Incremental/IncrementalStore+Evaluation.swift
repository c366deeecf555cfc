public import ObjectModel
import Predicates
public import StoreInterface

extension IncrementalStore {
  /// Filters, sorts and limits objects as a request says, in memory: for stores that can only enumerate theirs. Values
  /// come from `newValues(for:)`, those of objects at the other end of relationships too.
  /// - Parameter candidates: all objects that the request may select; there may be others among them.
  /// - Throws: what `newValues(for:)` and `newValue(for:of:)` throw.
  public final func evaluate(_ request: FetchSpecification, over candidates: [ObjectID]) throws -> [ObjectID] {
    let values = EvaluationValues(self)
    let matcher = PredicateMatcher(request.predicate)
    var found: [NodeSubject] = []
    for id in candidates {
      let isSelected = request.includesSubentities ? id.entity.isKind(of: request.entity) : id.entity == request.entity
      guard isSelected, let node = values.node(id) else { continue }
      let subject = NodeSubject(values: values, node: node)
      if try matcher.matches(subject) { found.append(subject) }
    }
    found.sort { ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0) }
    let sorted = found.sorted(by: request.sortDescriptors)
    if let failure = values.failure { throw failure }
    let rest = sorted.dropFirst(max(request.fetchOffset, 0))
    return (request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest).map(\.objectID)
  }
}

/// The values that an evaluation has asked for, each once, and the first error that came instead.
private final class EvaluationValues {
  let store: IncrementalStore
  private var nodes: [ObjectID: IncrementalStoreNode?] = [:]
  private(set) var failure: (any Error)?

  init(_ store: IncrementalStore) {
    self.store = store
  }

  func node(_ id: ObjectID) -> IncrementalStoreNode? {
    if let known = nodes[id] { return known }
    let node = attempt { try store.newValues(for: id) } ?? nil
    nodes[id] = .some(node)
    return node
  }

  func members(of owner: ObjectID, relationship: Relationship) -> [ObjectID] {
    attempt { try store.members(of: owner, relationship: relationship) } ?? []
  }

  private func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      if failure == nil { failure = error }
      return nil
    }
  }
}

/// An object of an incremental store, as a predicate sees it.
private struct NodeSubject: PropertySubject {
  let values: EvaluationValues
  let node: IncrementalStoreNode
  var objectID: ObjectID { node.objectID }

  var layout: EntityLayout { values.store.layout[objectID.entity] }

  func attribute(_ index: Int) -> Value { node.snapshot.attribute(index) }

  func destination(_ index: Int) -> ObjectID? { node.snapshot.destination(index) }

  func members(at index: Int) -> [ObjectID] {
    values.members(of: objectID, relationship: layout.relationships[index])
  }

  func subject(for objectID: ObjectID) -> NodeSubject? {
    values.node(objectID).map { NodeSubject(values: values, node: $0) }
  }
}
