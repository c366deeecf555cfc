import Pipelines
import StoreInterface

/// What the plans say of pending references, looked up once for each reference of a plan. Valid as long as no key table
/// is made anew.
final class ReferencePlaces {
  /// A reference of a plan, with the table of its destinations.
  final class Place {
    let node: NodePlan
    let plan: ReferencePlan
    let table: KeyTable?

    init(_ node: NodePlan, _ plan: ReferencePlan, _ table: KeyTable?) {
      self.node = node
      self.plan = plan
      self.table = table
    }

    /// The row that has the reference's key; nil where none has, or several have.
    func destination(of reference: PendingReference) -> RowReference? {
      guard let table, case .row(let row) = unsafe reference.key.withUnsafeBytes({ unsafe table.match($0) }) else {
        return nil
      }
      return row
    }
  }

  private struct Key: Hashable {
    var step: Int
    var node: Int
    var reference: Int
  }

  private let steps: [any ReferringStep]
  private let tables: KeyTables
  private var known: [Key: Place] = [:]

  init(_ steps: [any ReferringStep], _ tables: KeyTables) {
    self.steps = steps
    self.tables = tables
  }

  subscript(reference: PendingReference) -> Place? {
    let key = Key(step: reference.step, node: reference.node, reference: reference.reference)
    if let place = known[key] { return place }
    guard let node = steps[key.step].plan.node(key.node) else { return nil }
    let plan = node.references[key.reference]
    let place = Place(node, plan, tables[plan.table])
    known[key] = place
    return place
  }
}
