import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// What later records say of relationships whose earlier references still wait and may stay empty: the last record of
/// an object counts, so an earlier reference is not set when its destination comes at last.
///
/// References without which a record cannot stand need no such note: later records about its object are held back.
struct LaterStatements {
  typealias Order = OwnerClaims.Order

  /// The relationships that several records may state of one object. The memory for others would be spent for nothing.
  private let contested: Set<RelationshipKey>
  /// By relationship: the rows, as raw root references, whose references wait, with the last record that states the
  /// relationship; nil where none has been written since.
  private var waiting: [RelationshipKey: [UInt64: Order?]] = [:]

  init(_ plans: [StepPlan]) {
    var counts: [RelationshipKey: Int] = [:]
    for node in plans.flatMap(\.nodes) {
      // Nested objects of several records may be one.
      let count = node.index > 0 && !node.match.isEmpty ? 2 : 1
      for relationship in node.references.map(\.relationship) + node.children.map(\.relationship) {
        counts[RelationshipKey(relationship), default: 0] += count
      }
    }
    contested = Set(counts.filter { $0.value > 1 }.keys)
  }

  /// Whether references of one of a node's relationships wait.
  func concern(_ node: NodePlan) -> Bool {
    !waiting.isEmpty
      && (node.references.map(\.relationship) + node.children.map(\.relationship)).contains {
        waiting[RelationshipKey($0)] != nil
      }
  }

  /// Notes a reference that waits.
  /// - Parameter row: that refers, as a raw root reference.
  mutating func expect(_ reference: ReferencePlan, of row: UInt64) {
    if reference.mustResolve || reference.isRestored { return }
    let property = RelationshipKey(reference.relationship)
    if contested.contains(property), waiting[property]?[row] == nil {
      waiting[property, default: [:]][row] = .some(nil)
    }
  }

  /// Notes what the records of a batch state that were written.
  mutating func note(
    _ decoded: DecodedBatch, step: Int, root: (RowReference) -> UInt64, isWritten: (DecodedNode, Int) -> Bool
  ) {
    if waiting.isEmpty { return }
    for node in decoded.root.withDescendants where node.primaryKeys.count == node.batch.count {
      for (index, reference) in node.plan.references.enumerated() where !reference.addsMembers {
        note(reference.relationship, decoded, node, step, root) {
          node.states(index, reference, row: $0) && isWritten(node, $0)
        }
      }
      for (index, child) in node.plan.children.enumerated() where !child.addsMembers {
        note(child.relationship, decoded, node, step, root) {
          node.childStates[index][$0] != .absent && isWritten(node, $0)
        }
      }
    }
  }

  private mutating func note(
    _ relationship: Relationship, _ decoded: DecodedBatch, _ node: DecodedNode, _ step: Int,
    _ root: (RowReference) -> UInt64, isStated: (Int) -> Bool
  ) {
    // Taken out, so that it is not copied when it changes.
    guard var rows = waiting.removeValue(forKey: RelationshipKey(relationship)) else { return }
    for row in 0..<node.batch.count where node.primaryKeys[row] != 0 && isStated(row) {
      let reference = root(node.reference(ofRow: row))
      guard let last = rows[reference] else { continue }
      let place = decoded.records.place(ofRecord: Int(node.records[row]))
      let order = Order(step: step, file: decoded.file, byteOffset: Int(place.byteOffset))
      if last?.isBefore(order) ?? true { rows[reference] = .some(order) }
    }
    waiting[RelationshipKey(relationship)] = rows
  }

  /// Whether a later record states a reference's relationship.
  func overrule(_ reference: PendingReference, _ plan: ReferencePlan, of row: UInt64) -> Bool {
    guard let last = waiting[RelationshipKey(plan.relationship)]?[row] else { return false }
    return last.map { reference.order.isBefore($0) } ?? false
  }

  /// Forgets everything, once nothing waits.
  mutating func removeAll() { waiting = [:] }
}
