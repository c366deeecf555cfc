import ObjectModel

/// The rows, memberships and constraint tables of an in-memory store.
struct InMemoryContents {
  /// A row of a hierarchy: primary keys are unique within a root entity.
  struct RowKey: Hashable {
    var root: Int
    var primaryKey: Int64
  }

  /// One to-many relationship of one object.
  struct OwnerKey: Hashable {
    var owner: ObjectID
    var relationship: String
  }

  /// Members with their order keys.
  struct Membership {
    var orderKeys: [ObjectID: Int64] = [:]
    var nextOrderKey: Int64 = 0

    mutating func append(_ member: ObjectID) {
      guard orderKeys[member] == nil else { return }
      orderKeys[member] = nextOrderKey
      nextOrderKey += 1
    }
  }

  let storeIdentifier: String
  let layout: ModelLayout
  let constraints: [UniquenessConstraint]
  /// Root entity's index → primary key → row.
  var rows: [[Int64: Snapshot]]
  /// Root entity's index → the greatest primary key given out.
  var greatestPrimaryKeys: [Int64]
  var memberships: [OwnerKey: Membership] = [:]
  /// Of a to-many relationship without inverse: which object has the member. A member has at most one such owner,
  /// because Core Data's layout keeps it as a column of the member's row.
  var solitaryOwners: [OwnerKey: ObjectID] = [:]
  /// Constraint's index → its values → the row that has them.
  var uniqueRows: [[ValueTuple: RowKey]]

  init(storeIdentifier: String, layout: ModelLayout) {
    self.storeIdentifier = storeIdentifier
    self.layout = layout
    constraints = UniquenessConstraint.all(layout)
    rows = Array(repeating: [:], count: layout.layouts.count)
    greatestPrimaryKeys = Array(repeating: 0, count: layout.layouts.count)
    uniqueRows = Array(repeating: [:], count: constraints.count)
  }

  mutating func reservePrimaryKeys(_ count: Int, root: Int) -> Int64 {
    defer { greatestPrimaryKeys[root] += Int64(count) }
    return greatestPrimaryKeys[root] + 1
  }

  func row(_ objectID: ObjectID) -> Snapshot? {
    guard case .permanent(storeIdentifier, let primaryKey) = objectID.reference else { return nil }
    guard let row = rows[objectID.entity.root.index][primaryKey], row.objectID == objectID else { return nil }
    return row
  }

  func members(of owner: ObjectID, relationship: Relationship) -> [ObjectID] {
    guard let membership = memberships[OwnerKey(owner: owner, relationship: relationship.name)] else { return [] }
    if relationship.isOrdered { return membership.orderKeys.sorted { $0.value < $1.value }.map(\.key) }
    return membership.orderKeys.keys.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
  }

  func snapshots(_ request: FetchRequest) -> [Snapshot] {
    let matcher = PredicateMatcher(request.predicate)
    let entity = request.entity
    var found: [Snapshot] = []
    func consider(_ row: Snapshot) {
      let isSelected =
        request.includesSubentities ? row.objectID.entity.isKind(of: entity) : row.objectID.entity == entity
      if isSelected, matcher.matches(StoredSubject(contents: self, row: row)) { found.append(row) }
    }
    if case .selfIsIn(let objectIDs) = request.predicate {
      for objectID in Set(objectIDs) { row(objectID).map(consider) }
    } else {
      rows[entity.root.index].values.forEach(consider)
    }
    sort(&found, by: request.sortDescriptors)
    let rest = found.dropFirst(max(request.fetchOffset, 0))
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }

  private func sort(_ found: inout [Snapshot], by descriptors: [FetchRequest.SortDescriptor]) {
    found.sort { ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0) }
    if descriptors.isEmpty { return }
    let keyed = found.enumerated().map { position, row in
      let subject = StoredSubject(contents: self, row: row)
      return (position: position, values: descriptors.map { subject.value(at: $0.keyPath) })
    }
    let ordered = keyed.sorted { left, right in
      for (index, descriptor) in descriptors.enumerated() {
        let order = Value.sortOrder(left.values[index], right.values[index])
        if order != 0 { return (order < 0) == descriptor.isAscending }
      }
      return left.position < right.position
    }
    found = ordered.map { found[$0.position] }
  }
}

/// A stored row, as a predicate sees it.
private struct StoredSubject: PredicateSubject {
  let contents: InMemoryContents
  let row: Snapshot
  var objectID: ObjectID { row.objectID }

  func value(at keyPath: Predicate.KeyPath) -> Value {
    guard let last = keyPath.last, let owner = owner(of: keyPath),
      let index = contents.layout[owner.objectID.entity].attributeIndexes[last]
    else { return .null }
    return owner.attributes[index]
  }

  func destination(at keyPath: Predicate.KeyPath) -> ObjectID? {
    guard let last = keyPath.last, let owner = owner(of: keyPath),
      let index = contents.layout[owner.objectID.entity].relationshipIndexes[last]
    else { return nil }
    return owner.toOne[index]
  }

  private func owner(of keyPath: Predicate.KeyPath) -> Snapshot? {
    var here = row
    for name in keyPath.dropLast() {
      guard let index = contents.layout[here.objectID.entity].relationshipIndexes[name],
        let next = here.toOne[index].flatMap({ contents.row($0) })
      else { return nil }
      here = next
    }
    return here
  }
}
