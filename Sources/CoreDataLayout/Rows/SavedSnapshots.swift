import ObjectModel
import SQLite
import StoreInterface

/// The snapshots of one save: compared with what is stored, then written.
final class SavedSnapshots {
  private let writer: StoreWriter
  private let request: SaveRequest
  private var snapshotWriters: [Int: SnapshotWriter] = [:]
  /// For each updated snapshot, the number of the update of its writer that writes what differs.
  private var updates: [Int32]

  init(_ writer: StoreWriter, _ request: SaveRequest) {
    self.writer = writer
    self.request = request
    updates = Array(repeating: 0, count: request.updated.count)
  }

  /// Whether an updated entity has a uniqueness constraint.
  var mayExchangeUniqueValues: Bool {
    var last: ObjectID.Space?
    for index in request.updated.indices where request.updated[index].objectID.space !== last {
      let space = request.updated[index].objectID.space
      last = space
      if !space.entity.uniquenessConstraints.isEmpty { return true }
    }
    return false
  }

  private func snapshotWriter(_ entity: Entity) -> SnapshotWriter {
    if let known = snapshotWriters[entity.index] { return known }
    let new = SnapshotWriter(writer, entity: entity)
    snapshotWriters[entity.index] = new
    return new
  }

  // MARK: - Comparing

  /// Finds out what the updates are to write.
  /// - Throws: `StoreError.optimisticLockingFailure` when a row has another version than it was read at, or is gone.
  func checkVersions() throws {
    let found = try areChangesKnown ? findKnownChanges() : findChanges()
    let foundDeleted = try versions(deletedRows, count: request.deleted.count)
    var stale: [(objectID: ObjectID, expected: Int64, found: Int64?)] = []
    for index in found.indices where found[index] != request.updated[index].version {
      stale.append((request.updated[index].objectID, request.updated[index].version, found[index]))
    }
    for index in foundDeleted.indices where foundDeleted[index] != request.deleted[index].version {
      stale.append((request.deleted[index].objectID, request.deleted[index].version, foundDeleted[index]))
    }
    if !request.checked.isEmpty {
      let checked = request.checked
      let rows = KeyedPositions.byEntity(checked.count, in: writer.file) { checked[$0].objectID }
      for (object, version) in zip(checked, try versions(rows, count: checked.count)) where version != object.version {
        stale.append((object.objectID, object.version, version))
      }
    }
    if !stale.isEmpty { throw StoreError.optimisticLockingFailure(stale) }
  }

  /// Compares the updated snapshots with their rows as they are now.
  /// - Returns: the version of each row; nil where there is none.
  private func findChanges() throws -> [Int64?] {
    var versions: [Int64?] = Array(repeating: nil, count: request.updated.count)
    let snapshots = request.updated
    for rows in KeyedPositions.byEntity(snapshots.count, in: writer.file, { snapshots[$0].objectID }) {
      try snapshotWriter(rows.entity).compare(rows, snapshots) { position, version, update in
        versions[position] = version
        updates[position] = Int32(update)
      }
    }
    return versions
  }

  /// Whether the request names the changed properties. During an import, rows may change without a new version.
  private var areChangesKnown: Bool {
    !writer.isImporting && !request.keepsVersionsOfNewOwners && !request.updated.isEmpty
      && request.updatedProperties.count == request.updated.count
  }

  /// Does what `findChanges` does, where a row with the expected version is known to be unchanged.
  private func findKnownChanges() throws -> [Int64?] {
    var last: (space: ObjectID.Space, writer: SnapshotWriter)?
    for index in request.updated.indices {
      let space = request.updated[index].objectID.space
      let snapshotWriter =
        if let last, last.space === space { last.writer } else { snapshotWriter(space.entity) }
      last = (space, snapshotWriter)
      updates[index] = Int32(snapshotWriter.update(of: request.updatedProperties[index]))
    }
    let rows = KeyedPositions.byEntity(request.updated.count, in: writer.file) { request.updated[$0].objectID }
    return try versions(rows, count: request.updated.count)
  }

  private lazy var deletedRows = KeyedPositions.byEntity(request.deleted.count, in: writer.file) {
    request.deleted[$0].objectID
  }

  /// The versions of rows by their positions; nil where there is none.
  private func versions(_ lists: [KeyedPositions], count: Int) throws -> [Int64?] {
    var versions: [Int64?] = Array(repeating: nil, count: count)
    for rows in lists {
      let table = writer.layout.table(for: rows.entity).name
      let statement = try writer.cached(
        "SELECT Z_PK, IFNULL(Z_OPT, 1) FROM \(table) WHERE Z_PK BETWEEN ?1 AND ?2 AND Z_ENT = ?3 ORDER BY Z_PK")
      try statement.bind(3, writer.layout.number(of: rows.entity))
      try rows.scan(statement) { versions[$0] = statement.int64(at: 1) }
    }
    return versions
  }

  // MARK: - Writing

  /// Gives up the unique values that the updates change, so that rows can exchange them.
  func clearChangedUniqueValues() throws {
    for index in request.updated.indices {
      let objectID = request.updated[index].objectID
      try snapshotWriter(objectID.entity).clearUniqueValues(
        ofRow: objectID.primaryKey ?? 0, changedBy: Int(updates[index]))
    }
  }

  /// Deletes rows with what belongs to them.
  func delete() throws {
    for rows in deletedRows {
      let deleter = RowDeleter(writer, rows.entity)
      try rows.forEachRun { try deleter.delete($0) }
    }
  }

  /// Updates rows, then inserts new ones, in the order of the request.
  func write() throws {
    var start = 0
    while start < request.updated.count {
      start += try snapshotWriter(request.updated[start].objectID.entity).update(
        request.updated, from: start, updates, keepsVersionsOfNewOwners: request.keepsVersionsOfNewOwners)
    }
    start = 0
    while start < request.inserted.count {
      let entityIndex = request.inserted[start].objectID.space.entityIndex
      var end = start + 1
      while end < request.inserted.count && request.inserted[end].objectID.space.entityIndex == entityIndex { end += 1 }
      try snapshotWriter(request.inserted[start].objectID.entity).insert(request.inserted, start..<end)
      start = end
    }
    for writer in snapshotWriters.values { try writer.finish() }
  }
}
