import ObjectModel
import Predicates
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `TwoPhaseSaving`.
  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    try performAtomically(beforeCommit: body) {
      try check(request)
      try checkVersions(request)
      for deletion in request.deleted {
        if let key = file.primaryKey(of: deletion.objectID) { try deleteRow(deletion.objectID.entity, key) }
      }
      let recorded = history?.pending
      do {
        try connection.atomically(mapping: { $0 as any Error }) { try writeRows(request) }
      } catch let error as SQLiteError where error.isUniqueViolation && !request.updated.isEmpty {
        // Two rows may exchange unique values: the changed rows give theirs up first.
        if let recorded { history?.restore(recorded) }
        try clearUniqueValues(request.updated)
        try writeRows(request)
      }
      for change in request.toMany { try write(change) }
    }
  }

  private func check(_ request: SaveRequest) throws {
    var seen = SeenIDs()
    var counts: [Int: (attributes: Int, relationships: Int)] = [:]
    var last: (space: ObjectID.Space, counts: (attributes: Int, relationships: Int))?
    func propertyCounts(_ objectID: ObjectID) -> (attributes: Int, relationships: Int) {
      let space = objectID.space
      if let last, last.space === space { return last.counts }
      let known = counts[space.entityIndex] ?? (space.entity.attributes.count, space.entity.relationships.count)
      counts[space.entityIndex] = known
      last = (space, known)
      return known
    }
    func check(_ objectID: ObjectID) throws {
      guard file.primaryKey(of: objectID) != nil else {
        throw StoreError.failure("\(objectID.entity.name): the id is not one of this store")
      }
    }
    for list in [request.inserted, request.updated] {
      // By position: to take a snapshot out of the list costs more than to look at it.
      for index in list.indices {
        try check(list[index].objectID)
        let counts = propertyCounts(list[index].objectID)
        guard list[index].attributes.count == counts.attributes, list[index].toOne.count == counts.relationships else {
          throw StoreError.failure(
            "\(list[index].objectID.entity.name): the snapshot does not have the entity's properties")
        }
        for destination in list[index].toOne { if let destination { try check(destination) } }
        if !seen.insert(list[index].objectID) {
          throw StoreError.failure("\(list[index].objectID.entity.name): an object occurs twice in one save")
        }
      }
    }
    for deletion in request.deleted {
      try check(deletion.objectID)
      if !seen.insert(deletion.objectID) {
        throw StoreError.failure("\(deletion.objectID.entity.name): an object occurs twice in one save")
      }
    }
    if let snapshot = request.inserted.first(where: { $0.objectID.entity.isAbstract }) {
      throw StoreError.failure("\(snapshot.objectID.entity.name) is abstract; it has no objects")
    }
    for change in request.toMany {
      guard let relationship = change.owner.entity.relationship(change.relationshipName), relationship.isToMany else {
        throw StoreError.failure(
          "\(change.owner.entity.name) has no to-many relationship \"\(change.relationshipName)\"")
      }
      try check(change.owner)
      for member in change.members { try check(member) }
    }
  }

  private func checkVersions(_ request: SaveRequest) throws {
    var stale: [(objectID: ObjectID, expected: Int64, found: Int64?)] = []
    let expected = request.updated.map { (objectID: $0.objectID, version: $0.version) } + request.deleted
    for (objectID, version) in expected {
      let table = layout.table(for: objectID.entity).name
      let statement = try cached("SELECT IFNULL(Z_OPT, 1) FROM \(table) WHERE Z_PK = ?1 AND Z_ENT = ?2")
      defer { statement.reset() }
      try statement.bind(1, file.primaryKey(of: objectID) ?? 0)
      try statement.bind(2, Int64(layout.number(of: objectID.entity)))
      let found = try statement.step() ? statement.int64(at: 0) : nil
      if found != version { stale.append((objectID, version, found)) }
    }
    if !stale.isEmpty { throw StoreError.optimisticLockingFailure(stale) }
  }

  private func writeRows(_ request: SaveRequest) throws {
    var writers: [Int: SnapshotWriter] = [:]
    var last: (entityIndex: Int, writer: SnapshotWriter)?
    func writer(_ objectID: ObjectID) -> SnapshotWriter {
      let entityIndex = objectID.space.entityIndex
      if let last, last.entityIndex == entityIndex { return last.writer }
      let writer = writers[entityIndex] ?? SnapshotWriter(self, entity: objectID.entity)
      writers[entityIndex] = writer
      last = (entityIndex, writer)
      return writer
    }
    for snapshot in request.updated {
      try writer(snapshot.objectID).update(snapshot, keepsVersionOfNewOwner: request.keepsVersionsOfNewOwners)
    }
    for index in request.inserted.indices {
      try writer(request.inserted[index].objectID).insert(request.inserted[index])
    }
    for writer in writers.values { try writer.finish() }
  }

  private func clearUniqueValues(_ snapshots: [Snapshot]) throws {
    for snapshot in snapshots {
      let entity = snapshot.objectID.entity
      let columns = Set(entity.uniquenessConstraints.joined()).compactMap { layout.propertyColumn($0, of: entity) }
      if columns.isEmpty { continue }
      let list = columns.sorted().map { "\($0) = NULL" }.joined(separator: ", ")
      let statement = try cached("UPDATE \(layout.table(for: entity).name) SET \(list) WHERE Z_PK = ?1")
      try statement.bind(1, file.primaryKey(of: snapshot.objectID) ?? 0)
      try statement.run()
    }
  }

  private func write(_ change: SaveRequest.ToManyChange) throws {
    guard let relationship = change.owner.entity.relationship(change.relationshipName),
      let owner = file.primaryKey(of: change.owner)
    else { return }
    let members = change.members.compactMap { file.primaryKey(of: $0) }
    if relationship.inverse.map({ !$0.isToMany }) == true {
      try reorder(relationship, owner: owner, members: members)
    } else {
      let writer = try LinkWriter(self, relationship)
      try writer.changeMembers(
        of: owner, to: members, from: change.membersBefore?.compactMap { file.primaryKey(of: $0) })
    }
  }

  /// Membership is what the to-one columns say; this gives the members' order. Others come last. Members keep their
  /// order keys where those are in order already.
  private func reorder(_ relationship: Relationship, owner: Int64, members: [Int64]) throws {
    guard let columns = layout.memberColumns(of: relationship), let order = columns.order else { return }
    let table = layout.table(for: relationship.destination).name
    let find = try cached(
      "SELECT Z_PK, \(order) FROM \(table) WHERE \(columns.foreignKey) = ?1 ORDER BY \(order) IS NULL, \(order), Z_PK")
    try find.bind(1, owner)
    var present: [Int64] = []
    var keys: [Int64: Int64] = [:]
    while try find.step() {
      present.append(find.int64(at: 0))
      if !find.isNull(at: 1) { keys[find.int64(at: 0)] = find.int64(at: 1) }
    }
    find.reset()
    let known = Set(present)
    var seen: Set<Int64> = []
    let ordered = (members + present).filter { known.contains($0) && seen.insert($0).inserted }
    let places = OrderKey.keys(keeping: ordered.map { keys[$0] })
    let place = try cached("UPDATE \(table) SET \(order) = ?1 WHERE Z_PK = ?2")
    for (member, key) in zip(ordered, places) where keys[member] != key {
      try place.bind(1, key)
      try place.bind(2, member)
      try place.run()
    }
    if ordered != present { try history?.recordMembers(of: relationship, owner: owner, isSaved: true) }
  }

  // MARK: deleting

  /// Deletes a row with everything that only the layout knows of: its join rows, the hidden to-one columns of other
  /// rows that point at it. Delete rules are the caller's.
  func deleteRow(_ entity: Entity, _ key: Int64) throws {
    let table = layout.table(for: entity).name
    try history?.recordDelete(entityNumber: layout.number(of: entity), key: key)
    try noteExternalData(of: entity, key)
    for join in layout.joinTables {
      for side in [join.master, join.inverse]
      where entity.isKind(of: side.relationship.entity) {
        try recordLeaving(join, side, owner: key)
        let statement = try cached("DELETE FROM \(join.name) WHERE \(side.ownerColumn) = ?1")
        try statement.bind(1, key)
        try statement.run()
      }
    }
    for other in layout.tables {
      for column in other.columns {
        guard case .virtualForeignKey(let owner, let name) = column.role, let declaring = layout.entity(number: owner),
          entity.isKind(of: declaring)
        else { continue }
        let extra = [
          other.column(.virtualDestinationEntity(owner: owner, relationship: name)),
          other.column(.virtualOrderKey(owner: owner, relationship: name)),
        ].compactMap { $0.map { ", \($0.name) = NULL" } }.joined()
        let statement = try cached(
          "UPDATE \(other.name) SET \(column.name) = NULL\(extra) WHERE \(column.name) = ?1")
        try statement.bind(1, key)
        try statement.run()
      }
    }
    let statement = try cached("DELETE FROM \(table) WHERE Z_PK = ?1")
    try statement.bind(1, key)
    try statement.run()
  }
}

extension StoreWriter {
  /// Notes the files of external data that a row names: they go with the row, or with the values of these columns,
  /// once the transaction is committed.
  /// - Parameter columns: names of the columns that change; nil for all.
  func noteExternalData(of entity: Entity, _ key: Int64, columns: Set<String>? = nil) throws {
    let table = layout.table(for: entity)
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage,
        columns?.contains(column.name) ?? true
      else { continue }
      let find = try cached("SELECT \(column.name) FROM \(table.name) WHERE Z_PK = ?1")
      defer { find.reset() }
      try find.bind(1, key)
      guard try find.step() else { continue }
      if let name = unsafe ExternalDataFolder.fileName(find.rawBytes(at: 0)) { externalData.ledger.note(name) }
    }
  }

  /// Records that the members of a many-to-many relationship lose an owner, before its join rows go.
  private func recordLeaving(_ join: JoinTable, _ side: JoinTable.Side, owner: Int64) throws {
    guard let history, let inverse = side.relationship.inverse else { return }
    let find = try cached("SELECT \(side.memberColumn) FROM \(join.name) WHERE \(side.ownerColumn) = ?1")
    try find.bind(1, owner)
    var members: [Int64] = []
    while try find.step() { members.append(find.int64(at: 0)) }
    find.reset()
    for member in members { try history.recordMembers(of: inverse, owner: member) }
  }
}

/// Tells whether an id came before. Ids that come in ascending order, as those of new objects do, need not be looked up.
private struct SeenIDs {
  private var space: ObjectID.Space?
  private var others: Set<ObjectID> = []
  /// The keys of the run of ascending ids of one space, in case that something else comes.
  private var run: [Int64] = []
  private var isRun = true

  /// - Returns: false when the id came before.
  mutating func insert(_ id: ObjectID) -> Bool {
    guard isRun else { return others.insert(id).inserted }
    let key = id.primaryKey ?? 0
    if run.isEmpty { space = id.space }
    if id.space === space, key > run.last ?? .min {
      run.append(key)
      return true
    }
    isRun = false
    if let space { others = Set(run.map { ObjectID(space: space, primaryKey: $0) }) }
    run = []
    return others.insert(id).inserted
  }
}
