import Foundation
import ObjectModel
import StoreInterface
import Synchronization
import TestStores

@testable import ImportEngine
@testable import MemoryStore

/// A target without files and pages: rows become snapshots of the in-memory store. It knows neither composites nor
/// order keys, and looks everything up by reading all objects.
final class MemoryTarget: ForwardingStore, ImportTarget, @unchecked Sendable {
  let store: InMemoryStore
  let idSpaces: ObjectID.Spaces
  private var before: InMemoryContents?

  init(model: ManagedObjectModel) {
    store = InMemoryStore(model: model)
    idSpaces = model.idSpaces(store: store.identifier)
  }

  // MARK: - PersistentStore

  var base: any PersistentStore { store }
  func save(_ request: SaveRequest, beforeCommit body: () throws -> Void) throws {
    try store.save(request, beforeCommit: body)
  }

  // MARK: - Transactions

  func begin() { before = store.contents.withLock { $0 } }
  func commit() { before = nil }
  func rollback() {
    if let before { store.contents.withLock { $0 = before } }
    before = nil
  }

  // MARK: - Stored rows

  func buildDeferredIndexes() {}
  func raiseOwnerVersions() -> Int { 0 }

  func primaryKeyRange(of entity: Entity) throws -> ClosedRange<Int64>? {
    let keys = try snapshots(FetchSpecification(entity.root)).compactMap(\.objectID.primaryKey)
    guard let least = keys.min(), let greatest = keys.max() else { return nil }
    return least...greatest
  }

  func scanRows(
    of entity: Entity, columns: [RowBatch.Column], into batch: RowBatch,
    body: (RowBatch, _ primaryKeys: [Int64], _ entityIndexes: [Int64]) throws -> Void
  ) throws {
    for snapshot in try snapshots(FetchSpecification(entity)) {
      batch.removeAll()
      batch.count = 1
      for (index, column) in columns.enumerated() { batch.set(index, to: snapshot.cell(column.source)) }
      try body(batch, [snapshot.objectID.primaryKey ?? 0], [Int64(snapshot.objectID.entity.index)])
    }
  }

  func primaryKeys(
    matching batch: RowBatch, keyColumns: [Int], isNew: (Int) -> Bool, ambiguous: inout [Int]
  ) throws -> [Int64] {
    let stored = try rows(of: batch, keyColumns)
    return (0..<batch.count).map { row in
      guard let key = batch.key(keyColumns, row: row), let found = stored[key] else { return 0 }
      if found.count > 1 { ambiguous.append(row) }
      return found[0].objectID.primaryKey ?? 0
    }
  }

  func entityIndexes(of entity: Entity, primaryKeys: [Int64]) throws -> [Int] {
    let ids = try ids(of: entity.root)
    return primaryKeys.map { ids[$0]?.entity.index ?? entity.index }
  }

  private func rows(of batch: RowBatch, _ keyColumns: [Int]) throws -> [[Value]: [Snapshot]] {
    Dictionary(grouping: try snapshots(FetchSpecification(batch.entity))) { snapshot in
      keyColumns.map { snapshot.cell(batch.columns[$0].source) }
    }
  }

  private func ids(of root: Entity) throws -> [Int64: ObjectID] {
    Dictionary(
      uniqueKeysWithValues: try snapshots(FetchSpecification(root)).map { ($0.objectID.primaryKey ?? 0, $0.objectID) })
  }

  // MARK: - Writing

  func insert(_ batch: RowBatch, primaryKeys: [Int64]) throws {
    var request = SaveRequest()
    request.inserted = (0..<batch.count).map { newSnapshot(of: batch, row: $0, primaryKey: primaryKeys[$0]) }
    try store.save(request)
  }

  private func newSnapshot(of batch: RowBatch, row: Int, primaryKey: Int64) -> Snapshot {
    let entity = batch.entity
    var snapshot = Snapshot(
      objectID: ObjectID(space: idSpaces[entity.index], primaryKey: primaryKey), version: 1,
      attributes: entity.attributes.map { $0.isTransient ? .null : $0.defaultValue },
      toOne: entity.relationships.map { _ in nil })
    apply(batch, row: row, to: &snapshot)
    return snapshot
  }

  private func apply(_ batch: RowBatch, row: Int, to snapshot: inout Snapshot) {
    let entity = snapshot.objectID.entity
    for (index, column) in batch.columns.enumerated() where !batch.isAbsent(index, row: row) {
      let value = batch.value(index, row: row)
      switch column.source {
      case .attribute(let name):
        guard let position = entity.attributes.firstIndex(where: { $0.name == name }) else { continue }
        snapshot.attributes[position] = value
      case .toOne(let name):
        guard let position = entity.relationships.firstIndex(where: { $0.name == name }) else { continue }
        guard case .integer(let key) = value else {
          snapshot.toOne[position] = nil
          continue
        }
        var destination = entity.relationships[position].destination.index
        if let other = batch.columns.firstIndex(where: { $0.source == .toOneEntity(name) }),
          case .integer(let number) = batch.value(other, row: row)
        {
          destination = Int(number)
        }
        snapshot.toOne[position] = ObjectID(space: idSpaces[destination], primaryKey: key)
      case .toOneEntity, .toOneOrder: continue
      }
    }
  }

  func upsert(
    _ batch: RowBatch, keyColumns: [Int], options: UpsertOptions, isNew: (Int) -> Bool, known: [Int64],
    outcomes: inout [RowOutcome], primaryKeys: inout [Int64]
  ) throws {
    let stored = try rows(of: batch, keyColumns)
    var request = SaveRequest()
    outcomes = []
    primaryKeys = []
    for row in 0..<batch.count {
      guard let found = batch.key(keyColumns, row: row).flatMap({ stored[$0]?.first }) else {
        let primaryKey = try store.reservePrimaryKeys(1, for: batch.entity)
        request.inserted.append(newSnapshot(of: batch, row: row, primaryKey: primaryKey))
        primaryKeys.append(primaryKey)
        outcomes.append(.inserted)
        continue
      }
      primaryKeys.append(found.objectID.primaryKey ?? 0)
      var changed = found
      apply(batch, row: row, to: &changed)
      switch options.onMatch {
      case .keep: outcomes.append(.kept)
      case .fail: outcomes.append(.failedMatch)
      case .update, .replace:
        outcomes.append(changed == found ? .unchanged : .updated)
        if changed != found { request.updated.append(changed) }
      }
    }
    try store.save(request)
  }

  func complete(_ batch: RowBatch, primaryKeys: [Int64]) throws {
    let stored = Dictionary(
      uniqueKeysWithValues: try snapshots(FetchSpecification(batch.entity)).map { ($0.objectID.primaryKey ?? 0, $0) })
    var changed: [Int64: Snapshot] = [:]
    for (row, key) in primaryKeys.enumerated() {
      guard var snapshot = changed[key] ?? stored[key] else { continue }
      apply(batch, row: row, to: &snapshot)
      changed[key] = snapshot
    }
    var request = SaveRequest()
    request.updated = Array(changed.values)
    try store.save(request)
  }

  func link(
    _ relationship: Relationship, pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws -> Int {
    let owners = try ids(of: relationship.entity.root)
    let destinations = try ids(of: relationship.destination.root)
    var request = SaveRequest()
    var added = 0
    for (owner, group) in Dictionary(grouping: pairs, by: \.owner).sorted(by: { $0.key < $1.key }) {
      guard let id = owners[owner] else { continue }
      let own = id.entity.relationship(relationship.name) ?? relationship
      var members = replacing ? [] : try store.members(of: id, relationship: own)
      for pair in group {
        guard let member = destinations[pair.destination], !members.contains(member) else { continue }
        members.append(member)
        added += 1
      }
      request.toMany.append(.init(owner: id, relationshipName: relationship.name, members: members))
    }
    try store.save(request)
    return added
  }

  func delete(entity: Entity, primaryKeys: [Int64]) throws -> Int {
    let keys = Set(primaryKeys)
    var request = SaveRequest()
    request.deleted = try snapshots(FetchSpecification(entity)).filter { keys.contains($0.objectID.primaryKey ?? 0) }
      .map { (objectID: $0.objectID, version: $0.version) }
    try store.save(request)
    return request.deleted.count
  }
}

extension Snapshot {
  /// What a column of this object has: a value, or the primary key of a destination.
  fileprivate func cell(_ source: RowBatch.Source) -> Value {
    let entity = objectID.entity
    switch source {
    case .attribute(let name):
      return entity.attributes.firstIndex { $0.name == name }.map { attributes[$0] } ?? .null
    case .toOne(let name):
      let destination = entity.relationships.firstIndex { $0.name == name }.flatMap { toOne[$0] }
      return destination?.primaryKey.map { .integer($0) } ?? .null
    case .toOneEntity, .toOneOrder: return .null
    }
  }
}

extension RowBatch {
  fileprivate func isAbsent(_ column: Int, row: Int) -> Bool {
    unsafe states[column][row] == State.absent.rawValue
  }

  fileprivate func key(_ columns: [Int], row: Int) -> [Value]? {
    let values = columns.map { value($0, row: row) }
    return values.contains(.null) ? nil : values
  }

  /// The value of a cell in the type of its attribute; keys are integers.
  fileprivate func value(_ column: Int, row: Int) -> Value {
    guard unsafe states[column][row] == State.value.rawValue else { return .null }
    guard case .attribute(let name) = columns[column].source, let type = entity.storedAttribute(name)?.type else {
      return unsafe .integer(integers(column)[row])
    }
    switch type {
    case .integer16, .integer32, .integer64: return unsafe .integer(integers(column)[row])
    case .boolean: return unsafe .boolean(integers(column)[row] != 0)
    case .double, .float: return unsafe .double(reals(column)[row])
    case .date: return unsafe .date(Date(timeIntervalSinceReferenceDate: reals(column)[row]))
    case .decimal: return Decimal(string: text(column, row: row)).map { .decimal($0) } ?? .null
    case .uuid: return unsafe .uuid(UUID(uuid: cellBytes(column, row).loadUnaligned(as: uuid_t.self)))
    case .uri: return URL(string: text(column, row: row)).map { .uri($0) } ?? .null
    case .binary, .transformable: return unsafe .data(Data(cellBytes(column, row)))
    case .string, .undefined, .objectID, .composite: return .string(text(column, row: row))
    }
  }

  private func text(_ column: Int, row: Int) -> String {
    unsafe String(decoding: cellBytes(column, row), as: UTF8.self)
  }

  /// Sets a cell of the first row.
  fileprivate func set(_ column: Int, to value: Value) {
    var bytes: [UInt8] = []
    unsafe states[column][0] = State.value.rawValue
    switch value {
    case .integer(let number): unsafe integers(column)[0] = number
    case .boolean(let flag): unsafe integers(column)[0] = flag ? 1 : 0
    case .double(let number): unsafe reals(column)[0] = number
    case .date(let date): unsafe reals(column)[0] = date.timeIntervalSinceReferenceDate
    case .string(let text): bytes = Array(text.utf8)
    case .uri(let url): bytes = Array(url.absoluteString.utf8)
    case .data(let data): bytes = Array(data)
    case .uuid(let uuid): bytes = unsafe withUnsafeBytes(of: uuid.uuid) { unsafe Array($0) }
    case .decimal(let number): bytes = Array("\(number)".utf8)
    case .null, .composite: unsafe states[column][0] = State.null.rawValue
    }
    if columns[column].storage == .bytes {
      unsafe bytes.withUnsafeBytes { source in
        guard let base = source.baseAddress else { return }
        unsafe slices(column)[0] = append(base, count: source.count)
      }
    }
  }
}
