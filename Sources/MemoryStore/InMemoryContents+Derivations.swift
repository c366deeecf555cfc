import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Derived attributes are a function of the other contents. After a save, those are computed anew that may have another
/// value because of what the save touched.
extension InMemoryContents {
  /// The snapshots with the stored derived values, because a context's own may be out of date.
  func keepingDerivedValues(_ snapshots: [Snapshot]) -> [Snapshot] {
    snapshots.map { snapshot in
      let attributes = layout[snapshot.objectID.entity].attributes
      // Checks refuse it later.
      guard snapshot.attributes.count == attributes.count else { return snapshot }
      var result = snapshot
      let stored = storedSnapshot(snapshot.objectID)
      for (index, attribute) in attributes.enumerated() where attribute.derivation != nil {
        result.attributes[index] = stored?.attributes[index] ?? .null
      }
      return result
    }
  }

  /// Gives derived attributes their values after the changes of the trace have been applied.
  /// - Throws: `StoreError.constraintConflict` when derived values that must be unique are not; the contents are of no
  ///   use then.
  mutating func derive(now: Date) throws(StoreError) {
    for derivation in derivations where derivation.formula != nil {
      for objectID in objects(concernedBy: derivation) { refresh(objectID, derivation, now) }
    }
    try checkDerivedConstraints()
    trace = nil
  }

  /// Computes all derived attributes of contents that were loaded, but for `now()`, which is of the last save.
  mutating func deriveEverything() throws(StoreError) {
    trace = SaveTrace()
    for derivation in derivations where derivation.followsFromContents {
      let objectIDs = rows[derivation.entity.root.index].values.map(\.objectID)
      for objectID in objectIDs where objectID.entity.isKind(of: derivation.entity) {
        refresh(objectID, derivation, .distantPast)
      }
    }
    try checkDerivedConstraints()
    trace = nil
  }

  private mutating func refresh(_ objectID: ObjectID, _ derivation: AttributeDerivation, _ now: Date) {
    guard let snapshot = storedSnapshot(objectID), let key = key(objectID),
      let index = layout[objectID.entity].attributeIndexes[derivation.attribute.name]
    else { return }
    let value = value(of: derivation, for: snapshot, now)
    if value.isIdentical(to: snapshot.attributes[index]) { return }
    trace?.note(objectID, before: snapshot)
    rows[key.root][key.primaryKey]?.attributes[index] = value
  }

  // MARK: - Values

  private func value(of derivation: AttributeDerivation, for snapshot: Snapshot, _ now: Date) -> Value {
    let value: Value
    switch derivation.formula {
    case nil: return .null
    case .now: return .date(now)
    case .value(let path, let name, let function):
      var here = snapshot
      for relationship in path {
        guard let destination = destination(of: here, relationship), let next = self.storedSnapshot(destination) else {
          return .null
        }
        here = next
      }
      value = attribute(name, of: here)
      if let function { return value.text.map { .string(function.apply(to: $0)) } ?? .null }
    case .aggregate(let relationship, let summed, let filter):
      value = aggregate(of: snapshot.objectID, relationship, summed, filter)
    }
    return value.derived(as: derivation.attribute.type)
  }

  private func aggregate(
    of owner: ObjectID, _ relationship: Relationship, _ summed: String?, _ filter: ModelPredicate?
  ) -> Value {
    if summed == nil && filter == nil {
      return .integer(Int64(memberships[OwnerKey(owner: owner, relationship: relationship.name)]?.orderKeys.count ?? 0))
    }
    var found = members(of: owner, relationship: relationship).compactMap { self.storedSnapshot($0) }
    if let filter { found.removeAll { member in !filter.holds { attribute($0, of: member) } } }
    guard let summed else { return .integer(Int64(found.count)) }
    return FetchExpression.Function.sum.apply(to: [.list(found.map { .value(attribute(summed, of: $0)) })]).plainValue
  }

  private func attribute(_ name: String, of snapshot: Snapshot) -> Value {
    layout[snapshot.objectID.entity].attributeIndexes[name].map { snapshot.attributes[$0] } ?? .null
  }

  private func destination(of snapshot: Snapshot, _ relationship: Relationship) -> ObjectID? {
    layout[snapshot.objectID.entity].relationshipIndexes[relationship.name].flatMap { snapshot.toOne[$0] }
  }

  // MARK: - What is concerned

  /// The objects whose value may have changed, deleted ones perhaps among them.
  private func objects(concernedBy derivation: AttributeDerivation) -> Set<ObjectID> {
    guard let trace else { return [] }
    switch derivation.formula {
    case nil: return []
    case .now: return Set(trace.saved.filter { $0.entity.isKind(of: derivation.entity) })
    case .value(let path, let name, _):
      var reached = changed(path.last?.destination ?? derivation.entity) {
        !attribute(name, of: $0).isIdentical(to: attribute(name, of: $1))
      }
      for relationship in path.reversed() {
        reached = referrers(to: reached, relationship)
          .union(
            changed(relationship.entity) { destination(of: $0, relationship) != destination(of: $1, relationship) })
      }
      return reached
    case .aggregate(let relationship, let summed, let filter):
      var result = Set(trace.owners.filter { $0.relationship == relationship.name }.map(\.owner))
      result.formUnion(trace.inserted)
      let names = AttributeDerivation.read(summed, filter)
      if !names.isEmpty {
        let members = changed(relationship.destination) { before, after in
          names.contains { !attribute($0, of: before).isIdentical(to: attribute($0, of: after)) }
        }
        for member in members { result.formUnion(owners(of: member, relationship)) }
      }
      return result.filter { $0.entity.isKind(of: derivation.entity) }
    }
  }

  /// The objects of an entity that were inserted or deleted, or whose rows differ.
  private func changed(_ entity: Entity, _ differ: (_ before: Snapshot, _ after: Snapshot) -> Bool) -> Set<ObjectID> {
    var result: Set<ObjectID> = []
    for (objectID, before) in trace?.before ?? [:] where objectID.entity.isKind(of: entity) {
      if let before, let after = storedSnapshot(objectID), !differ(before, after) { continue }
      result.insert(objectID)
    }
    return result
  }

  /// The objects that lead to one of these, or did when it was deleted.
  private func referrers(to destinations: Set<ObjectID>, _ relationship: Relationship) -> Set<ObjectID> {
    var result: Set<ObjectID> = []
    if let inverse = relationship.inverse {
      for objectID in destinations {
        if inverse.isToMany {
          let key = OwnerKey(owner: objectID, relationship: inverse.name)
          result.formUnion(memberships[key].map { Array($0.orderKeys.keys) } ?? [])
          result.formUnion(trace?.formerMembers[key] ?? [])
        } else {
          for snapshot in [storedSnapshot(objectID), trace?.before[objectID] ?? nil] {
            if let referrer = snapshot.flatMap({ destination(of: $0, inverse) }) { result.insert(referrer) }
          }
        }
      }
    } else {
      // Only the rows themselves show which objects refer to an object; only rows of the save refer to new objects.
      let old = destinations.subtracting(trace?.inserted ?? [])
      if old.isEmpty { return result }
      for snapshot in rows[relationship.entity.root.index].values {
        if let found = destination(of: snapshot, relationship), old.contains(found) { result.insert(snapshot.objectID) }
      }
    }
    return result.filter { $0.entity.isKind(of: relationship.entity) }
  }

  private func owners(of member: ObjectID, _ relationship: Relationship) -> [ObjectID] {
    guard let inverse = relationship.inverse else {
      return solitaryOwners[OwnerKey(owner: member, relationship: solitaryName(relationship))].map { [$0] } ?? []
    }
    if !inverse.isToMany { return storedSnapshot(member).flatMap { destination(of: $0, inverse) }.map { [$0] } ?? [] }
    return memberships[OwnerKey(owner: member, relationship: inverse.name)].map { Array($0.orderKeys.keys) } ?? []
  }

  // MARK: - Constraints

  /// Enters the tuples of touched rows into the constraints that derived attributes take part in.
  private mutating func checkDerivedConstraints() throws(StoreError) {
    guard let trace else { return }
    for (index, constraint) in constraints.enumerated() where constraint.hasDerivedPart {
      for (objectID, snapshot) in trace.before {
        guard let tuple = snapshot.flatMap({ constraint.values(of: $0) }), uniqueRows[index][tuple] == key(objectID)
        else {
          continue
        }
        uniqueRows[index][tuple] = nil
      }
      for objectID in trace.before.keys {
        guard let rowKey = key(objectID), let tuple = storedSnapshot(objectID).flatMap({ constraint.values(of: $0) })
        else {
          continue
        }
        if uniqueRows[index].updateValue(rowKey, forKey: tuple) != nil { throw constraint.conflict(tuple) }
      }
    }
  }
}

extension Value {
  /// A computed value as one of an attribute's type.
  fileprivate func derived(as type: AttributeType) -> Value {
    if isMissing { return .null }
    switch type {
    case .integer16, .integer32, .integer64:
      return wholeNumber.map { .integer($0) } ?? real.map { .integer(Self.truncated($0)) } ?? .null
    case .boolean: return wholeNumber.map { .boolean($0 != 0) } ?? .null
    case .double, .float: return real.map { .double($0) } ?? .null
    case .decimal:
      if case .double(let number) = self {
        return Decimal(string: String(number), locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) } ?? .null
      }
      return wholeNumber.map { .decimal(Decimal($0)) } ?? self
    default: return self
    }
  }

  private static func truncated(_ number: Double) -> Int64 {
    Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }
}
