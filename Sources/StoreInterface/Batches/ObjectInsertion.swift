package import ObjectModel
import Predicates

/// A batch insertion carried out on objects in memory.
struct ObjectInsertion {
  private let store: any PersistentStore
  private let objects: StoredObjects
  private let insertion: BatchInsertion
  private let constraints: [UniquenessConstraint]
  /// The rows of the hierarchy as they are so far, by id.
  private var rows: [ObjectID: Snapshot] = [:]
  /// For each constraint, the objects by their values so far.
  private var holders: [[ValueTuple: ObjectID]] = []
  private var inserted: [ObjectID] = []
  private var updated: Set<ObjectID> = []

  init(_ store: any PersistentStore, _ insertion: BatchInsertion) {
    self.store = store
    objects = StoredObjects(store)
    self.insertion = insertion
    constraints = UniquenessConstraint.all(objects.layout).filter { insertion.entity.isKind(of: $0.entity) }
  }

  /// - Throws: `ValidationError` for rows that break a rule, `StoreError.constraintConflict`.
  func plan(_ batch: [BatchRow]) throws -> BatchPlan {
    var work = self
    return try work.run(batch)
  }

  private mutating func run(_ batch: [BatchRow]) throws -> BatchPlan {
    let stored = try objects.fetch(FetchSpecification(insertion.entity.root))
    for snapshot in stored { rows[snapshot.objectID] = snapshot }
    holders = constraints.map { constraint in
      Dictionary(
        stored.compactMap { row in constraint.values(of: row).map { ($0, row.objectID) } },
        uniquingKeysWith: { first, _ in first })
    }
    for (index, row) in batch.enumerated() { try insert(row, number: index + 1) }
    return try finish(Dictionary(stored.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first }))
  }

  private mutating func insert(_ row: BatchRow, number: Int) throws {
    let rules = try BatchRowRules(insertion.entity, columns: row.cells.map { RowBatch.Column($0.source, .integer) })
    let found = holdersOf(row)
    let target = found.first
    if target != nil && insertion.conflictRule == .keep { return }
    if found.count > 1 { throw rules.severalObjects(number: number, found.compactMap(\.primaryKey)) }
    if target != nil && insertion.conflictRule == .fail { throw conflict(row) }
    let problems = rules.problems(number: number, isNew: target == nil) { row.cells[$0].value }
    if !problems.isEmpty { throw ValidationError(problems) }
    if let target {
      guard let before = rows[target] else { throw conflict(row) }
      var after = before
      if insertion.conflictRule == .replace { resetAttributes(of: &after) }
      try fill(&after, from: row, rules, number)
      if after == before { return }
      try place(after, replacing: before)
      if !inserted.contains(target) { updated.insert(target) }
    } else {
      let key = try store.reservePrimaryKeys(1, for: insertion.entity)
      let id = ObjectID(
        entity: insertion.entity, reference: .permanent(store: store.identifier, primaryKey: key))
      var new = Snapshot(
        objectID: id, version: 1, attributes: objects.layout[insertion.entity].attributes.map(\.initialValue),
        toOne: objects.layout[insertion.entity].relationships.map { _ in nil })
      try fill(&new, from: row, rules, number)
      try place(new, replacing: nil)
      inserted.append(id)
    }
  }

  /// The objects that have the row's values for some constraint. A constraint is ignored when the row lacks one of its
  /// values. When no object is found so, the row is a new object, and is checked again with the defaults of its missing
  /// values.
  private func holdersOf(_ row: BatchRow) -> [ObjectID] {
    let named = holders(of: tuples(of: row))
    return named.isEmpty ? holders(of: tuples(of: row, withDefaults: true)) : named
  }

  private func holders(of tuples: [ValueTuple?]) -> [ObjectID] {
    var found: [ObjectID] = []
    for (index, tuple) in tuples.enumerated() {
      guard let tuple, let holder = holders[index][tuple], holder.entity.isKind(of: insertion.entity),
        !found.contains(holder)
      else { continue }
      found.append(holder)
    }
    return found.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
  }

  private func tuples(of row: BatchRow, withDefaults: Bool = false) -> [ValueTuple?] {
    constraints.map { constraint in
      let values = constraint.properties.map { name in
        let cell = row.cells.first { cell in
          switch cell.source {
          case .attribute(let path), .toOne(let path): path == name
          case .toOneEntity, .toOneOrder: false
          }
        }
        return cell?.value ?? (withDefaults ? insertion.entity.initialValue(at: name) : .null)
      }
      let tuple = ValueTuple(values)
      return tuple.hasMissingValue ? nil : tuple
    }
  }

  private func conflict(_ row: BatchRow) -> StoreError {
    for (index, tuple) in (tuples(of: row) + tuples(of: row, withDefaults: true)).enumerated() {
      let index = index % constraints.count
      if let tuple, holders[index][tuple] != nil { return constraints[index].conflict(tuple) }
    }
    return .failure("a uniqueness constraint of \(insertion.entity.name) is broken")
  }

  private func resetAttributes(of snapshot: inout Snapshot) {
    for (index, attribute) in objects.layout[snapshot.objectID.entity].attributes.enumerated()
    where attribute.derivation == nil && insertion.entity.attribute(attribute.name) != nil {
      snapshot.attributes[index] = attribute.initialValue
    }
  }

  private func fill(_ snapshot: inout Snapshot, from row: BatchRow, _ rules: BatchRowRules, _ number: Int) throws {
    let own = objects.layout[snapshot.objectID.entity]
    for (source, value) in row.cells {
      guard let value else { continue }
      switch source {
      case .attribute(let path):
        let names = path.keyPathComponents
        guard let index = names.first.flatMap({ own.attributeIndexes[$0] }) else { continue }
        let changed = snapshot.attributes[index].settingElement(at: names.dropFirst(), to: value)
        snapshot.attributes[index] = own.attributes[index].normalized(changed)
      case .toOne(let name):
        guard let index = own.relationshipIndexes[name] else { continue }
        guard case .integer(let key) = value else {
          snapshot.toOne[index] = nil
          continue
        }
        guard let destination = try self.destination(own.relationships[index], key) else {
          throw ValidationError([rules.missingDestination(number: number, own.relationships[index], key: key)])
        }
        snapshot.toOne[index] = destination
      case .toOneEntity, .toOneOrder: continue
      }
    }
  }

  /// The object with a primary key; rows that came before count.
  private func destination(_ relationship: Relationship, _ key: Int64) throws -> ObjectID? {
    for entity in store.model.entities where entity.isKind(of: relationship.destination) {
      let id = ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: key))
      if rows[id] != nil { return id }
      if entity.root != insertion.entity.root, try objects.snapshot(of: id) != nil { return id }
    }
    return nil
  }

  private mutating func place(_ snapshot: Snapshot, replacing before: Snapshot?) throws {
    for (index, constraint) in constraints.enumerated() {
      if let before, let tuple = constraint.values(of: before), holders[index][tuple] == before.objectID {
        holders[index][tuple] = nil
      }
      guard let tuple = constraint.values(of: snapshot) else { continue }
      if let other = holders[index][tuple], other != snapshot.objectID { throw constraint.conflict(tuple) }
      holders[index][tuple] = snapshot.objectID
    }
    rows[snapshot.objectID] = snapshot
  }

  private func finish(_ stored: [ObjectID: Snapshot]) throws -> BatchPlan {
    let changed = updated.filter { rows[$0] != stored[$0] }
    // Owners whose members change get new versions, too.
    let own = Set(inserted).union(changed)
    var owners: Set<ObjectID> = []
    for id in own {
      let layout = objects.layout[id.entity]
      for index in layout.relationships.indices
      where layout.inverses[index]?.isToMany == true && !layout.relationships[index].isToMany {
        let ends = [stored[id]?.toOne[index], rows[id]?.toOne[index]]
        if ends[0] != ends[1] { owners.formUnion(ends.compactMap(\.self)) }
      }
    }
    let related = BatchPlan.ordered(owners.subtracting(own)).filter { id in
      id.entity.root == insertion.entity.root ? rows[id] != nil : true
    }
    var plan = BatchPlan()
    plan.request.inserted = inserted.compactMap { rows[$0] }
    plan.request.updated = BatchPlan.ordered(changed).compactMap { rows[$0] }
    for id in related {
      guard let row = try rows[id] ?? objects.snapshot(of: id) else { continue }
      plan.request.updated.append(row)
      plan.outcome.related.append(id)
    }
    plan.outcome.inserted = inserted
    plan.outcome.updated = BatchPlan.ordered(changed)
    plan.outcome.insertedCount = inserted.count
    plan.outcome.updatedCount = changed.count
    plan.outcome.relatedCount = plan.outcome.related.count
    return plan
  }
}

extension Entity {
  /// The default of an attribute, or of a composite's element by its path; null for anything else.
  package func initialValue(at path: String) -> Value {
    let names = path.keyPathComponents
    return attribute(names.first ?? "")?.element(at: names.dropFirst())?.initialValue ?? .null
  }
}
