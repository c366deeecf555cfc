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
  /// - Parameters:
  ///   - owners: which stored row has which object.
  ///   - mayOwn: whether a pending reference may have an object, by the raw root reference of its row.
  ///   - keeps: whether it keeps what it has from others.
  /// - Returns: whether any reference is beaten.
  func noteBeatenRows(
    in pending: PendingReferenceFile, owners: [Partner: UInt64], rootReference: (RowReference) -> UInt64,
    mayOwn: (UInt64) -> Bool, keeps: (UInt64) -> Bool
  ) throws(RunError) -> Bool {
    for place in known.values { place.beatenRows = [] }
    var found = owners
    var areBeaten = false
    try forEachClaim(in: pending, rootReference) { reference, place, partner throws(RunError) in
      let claimant = rootReference(reference.row)
      if let owner = found[partner] {
        guard owner != claimant, owners[partner] != nil || keeps(owner) else { return }
        place.beatenRows.insert(reference.row.rawValue)
        areBeaten = true
      } else if mayOwn(claimant) {
        found[partner] = claimant
      }
    }
    return areBeaten
  }

  /// The stored rows that have the objects of mandatory one-to-one relationships to which pending references lead.
  func storedOwners(
    in pending: PendingReferenceFile, of target: any ImportTarget, rootReference: (RowReference) -> UInt64
  ) throws -> [Partner: UInt64] {
    var claims: [Relationship: Set<Partner>] = [:]
    try forEachClaim(in: pending, rootReference) { _, place, partner throws(RunError) in
      claims[place.plan.relationship, default: []].insert(partner)
    }
    var owners: [Partner: UInt64] = [:]
    for (relationship, partners) in claims {
      let partners = Array(partners)
      // The topmost entity of the hierarchy that has the relationship.
      var entity = relationship.entity
      while let parent = entity.superentity, parent.relationship(relationship.name) != nil { entity = parent }
      let batch = RowBatch(
        entity: entity, columns: [RowBatch.Column(.toOne(relationship.name), .integer)],
        capacity: partners.count)
      batch.count = partners.count
      for (row, partner) in partners.enumerated() {
        // Safety: the batch was made with a place for each partner.
        unsafe batch.integers(0)[row] = RowReference(rawValue: partner.destination).primaryKey
        unsafe batch.states[0][row] = RowBatch.State.value.rawValue
      }
      var ambiguous: [Int] = []
      try target.buildDeferredIndexes()
      let keys = try target.primaryKeys(
        matching: batch, keyColumns: [0], isNew: { _ in false }, ambiguous: &ambiguous)
      for (partner, key) in zip(partners, keys) where key != 0 {
        owners[partner] = rootReference(RowReference(primaryKey: key, entityIndex: entity.index))
      }
    }
    return owners
  }

  /// Calls `body` with each reference to a mandatory one-to-one relationship's object that is there.
  private func forEachClaim(
    in pending: PendingReferenceFile, _ rootReference: (RowReference) -> UInt64,
    _ body: (PendingReference, Place, Partner) throws(RunError) -> Void
  ) throws(RunError) {
    try pending.forEach { reference throws(RunError) in
      guard let place = self[reference], place.plan.isExclusive, case .row(let row) = place.match(reference) else {
        return
      }
      let partner = Partner(
        entity: place.node.entity.root.index, property: place.plan.property, destination: rootReference(row))
      try body(reference, place, partner)
    }
  }

  /// Whether any reference has an object for itself.
  var hasExclusive: Bool {
    steps.contains { $0.plan.nodes.contains { $0.references.contains(where: \.isExclusive) } }
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
