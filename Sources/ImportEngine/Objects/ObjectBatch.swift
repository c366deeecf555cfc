import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface

/// Turns the rows of one decoded batch into objects of one context. Lives on the context's queue.
struct ObjectBatch {
  let context: ManagedObjectContext
  let decoded: DecodedBatch
  let plan: StepPlan
  /// What ids of the store have in common, by `Entity.index`.
  let idSpaces: ObjectID.Spaces
  /// The objects that stay whatever becomes of their owners.
  private let recordObjects: RecordObjects
  /// Rows with references that are set later: node index → row → relationship names.
  private var pendingRelationships: [Int: [Int: Set<String>]] = [:]
  /// The object of each row that has one, by node index and row.
  private var objects: [[ManagedObject?]]
  /// Layouts by node index, and by `Entity.index` of the objects that are filled.
  private var layouts: [[FillLayout?]]
  /// What is common to the identities of a node's objects, by node index.
  private let identitySpaces: [Int]
  /// Objects by match key, those of the store and those that this batch made, so that records and nested objects
  /// with one key become one object wherever they stand.
  private var known: [ObjectIdentity: ManagedObject] = [:]
  /// Whether two rows of a batch can stand for one object. False where only root rows exist and no two records of the
  /// step have the same key.
  private let rowsMayShareObjects: Bool
  /// Rows of the root whose object is kept as it is.
  private var keptRows: Set<Int> = []
  /// Rows of the root whose object an earlier row of this batch made or may have changed: whether they changed it.
  private var changedMadeObjects: [Int: Bool] = [:]
  /// Whether the record at hand brought a member that its object did not have.
  private var hasAddedMember = false
  /// Numbers of the records in whose place nested objects were deleted, and how many of these there were.
  private var recordsWithDeletions: Set<Int32> = []
  private var nestedDeleted = 0
  /// Destinations of to-many references: node index → reference → row → rows of the destination.
  private var links: [Int: [Int: [Int: [RowReference]]]] = [:]
  private let rowsByOwner: [Int: [Int: [Int]]]

  init(
    context: ManagedObjectContext, decoded: DecodedBatch, plan: StepPlan, idSpaces: ObjectID.Spaces,
    recordObjects: RecordObjects, unresolved: [UnresolvedReference]
  ) {
    self.context = context
    self.decoded = decoded
    self.plan = plan
    self.idSpaces = idSpaces
    self.recordObjects = recordObjects
    let nodes = decoded.root.withDescendants
    rowsMayShareObjects = nodes.count > 1 || plan.step.addsMembers
    let nodeCount = (nodes.map(\.plan.index).max() ?? 0) + 1
    objects = Array(repeating: [], count: nodeCount)
    layouts = Array(repeating: Array(repeating: nil, count: plan.root.entity.model.entities.count), count: nodeCount)
    identitySpaces = ObjectIdentity.spaces(nodes, count: nodeCount)
    for node in nodes { objects[node.plan.index] = Array(repeating: nil, count: node.batch.count) }
    var owners: [Int: [Int: [Int]]] = [:]
    for node in decoded.root.withDescendants {
      for (row, owner) in node.owners.enumerated() {
        owners[node.plan.index, default: [:]][Int(owner), default: []].append(row)
      }
      for (index, found) in node.links.enumerated() {
        for link in found {
          links[node.plan.index, default: [:]][index, default: [:]][link.row, default: []].append(link.destination)
        }
      }
    }
    rowsByOwner = owners
    for reference in unresolved {
      let name = reference.node.plan.references[reference.reference].property
      pendingRelationships[reference.node.plan.index, default: [:]][reference.row, default: []].insert(name)
    }
  }

  /// Looks up, once per node, the nested objects that have match keys. Records of nested objects that match several
  /// get a problem.
  mutating func matchNested(_ find: (DecodedNode) throws -> [ObjectMatch]) throws {
    for node in decoded.root.withDescendants where node !== decoded.root && !node.plan.match.isEmpty {
      var found: [(identity: ObjectIdentity, id: ObjectID)] = []
      for (row, match) in try find(node).enumerated() {
        if match.isAmbiguous {
          decoded.noteAmbiguousMatch(of: node, row: row)
        } else if let id = match.id, let identity = identity(node, row) {
          found.append((identity, id))
          recordObjects.note(id, node.plan.entity)
        }
      }
      for (match, object) in zip(found, context.faults(with: found.map(\.id))) { known[match.identity] = object }
    }
  }

  /// The objects that references with a to-one inverse lead to, loaded with one fetch: to set such a reference is to
  /// change them too.
  /// - Parameter rows: of the root.
  func partners(of rows: [Int]) throws -> [ManagedObject] {
    var ids: [ObjectID] = []
    for node in decoded.root.withDescendants {
      for reference in node.plan.references where reference.relationship.isOneToOne {
        guard let column = reference.column else { continue }
        for row in node === decoded.root ? rows : Array(0..<node.batch.count) {
          // Safety: `row` is a row of the node, and the batch was made with the columns of its plan.
          guard unsafe node.batch.states[column][row] == RowBatch.State.value.rawValue else { continue }
          let entityIndex =
            reference.entityColumn.map { unsafe Int(node.batch.integers($0)[row]) }
            ?? reference.relationship.destination.index
          ids.append(unsafe ObjectID(space: idSpaces[entityIndex], primaryKey: node.batch.integers(column)[row]))
        }
      }
    }
    return try context.objects(with: ids)
  }

  /// Brings one record into the object graph.
  mutating func apply(row: Int, existing: ObjectID?) throws {
    let identity = identity(decoded.root, row)
    let match = existing.map { context.object(with: $0) } ?? matched(decoded.root, identity)
    let object = match ?? context.insert(plan.root.entity)
    if let identity { known[identity] = object }
    objects[0][row] = object
    let isShared = match.map { $0.isInserted || plan.step.addsMembers } ?? false
    let before = isShared ? contents(of: object) : nil
    hasAddedMember = false
    if match != nil {
      if plan.step.onMatch == .keep {
        keptRows.insert(row)
        return
      }
      if plan.step.onMatch == .replace { resetToDefaults(object, decoded.root, row: row) }
    }
    try fill(object, decoded.root, row: row, isWhole: match != nil && plan.step.onMatch == .replace)
    if let before { changedMadeObjects[row] = hasAddedMember || contents(of: object) != before }
  }

  /// The values and destinations of an object.
  private func contents(of object: ManagedObject) -> [Contents] {
    object.entity.attributes.indices.map { .value(object.value(at: $0)) }
      + object.entity.relationships.filter { !$0.isToMany }.map { .destination(object.objectID(for: $0.name)) }
  }

  private enum Contents: Equatable {
    case value(Value)
    case destination(ObjectID?)
  }

  /// The outcomes of the records, taken before the save resets the objects' changes.
  func outcomes() -> StepOutcomes {
    var result = StepOutcomes()
    result.nestedDeleted = nestedDeleted
    var nestedChanged = recordsWithDeletions
    for node in decoded.root.withDescendants where node !== decoded.root {
      var counted: Set<ObjectID> = []
      node.noteStoredRows(objects[node.plan.index].map { $0.map { !$0.isInserted } })
      for (row, object) in objects[node.plan.index].enumerated() {
        guard let object, counted.insert(object.objectID).inserted else { continue }
        if object.isInserted {
          result.nestedInserted += 1
          nestedChanged.insert(node.records[row])
        } else if object.hasChanges {
          result.nestedUpdated += 1
          nestedChanged.insert(node.records[row])
        }
      }
    }
    for (row, object) in objects[0].enumerated() {
      guard let object else { continue }
      if keptRows.contains(row) {
        result.unchanged += 1
      } else if let isChanged = changedMadeObjects[row] {
        let isNew = isChanged || plan.step.addsMembers && nestedChanged.contains(decoded.root.records[row])
        if isNew { result.updated += 1 } else { result.unchanged += 1 }
      } else if object.isInserted {
        result.inserted += 1
      } else if object.hasChanges || !object.changedRelationships.isEmpty
        || nestedChanged.contains(decoded.root.records[row])
      {
        result.updated += 1
      } else {
        result.unchanged += 1
      }
    }
    return result
  }

  /// The records of each object that has any.
  var recordsByObject: [ObjectIdentifier: Set<Int>] {
    var records: [ObjectIdentifier: Set<Int>] = [:]
    for node in decoded.root.withDescendants {
      for (row, object) in objects[node.plan.index].enumerated() {
        if let object { records[ObjectIdentifier(object), default: []].insert(Int(node.records[row])) }
      }
    }
    return records
  }

  /// After the save: tells the rows their primary keys.
  func notePrimaryKeys() {
    for node in decoded.root.withDescendants {
      for (row, object) in objects[node.plan.index].enumerated() {
        if let object { node.setPrimaryKey(object.objectID.primaryKey ?? 0, of: object.entity, ofRow: row) }
      }
    }
  }

  // MARK: - Properties

  /// - Parameter isWhole: whether the object, which was there before this row, becomes what the row says and nothing
  ///   else: it loses mapped relationships and nested objects that the row does not carry.
  private mutating func fill(_ object: ManagedObject, _ node: DecodedNode, row: Int, isWhole: Bool) throws {
    // Safety: `row` is a row of the node, and the layout has columns of its plan, by which the batch was made.
    let layout = layout(of: object, in: node)
    for attribute in layout.attributes {
      if unsafe node.batch.states[attribute.column][row] != RowBatch.State.absent.rawValue {
        let value = node.value(column: attribute.column, row: row)
        if attribute.element.isEmpty {
          object.setValue(value, at: attribute.position)
        } else {
          let composite = object.value(at: attribute.position)
          object.setValue(composite.settingElement(at: attribute.element, to: value), at: attribute.position)
        }
      }
    }
    let later = pendingRelationships.isEmpty ? [] : pendingRelationships[node.plan.index]?[row] ?? []
    // Several rows may be about the object.
    if !later.isEmpty { object.deferredRelationships.formUnion(later) }
    for (index, place) in layout.references.enumerated() {
      let waits = !later.isEmpty && later.contains(node.plan.references[index].property)
      if place.isToMany {
        try setMembers(of: object, node, index: index, row: row, waits: waits, isWhole: isWhole)
      } else if !waits || object.isInserted {
        setDestination(of: object, at: place, node, row: row, isWhole: isWhole)
      } else if isWhole {
        object.setObjectID(nil, at: place.position)
      }
    }
    for (index, child) in node.plan.children.enumerated() {
      try fillNested(of: object, child, node, index: index, row: row, isWhole: isWhole)
    }
  }

  private func setDestination(
    of object: ManagedObject, at place: FillLayout.Place, _ node: DecodedNode, row: Int, isWhole: Bool
  ) {
    guard let column = place.column else { return }
    switch unsafe RowBatch.State(rawValue: node.batch.states[column][row]) {
    case .absent, nil: if isWhole { object.setObjectID(nil, at: place.position) }
    case .null: object.setObjectID(nil, at: place.position)
    case .value:
      let entityIndex =
        place.entityColumn.map { unsafe Int(node.batch.integers($0)[row]) } ?? place.destinationIndex
      object.setObjectID(
        unsafe ObjectID(space: idSpaces[entityIndex], primaryKey: node.batch.integers(column)[row]), at: place.position)
    }
  }

  /// The record's list is the whole membership unless it adds to it; while some keys still wait, what is known is only
  /// added.
  private mutating func setMembers(
    of object: ManagedObject, _ node: DecodedNode, index: Int, row: Int, waits: Bool, isWhole: Bool
  ) throws {
    guard isWhole || node.keys[index].states[row] != .absent else { return }
    let reference = node.plan.references[index]
    let members = (links[node.plan.index]?[index]?[row] ?? []).map { destination in
      context.object(
        with: ObjectID(space: idSpaces[destination.entityIndex], primaryKey: destination.primaryKey))
    }
    if reference.addsMembers || waits && !isWhole {
      try add(members, to: object, reference.property)
    } else {
      try object.setObjects(members, for: reference.property)
    }
  }

  private mutating func add(_ members: [ManagedObject], to object: ManagedObject, _ property: String) throws {
    for member in members where try object.add(member, to: property) { hasAddedMember = true }
  }

  // MARK: - Nested objects

  private mutating func fillNested(
    of object: ManagedObject, _ child: ChildPlan, _ node: DecodedNode, index: Int, row: Int, isWhole: Bool
  ) throws {
    guard node.childStates[index][row] != .absent || isWhole && !child.addsMembers else { return }
    let inner = node.children[index]
    let rows = rowsByOwner[inner.plan.index]?[row] ?? []
    if child.relationship.isToMany {
      try fillMany(of: object, child, inner, rows: rows, record: node.records[row])
      return
    }
    let previous = object.object(for: child.property)
    guard let nestedRow = rows.first else {
      object.setObject(nil, for: child.property)
      if let previous, child.node.match.isEmpty { deleteNested(previous, child, record: node.records[row]) }
      return
    }
    var target = matched(inner, nestedRow)
    if target == nil, child.node.match.isEmpty, let previous, previous.entity == child.node.entity {
      if recordObjects.contains(previous), !recordObjects.isSame(previous, inner, row: nestedRow) {
        recordObjects.noteKept(child.relationship)
      } else {
        target = previous
      }
    }
    let destination = target ?? context.insert(child.node.entity)
    remember(destination, inner, nestedRow)
    if previous != destination { object.setObject(destination, for: child.property) }
    if let previous, child.node.match.isEmpty, previous.entity != child.node.entity {
      deleteNested(previous, child, record: node.records[row])
    }
    let isReused = target != nil && child.node.match.isEmpty && !recordObjects.contains(destination)
    try fillNested(destination, inner, row: nestedRow, isWhole: isWhole && isReused)
  }

  /// Fills a nested object, which may have been another before.
  private mutating func fillNested(
    _ object: ManagedObject, _ node: DecodedNode, row: Int, isWhole: Bool
  ) throws {
    if isWhole { resetToDefaults(object, node, row: row, onlyMapped: plan.step.onMatch != .replace) }
    try fill(object, node, row: row, isWhole: isWhole)
  }

  private mutating func fillMany(
    of object: ManagedObject, _ child: ChildPlan, _ inner: DecodedNode, rows: [Int], record: Int32
  ) throws {
    // An earlier row may have made the object.
    let previous = try object.objects(for: child.property)
    // Objects without a key of their own are taken over by position: they stand for other elements then.
    let owned = child.node.match.isEmpty ? previous.filter { $0.entity == child.node.entity } : []
    let recorded = owned.filter(recordObjects.contains)
    var ofRecords = OwnedRecordObjects(recorded, of: recordObjects, inner)
    var reusable = (recorded.isEmpty ? owned : owned.filter { !recordObjects.contains($0) })[...]
    var members: [ManagedObject] = []
    for nestedRow in rows {
      let known = matched(inner, nestedRow) ?? ofRecords.removeObject(forRow: nestedRow)
      let reused = known == nil ? reusable.popFirst() : nil
      let member = known ?? reused ?? context.insert(child.node.entity)
      remember(member, inner, nestedRow)
      try fillNested(member, inner, row: nestedRow, isWhole: reused != nil)
      members.append(member)
    }
    if child.addsMembers { return try add(members, to: object, child.property) }
    try object.setObjects(members, for: child.property)
    if child.node.match.isEmpty {
      let ofOtherEntities = previous.filter { $0.entity != child.node.entity }
      for surplus in reusable + ofRecords.rest + ofOtherEntities { deleteNested(surplus, child, record: record) }
    }
  }

  /// Deletes a nested object that belongs to its owner alone, unless a record is about it too. The model's delete rules
  /// decide about the objects that it leads to.
  private mutating func deleteNested(_ object: ManagedObject, _ child: ChildPlan, record: Int32) {
    guard !object.isDeleted else { return }
    if recordObjects.contains(object) { return recordObjects.noteKept(child.relationship) }
    let isStored = !object.isInserted
    context.delete(object)
    if !isStored { return }
    nestedDeleted += 1
    recordsWithDeletions.insert(record)
  }

  private func matched(_ node: DecodedNode, _ row: Int) -> ManagedObject? { matched(node, identity(node, row)) }

  /// The known object with an identity, if the node's entity has such objects: others of its hierarchy are not meant.
  private func matched(_ node: DecodedNode, _ identity: ObjectIdentity?) -> ManagedObject? {
    identity.flatMap { known[$0] }.flatMap { $0.entity.isKind(of: node.plan.entity) ? $0 : nil }
  }

  private mutating func remember(_ object: ManagedObject, _ node: DecodedNode, _ row: Int) {
    objects[node.plan.index][row] = object
    if let identity = identity(node, row) { known[identity] = object }
  }

  private func identity(_ node: DecodedNode, _ row: Int) -> ObjectIdentity? {
    guard rowsMayShareObjects else { return nil }
    return ObjectIdentity(node, row: row, space: identitySpaces[node.plan.index])
  }

  // MARK: - Layouts

  private mutating func layout(of object: ManagedObject, in node: DecodedNode) -> FillLayout {
    let entityIndex = object.objectID.space.entityIndex
    if let known = layouts[node.plan.index][entityIndex] { return known }
    let layout = FillLayout(node.plan, object.entity)
    layouts[node.plan.index][entityIndex] = layout
    return layout
  }

  /// Attributes that the record does not set go back to their defaults.
  private mutating func resetToDefaults(
    _ object: ManagedObject, _ node: DecodedNode, row: Int, onlyMapped: Bool = false
  ) {
    for attribute in layout(of: object, in: node).defaults {
      // Safety: `row` is a row of the node, and the layout has columns of its plan, by which the batch was made.
      let isSet = attribute.column.map { unsafe node.batch.states[$0][row] != RowBatch.State.absent.rawValue }
      if isSet ?? onlyMapped { continue }
      let whole = object.value(at: attribute.position)
      object.setValue(whole.settingElement(at: attribute.element, to: attribute.value), at: attribute.position)
    }
  }
}
