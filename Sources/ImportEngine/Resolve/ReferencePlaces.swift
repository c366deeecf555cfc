import ObjectModel
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
    /// The rows whose destination an earlier reference has, from which it cannot be taken.
    fileprivate(set) var beatenRows: Set<UInt64> = []

    init(_ node: NodePlan, _ plan: ReferencePlan, _ table: KeyTable?) {
      self.node = node
      self.plan = plan
      self.table = table
    }

    /// The row that has the reference's key; nil where none has, or several have, or where another object keeps it.
    func destination(of reference: PendingReference) -> RowReference? {
      guard case .row(let row) = match(reference), !beatenRows.contains(reference.row.rawValue) else { return nil }
      return row
    }

    /// Why a reference leads nowhere.
    func obstacle(to reference: PendingReference) -> LateObstacle {
      switch match(reference) {
      case .none: .missing
      case .ambiguous: .ambiguous
      case .row: beatenRows.contains(reference.row.rawValue) ? .taken : .missing
      }
    }

    fileprivate func match(_ reference: PendingReference) -> KeyTable.Match {
      guard let table else { return .none }
      return unsafe reference.key.withUnsafeBytes { unsafe table.match($0) }
    }
  }

  /// A destination of a mandatory one-to-one relationship.
  struct Partner: Hashable {
    var entity: Int
    var property: String
    var destination: UInt64
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

  /// Finds out which references would take the object of a mandatory one-to-one relationship from another row that
  /// refers to it: the first one keeps it.
  /// - Parameter owners: which row has which object, from earlier calls too: what was completed is not pending any more.
  func noteBeatenRows(
    in pending: PendingReferenceFile, owners: inout [Partner: UInt64], rootReference: (RowReference) -> UInt64
  ) throws(RunError) {
    guard steps.contains(where: { $0.plan.nodes.contains { $0.references.contains(where: \.isExclusive) } }) else {
      return
    }
    var found = owners
    try pending.forEach { reference throws(RunError) in
      guard let place = self[reference], place.plan.isExclusive, case .row(let row) = place.match(reference) else {
        return
      }
      let partner = Partner(
        entity: place.node.entity.root.index, property: place.plan.property, destination: rootReference(row))
      let owner = rootReference(reference.row)
      if found[partner, default: owner] == owner {
        found[partner] = owner
      } else {
        place.beatenRows.insert(reference.row.rawValue)
      }
    }
    owners = found
  }
}

/// Why a reference leads nowhere once nothing more can come.
enum LateObstacle {
  /// No object has its key.
  case missing
  /// Several have.
  case ambiguous
  /// Another object has it, and must have one.
  case taken

  var code: String {
    switch self {
    case .missing: "reference.unresolved"
    case .ambiguous: "reference.ambiguous"
    case .taken: "reference.taken"
    }
  }

  /// What a message says of the key.
  var text: String {
    switch self {
    case .missing: "matches no object"
    case .ambiguous: "matches several objects"
    case .taken: "is an earlier record's, which must have it"
    }
  }
}
