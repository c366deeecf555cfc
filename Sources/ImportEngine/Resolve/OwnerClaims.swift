import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Tells where records of one run contradict each other: where the inverse of a relationship is to-one, an object has
/// one owner, and a record that names it takes it from the owner that an earlier record named. Between two runs that is
/// an update; within one, the earlier record loses what it says.
struct OwnerClaims {
  /// What a claim, the list of an owner or a loss takes, at most.
  static let bytesPerClaim = 160

  /// Where a record stands among all of a run.
  struct Order {
    var step: Int
    var file: Int
    var byteOffset: Int

    func isBefore(_ other: Order) -> Bool {
      (step, file, byteOffset) < (other.step, other.file, other.byteOffset)
    }
  }

  private struct Claim {
    var owner: Int64
    /// The number of the owner's list of that time: a later record of the owner states another one.
    var list: Int
    /// The position of the record that makes the claim.
    var order: Order
  }

  /// An object that a record takes from an owner.
  private struct Loss {
    var owner: Int64
    var object: Int64
    /// The number of the owner's list that has the object.
    var list: Int
    /// Where the record is that takes it.
    var place: String?
  }

  private final class Claims {
    let relationship: Relationship
    /// By the object's primary key, which no other object of its hierarchy has.
    var claims: [Int64: Claim] = [:]
    /// The number of the last list of an owner, by its primary key.
    var lists: [Int64: Int] = [:]
    /// In the order of the records that take.
    var losses: [Loss] = []

    /// The losses that last: the owner's last list still has the object, and another owner has it in the end. One for
    /// each owner and object.
    var contradictions: [Loss] {
      var told: Set<[Int64]> = []
      return losses.filter { loss in
        lists[loss.owner] ?? 0 == loss.list && claims[loss.object]?.owner != loss.owner
          && told.insert([loss.owner, loss.object]).inserted
      }
    }

    init(_ relationship: Relationship) { self.relationship = relationship }
  }

  private var known: [RelationshipKey: Claims] = [:]
  private var listCount = 0
  /// Claims, lists and losses that may still be kept: what comes beyond is not compared, so that the memory has a
  /// bound.
  private var room: Int

  init(limit: Int) { room = limit }

  /// The claims of a batch whose records are stored.
  /// - Parameters:
  ///   - step: the number of the batch's step.
  ///   - fileName: of the batch's source, for the warning.
  ///   - kept: records whose objects stay as they are, whatever they say.
  mutating func note(_ decoded: DecodedBatch, step: Int, fileName: String, kept: Set<Int>) {
    for node in decoded.root.withDescendants {
      for (index, reference) in node.plan.references.enumerated()
      where reference.relationship.inverse?.isToMany == false {
        let destinations = Self.destinations(node, index, reference)
        for row in 0..<node.batch.count
        where node.states(index, reference, row: row) && !kept.contains(Int(node.records[row])) {
          note(
            reference.relationship, node, row: row, destinations[row] ?? [], adds: reference.addsMembers, decoded, step,
            fileName)
        }
      }
      for (index, child) in node.plan.children.enumerated() where child.relationship.inverse?.isToMany == false {
        let nested = node.children[index]
        if nested.plan.match.isEmpty { continue }
        let rows = Dictionary(grouping: 0..<nested.batch.count) { Int(nested.owners[$0]) }
        for row in 0..<node.batch.count
        where node.childStates[index][row] != .absent && !kept.contains(Int(node.records[row])) {
          note(
            child.relationship, node, row: row, (rows[row] ?? []).map { nested.primaryKeys[$0] },
            adds: child.addsMembers, decoded, step, fileName)
        }
      }
    }
  }

  /// Notes the claim of a reference that is set late.
  /// - Parameter order: of its record.
  /// - Returns: false where a later record has given the object to another owner, which keeps it.
  mutating func note(
    _ relationship: Relationship, row: RowReference, destination: RowReference, order: Order
  ) -> Bool {
    if isGiven(row.primaryKey, relationship, besides: destination.primaryKey, after: order) { return false }
    guard relationship.inverse?.isToMany == false else { return true }
    let claims = claims(of: relationship)
    if !isSuperseded(claims, owner: row.primaryKey, destination.primaryKey, order) {
      note(claims, owner: row.primaryKey, destination.primaryKey, order) { nil }
      return true
    }
    if claims.lists[row.primaryKey] != nil, room > 0 {
      room -= 1
      claims.losses.append(
        Loss(
          owner: row.primaryKey, object: destination.primaryKey, list: claims.lists[row.primaryKey] ?? 0, place: nil))
    }
    return false
  }

  /// Takes out of records that were held what later records have given to other owners meanwhile.
  /// - Parameters:
  ///   - step: the number of the batch's step.
  ///   - owners: the primary keys of the records' objects; 0 where they are new.
  func dropSuperseded(from decoded: DecodedBatch, step: Int, owners: (Int) -> Int64) {
    if known.isEmpty { return }
    let node = decoded.root
    func order(ofRow row: Int) -> Order {
      let place = decoded.records.place(ofRecord: Int(node.records[row]))
      return Order(step: step, file: decoded.file, byteOffset: Int(place.byteOffset))
    }
    for (index, reference) in node.plan.references.enumerated() {
      if let column = reference.column {
        // Safety: the column is one of the batch that the plan made, and `row` is under its count.
        for row in 0..<node.batch.count where unsafe node.batch.states[column][row] != RowBatch.State.absent.rawValue {
          let isSet = unsafe node.batch.states[column][row] == RowBatch.State.value.rawValue
          let destination = unsafe isSet ? node.batch.integers(column)[row] : 0
          let owner = owners(Int(node.records[row]))
          if isGiven(owner, reference.relationship, besides: destination, after: order(ofRow: row)) {
            unsafe node.setState(.absent, of: reference, column, row)
          }
        }
      }
      guard reference.relationship.inverse?.isToMany == false,
        let claims = known[RelationshipKey(reference.relationship)]
      else { continue }
      func isSuperseded(_ row: Int, _ destination: Int64) -> Bool {
        self.isSuperseded(claims, owner: owners(Int(node.records[row])), destination, order(ofRow: row))
      }
      guard let column = reference.column else {
        node.removeLinks(ofReference: index) { isSuperseded($0.row, $0.destination.primaryKey) }
        continue
      }
      // Safety: as above.
      for row in 0..<node.batch.count where unsafe node.batch.states[column][row] == RowBatch.State.value.rawValue {
        if unsafe isSuperseded(row, node.batch.integers(column)[row]) {
          unsafe node.setState(.null, of: reference, column, row)
        }
      }
    }
  }

  /// Whether a later record has given an object to another owner.
  private func isSuperseded(_ claims: Claims, owner: Int64, _ destination: Int64, _ order: Order) -> Bool {
    guard let claim = claims.claims[destination] else { return false }
    return claim.owner != owner && order.isBefore(claim.order)
  }

  /// Whether a later record has given an object itself to another owner than the one that a to-one relationship names.
  private func isGiven(_ object: Int64, _ relationship: Relationship, besides owner: Int64, after order: Order) -> Bool
  {
    guard object != 0, !relationship.isToMany, let inverse = relationship.inverse,
      let claims = known[RelationshipKey(inverse)],
      let claim = claims.claims[object]
    else { return false }
    return claim.owner != owner && order.isBefore(claim.order)
  }

  /// A sentence for each relationship with contradictions.
  var warnings: [String] {
    known.values.compactMap { claims in
      let (owner, destination) = (claims.relationship.entity.name, claims.relationship.destination.name)
      let losses = claims.contradictions
      let count = losses.count
      if count == 0 { return nil }
      return "\(owner).\(claims.relationship.name): \(count.grouped) \(destination) "
        + "\(count == 1 ? "object was" : "objects were") given to \(count == 1 ? "a second" : "another") \(owner) "
        + "by a later record and taken from the one that an earlier record names"
        + (losses.first?.place.map { " (the first: \($0))" } ?? "")
    }.sorted()
  }

  /// - Parameter adds: whether the record adds to the list that the owner has, which keeps its number then.
  private mutating func note(
    _ relationship: Relationship, _ node: DecodedNode, row: Int, _ destinations: [Int64], adds: Bool,
    _ decoded: DecodedBatch, _ step: Int, _ fileName: String
  ) {
    let record = Int(node.records[row])
    let owner = node.primaryKeys[row]
    if owner == 0 || decoded.problems[record] != nil { return }
    let claims = claims(of: relationship)
    if claims.lists[owner] == nil {
      if room == 0 { return }
      room -= 1
    }
    if !adds || claims.lists[owner] == nil {
      listCount += 1
      claims.lists[owner] = listCount
    }
    let place = decoded.records.place(ofRecord: record)
    let order = Order(step: step, file: decoded.file, byteOffset: Int(place.byteOffset))
    for destination in destinations where destination != 0 {
      note(claims, owner: owner, destination, order) {
        "\(fileName):\(decoded.records.position(of: 0, in: place).line)"
      }
    }
  }

  private mutating func note(
    _ claims: Claims, owner: Int64, _ destination: Int64, _ order: Order, place: () -> String?
  ) {
    let earlier = claims.claims[destination]
    if earlier == nil {
      if room == 0 { return }
      room -= 1
    }
    claims.claims[destination] = Claim(owner: owner, list: claims.lists[owner] ?? 0, order: order)
    guard let earlier, earlier.owner != owner, claims.lists[earlier.owner] ?? 0 == earlier.list, room > 0 else {
      return
    }
    room -= 1
    // Most feeds have none of these, so that the text costs nothing.
    claims.losses.append(
      Loss(owner: earlier.owner, object: destination, list: earlier.list, place: place()))
  }

  private mutating func claims(of relationship: Relationship) -> Claims {
    let key = RelationshipKey(relationship)
    if let claims = known[key] { return claims }
    let claims = Claims(relationship)
    known[key] = claims
    return claims
  }

  /// The primary keys of the objects that the rows name, by row.
  private static func destinations(_ node: DecodedNode, _ index: Int, _ reference: ReferencePlan) -> [Int: [Int64]] {
    guard let column = reference.column else {
      return Dictionary(grouping: node.links[index], by: \.row).mapValues { $0.map(\.destination.primaryKey) }
    }
    var found: [Int: [Int64]] = [:]
    // Safety: as above.
    for row in 0..<node.batch.count where unsafe node.batch.states[column][row] == RowBatch.State.value.rawValue {
      found[row] = unsafe [node.batch.integers(column)[row]]
    }
    return found
  }
}

extension DecodedNode {
  /// Whether a record states a relationship at all.
  /// - Parameter index: of the reference in the node's plan.
  func states(_ index: Int, _ reference: ReferencePlan, row: Int) -> Bool {
    guard let column = reference.column else { return keys[index].states[row] != .absent }
    // Safety: the column is one of the batch that the plan made, and `row` is under its count.
    return unsafe batch.states[column][row] != RowBatch.State.absent.rawValue
  }

  /// Takes a destination out of a row, with the entity that is noted beside it.
  /// - Parameters:
  ///   - column: that of the reference, one of the batch.
  ///   - row: under the count of the batch.
  @unsafe fileprivate func setState(_ state: RowBatch.State, of reference: ReferencePlan, _ column: Int, _ row: Int) {
    unsafe batch.states[column][row] = state.rawValue
    if let entityColumn = reference.entityColumn { unsafe batch.states[entityColumn][row] = state.rawValue }
  }
}
