import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `TwoPhaseSaving`. `body` runs inside the transaction, when everything is written and checked.
  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    history?.beginSave(author: request.author, contextName: request.contextName)
    defer { history?.endSave() }
    try performAtomically(beforeCommit: body) {
      try check(request)
      let rows = SavedSnapshots(self, request)
      try rows.checkVersions()
      try rows.delete()
      try writeAllowingExchanges(rows)
      for change in request.toMany { try write(change) }
    }
  }

  /// Checks that a request fits the model and the store.
  func check(_ request: SaveRequest) throws {
    var seen = SeenIDs()
    // What is asked here of the first id is true of all of its space. By model index of the entity.
    var known: [ObjectID.Space?] = Array(repeating: nil, count: file.model.definitions.count)
    func check(_ objectID: ObjectID) throws {
      let index = objectID.space.entityIndex
      if index < known.count, known[index] === objectID.space { return }
      guard file.primaryKey(of: objectID) != nil else {
        throw StoreError.failure("\(objectID.entity.name): the id is not one of this store")
      }
      known[index] = objectID.space
    }
    var counts: [Int: (attributes: Int, relationships: Int)] = [:]
    for (list, isInserted) in [(request.inserted, true), (request.updated, false)] {
      var space: ObjectID.Space?
      var expected = (attributes: 0, relationships: 0)
      // By position, because taking a snapshot out of the list costs more than reading it there.
      for index in list.indices {
        if list[index].objectID.space !== space {
          let objectID = list[index].objectID
          try check(objectID)
          if isInserted && objectID.entity.isAbstract {
            throw StoreError.failure("\(objectID.entity.name) is abstract; it has no objects")
          }
          space = objectID.space
          let index = objectID.space.entityIndex
          expected = counts[index] ?? (objectID.entity.attributes.count, objectID.entity.relationships.count)
          counts[index] = expected
        }
        let isEdited = list[index].edited != nil
        guard list[index].edited?.attributeCount ?? list[index].ownAttributes.count == expected.attributes,
          list[index].edited?.relationshipCount ?? list[index].ownToOne.count == expected.relationships
        else {
          throw StoreError.failure(
            "\(list[index].objectID.entity.name): the snapshot does not have the entity's properties")
        }
        for position in 0..<expected.relationships {
          let destination = isEdited ? list[index].destination(position) : list[index].ownToOne[position]
          if let destination { try check(destination) }
        }
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
    for change in request.toMany {
      guard let relationship = change.owner.entity.relationship(change.relationshipName), relationship.isToMany else {
        throw StoreError.failure(
          "\(change.owner.entity.name) has no to-many relationship \"\(change.relationshipName)\"")
      }
      try check(change.owner)
      for member in change.members { try check(member) }
    }
  }

  /// Two rows may exchange unique values: the changed rows give theirs up first then. Only where that may be, what was
  /// written has to be undone by itself.
  private func writeAllowingExchanges(_ rows: SavedSnapshots) throws {
    guard rows.mayExchangeUniqueValues else { return try rows.write() }
    let recorded = history?.pending
    do {
      try connection.atomically(mapping: { $0 as any Error }) { try rows.write() }
    } catch let error as SQLiteError where error.isUniqueViolation {
      if let recorded { history?.restore(recorded) }
      // What the updates write was found before: compared again, a value that is to be null would be stored already.
      try rows.clearChangedUniqueValues()
      try rows.write()
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

  /// The to-one columns say which rows are members; this gives their order. Members that are not listed come last.
  /// Members keep their order keys where those are in order already.
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
}

extension StoreWriter {
  /// Notes the files of external data that a row names: they go with the row, or with the values of these columns,
  /// once the transaction is committed.
  /// - Parameter columns: names of the columns that change.
  func noteExternalData(of entity: Entity, _ key: Int64, columns: Set<String>) throws {
    let table = layout.table(for: entity)
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage,
        columns.contains(column.name)
      else { continue }
      let find = try cached("SELECT \(column.name) FROM \(table.name) WHERE Z_PK = ?1")
      defer { find.reset() }
      try find.bind(1, key)
      guard try find.step() else { continue }
      if let name = unsafe ExternalDataFolder.fileName(find.rawBytes(at: 0)) { externalData.ledger.note(name) }
    }
  }
}

/// Tells whether an id came before. Ids that come in ascending order, as those of new objects do, need not be looked
/// up.
private struct SeenIDs {
  private var space: ObjectID.Space?
  private var others: Set<ObjectID> = []
  /// The keys of the run of ascending ids of one space, needed when an id comes that does not fit the run.
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
