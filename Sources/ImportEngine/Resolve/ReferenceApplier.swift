import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface

/// Writes references that were resolved after their rows: in batches where a foreign key or a join row says it all,
/// through the object graph where the other side changes too.
struct ReferenceApplier {
  private let target: any ImportTarget
  /// Builds the indexes that were left out, before members are looked up by their foreign keys.
  private let buildIndexes: () throws -> Void
  /// Whether a reference still counts; see `OwnerClaims`.
  private let claim: (Relationship, RowReference, RowReference, OwnerClaims.Order) -> Bool
  /// Sets relationships through the object graph.
  private let relate: (Relationship, [(row: RowReference, destination: RowReference)], _ adds: Bool) throws -> Void
  private struct Group: Hashable {
    var entity: Int
    var relationship: String
    var isRestored: Bool
    var addsMembers: Bool
  }
  private typealias Pair = (row: RowReference, destination: RowReference)
  private var waiting: [Group: [(pair: Pair, reference: PendingReference)]] = [:]
  private var groups: [Group] = []
  private static let batchSize = 4096

  init(
    target: any ImportTarget, buildIndexes: @escaping () throws -> Void,
    claim: @escaping (Relationship, RowReference, RowReference, OwnerClaims.Order) -> Bool,
    relate: @escaping (Relationship, [(row: RowReference, destination: RowReference)], _ adds: Bool) throws -> Void
  ) {
    self.target = target
    self.buildIndexes = buildIndexes
    self.claim = claim
    self.relate = relate
  }

  /// - Throws: `LateReferenceError` where the objects that are written break a rule.
  mutating func apply(_ pending: PendingReference, _ reference: ReferencePlan, destination: RowReference) throws {
    let row = pending.row
    if !reference.isRestored, !reference.isExclusive, !claim(reference.relationship, row, destination, pending.order) {
      return
    }
    let group = Group(
      entity: row.entityIndex, relationship: reference.property, isRestored: reference.isRestored,
      addsMembers: reference.addsMembers)
    // A list is not divided: its pairs stand together.
    if let pairs = waiting[group] {
      if pairs.count >= Self.batchSize, pairs.last?.pair.row != row { try flush(group) }
    } else {
      groups.append(group)
    }
    waiting[group, default: []].append(((row, destination), pending))
  }

  mutating func flush() throws {
    for group in groups { try flush(group) }
  }

  private mutating func flush(_ group: Group) throws {
    let references = waiting[group, default: []]
    waiting[group] = []
    do {
      try write(references.map(\.pair), of: group)
    } catch let error where LateReferenceError.isAboutObjects(error) {
      // The run is over: what is written now to find the record goes with it.
      var start = 0
      while start < references.count {
        let first = references[start]
        let end = references[start...].firstIndex { $0.pair.row != first.pair.row } ?? references.count
        do {
          try write(references[start..<end].map(\.pair), of: group)
        } catch {
          throw LateReferenceError(reference: first.reference, underlying: error)
        }
        start = end
      }
      throw error
    }
  }

  private func write(_ pairs: [Pair], of group: Group) throws {
    guard !pairs.isEmpty,
      let relationship = target.model.entities[group.entity].relationship(group.relationship)
    else { return }
    let inverse = relationship.inverse
    // Only the object graph checks how many members there are.
    let isLimited = relationship.hasCountLimit || inverse?.hasCountLimit == true
    let changesOtherSide = inverse.map { !$0.isToMany } ?? false
    if group.isRestored, relationship.isToMany {
      if relationship.isOrdered { try buildIndexes() }
      try target.link(
        relationship, pairs: pairs.map { (owner: $0.row.primaryKey, destination: $0.destination.primaryKey) },
        replacing: relationship.isOrdered)
    } else if group.isRestored {
      try update(relationship, pairs)
    } else if changesOtherSide || isLimited || (relationship.isToMany && relationship.isOrdered) {
      try buildIndexes()
      do {
        try relate(relationship, pairs, group.addsMembers)
      } catch let error as ValidationError where isLimited {
        throw RunError(
          .badData, code: "reference.count",
          "references of \(relationship.entity.name).\(relationship.name) to objects that came later: \(error)",
          hint:
            "put the step of \(relationship.destination.name) first: then only the records beyond the limit are rejected"
        )
      }
    } else if relationship.isToMany {
      try target.link(
        relationship, pairs: pairs.map { (owner: $0.row.primaryKey, destination: $0.destination.primaryKey) },
        replacing: false)
    } else {
      try update(relationship, pairs)
    }
  }

  private func update(_ relationship: Relationship, _ pairs: [(row: RowReference, destination: RowReference)]) throws {
    var columns = [RowBatch.Column(.toOne(relationship.name), .integer)]
    if !relationship.destination.subentities.isEmpty {
      columns.append(RowBatch.Column(.toOneEntity(relationship.name), .integer))
    }
    let batch = RowBatch(entity: relationship.entity, columns: columns, capacity: pairs.count)
    batch.count = pairs.count
    for (row, pair) in pairs.enumerated() {
      // Safety: the batch was made with a place for each pair, and a second column where one is written.
      unsafe batch.integers(0)[row] = pair.destination.primaryKey
      unsafe batch.states[0][row] = RowBatch.State.value.rawValue
      if columns.count > 1 {
        unsafe batch.integers(1)[row] = Int64(pair.destination.entityIndex)
        unsafe batch.states[1][row] = RowBatch.State.value.rawValue
      }
    }
    try target.complete(batch, primaryKeys: pairs.map(\.row.primaryKey))
  }
}

/// A reference to an object that came later and may not be set, because objects would break a rule then.
struct LateReferenceError: Error {
  let reference: PendingReference
  let underlying: any Error

  /// Whether an error is about what objects are, and not about the store as a whole.
  static func isAboutObjects(_ error: any Error) -> Bool {
    if error is ValidationError || (error as? RunError)?.code == "reference.count" { return true }
    if case StoreError.constraintConflict = error { return true }
    return (error as? SaveConflictError)?.constraintConflicts.isEmpty == false
  }
}
