import CoreDataLayout
import Exports
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// Finds the objects of a store that a file of changes names.
///
/// In the store that the changes were made in, and in copies of it, an object is known by its primary key; in other
/// stores by the values of a uniqueness constraint.
struct ChangedObjectFinder {
  /// An object as the file's own store had it.
  private struct Source: Hashable {
    var root: Int
    var primaryKey: Int64
  }

  private let file: ChangeFile
  private let store: SQLiteStore
  /// Whether primary keys are the store's own.
  let knowsPrimaryKeys: Bool
  /// The results of look-ups; nil for objects that are not there.
  private var found: [Source: Snapshot?] = [:]
  /// The objects that the file inserts, by their new ids.
  private var inserted: [Source: ObjectID] = [:]
  /// The attributes of a key that the file changes, by the object that it updates. Keys in the file are the new ones.
  private var changedKeys: [Source: Set<String>] = [:]

  init(_ file: ChangeFile, in store: SQLiteStore) {
    self.file = file
    self.store = store
    knowsPrimaryKeys = file.head.store == store.identifier
    let made = Set(
      file.records.lazy.filter { $0.change == .insert }.compactMap { record in
        store.model[record.object.entity].map { Source(root: $0.root.index, primaryKey: record.object.primaryKey) }
      })
    for record in file.records where record.change == .update && !record.values.isEmpty {
      guard let entity = store.model[record.object.entity] else { continue }
      let names = Set((ChangeLine.key(of: entity) ?? []).map(\.name)).intersection(record.values.keys)
      let source = Source(root: entity.root.index, primaryKey: record.object.primaryKey)
      if !names.isEmpty && !made.contains(source) { changedKeys[source] = names }
    }
  }

  func entity(_ name: String, line: Int) throws(RunError) -> Entity {
    do throws(RunError) {
      return try store.model.entity(named: name, code: "changes.unknown-entity")
    } catch {
      throw ChangeFile.error(file.path, line, error.message, code: error.code, hint: error.hint)
    }
  }

  /// Makes references lead to the new object.
  mutating func insert(_ id: ObjectID, for reference: ChangeLine.Reference, _ entity: Entity) {
    inserted[Source(root: entity.root.index, primaryKey: reference.primaryKey)] = id
  }

  /// The snapshot of an object that is there; nil where there is none.
  /// - Throws: `RunError` where the primary key is that of an object with another key.
  mutating func snapshot(_ reference: ChangeLine.Reference, line: Int) throws -> Snapshot? {
    guard let snapshot = try row(reference, line: line) else { return nil }
    try checkKey(of: snapshot, reference, line: line)
    return snapshot
  }

  /// The snapshot of an object that is there, whatever its key; nil where there is none.
  mutating func row(_ reference: ChangeLine.Reference, line: Int) throws -> Snapshot? {
    let entity = try entity(reference.entity, line: line)
    let source = Source(root: entity.root.index, primaryKey: reference.primaryKey)
    if let known = found[source] { return known }
    var request = FetchSpecification(knowsPrimaryKeys ? entity.root : entity)
    if knowsPrimaryKeys {
      let id = ObjectID(
        entity: entity, reference: .permanent(store: store.identifier, primaryKey: reference.primaryKey))
      // The object may be of any entity of the hierarchy.
      request.predicate = .or(
        entity.root.withSubentities.map { other in
          .selfIsIn([ObjectID(entity: other, reference: id.reference)])
        })
    } else {
      request.predicate = try key(reference, entity, line: line)
    }
    let snapshot = try store.snapshots(request).first
    found[source] = .some(snapshot)
    return snapshot
  }

  /// The object that a reference leads to: one that is there, or one that the file inserts.
  mutating func objectID(_ reference: ChangeLine.Reference, line: Int) throws -> ObjectID? {
    let entity = try entity(reference.entity, line: line)
    if let id = inserted[Source(root: entity.root.index, primaryKey: reference.primaryKey)] { return id }
    return try snapshot(reference, line: line)?.objectID
  }

  /// Checks that an object that was found by its primary key has the values of the line's key, except for those that
  /// the file changes.
  private func checkKey(of snapshot: Snapshot, _ reference: ChangeLine.Reference, line: Int) throws(RunError) {
    guard knowsPrimaryKeys, let key = reference.key else { return }
    let entity = snapshot.objectID.entity
    let changed = changedKeys[Source(root: entity.root.index, primaryKey: reference.primaryKey)] ?? []
    let name = "\(reference.entity)/\(reference.primaryKey)"
    var told: [(String, JSONValue)] = []
    var stored: [(String, JSONValue)] = []
    var isSame = true
    // Files have no values of the types that say nothing about their values.
    for attribute in ChangeLine.key(of: entity) ?? []
    where !changed.contains(attribute.name) && attribute.type != .undefined && attribute.type != .objectID {
      guard let content = key[attribute.name],
        let index = entity.attributes.firstIndex(where: { $0.name == attribute.name })
      else { continue }
      guard let value = ChangeValue.value(content, of: attribute) else {
        throw ChangeFile.error(
          file.path, line, "\(name) has a key with a \(attribute.name) that is no \(attribute.type)",
          code: "changes.value")
      }
      isSame = isSame && value.isIdentical(to: snapshot.attributes[index])
      told.append((attribute.name, value.json))
      stored.append((attribute.name, snapshot.attributes[index].json))
    }
    if isSame { return }
    let keys = [stored, told].map { JSONValue.object($0).text(isIndented: false) }
    throw ChangeFile.error(
      file.path, line, "\(name) is another object in \(store.path): its key is \(keys[0]) there, and \(keys[1]) here",
      code: "changes.other-object",
      hint: "both stores have changed apart: apply the changes to a store that was not changed otherwise")
  }

  private func key(_ reference: ChangeLine.Reference, _ entity: Entity, line: Int) throws(RunError) -> FetchPredicate {
    let name = "\(reference.entity)/\(reference.primaryKey)"
    guard let attributes = ChangeLine.key(of: entity) else {
      throw ChangeFile.error(
        file.path, line,
        "\(name) cannot be found in \(store.path), which is another store than the one that was changed: \(entity.name) has no "
          + "uniqueness constraint", code: "changes.no-key",
        hint: "give \(entity.name) a constraint, or apply the changes to a copy of the store \(file.head.store)")
    }
    if let names = changedKeys[Source(root: entity.root.index, primaryKey: reference.primaryKey)] {
      throw ChangeFile.error(
        file.path, line,
        "\(name) cannot be found in \(store.path), which is another store than the one that was changed: the file gives it "
          + "another \(names.sorted().joined(separator: ", ")) and does not say which it had", code: "changes.no-key",
        hint: "apply the changes to a copy of the store \(file.head.store)")
    }
    var parts: [FetchPredicate] = []
    for attribute in attributes {
      guard let content = reference.key?[attribute.name], let value = ChangeValue.value(content, of: attribute),
        value != .null
      else {
        throw ChangeFile.error(
          file.path, line,
          "\(name) cannot be found in \(store.path), which is another store than the one that was changed: the line has no "
            + "\(attribute.name) of it", code: "changes.no-key",
          hint: "of a deleted object only attributes with preservation after deletion are known, and only where "
            + "nothing changed them before")
      }
      parts.append(.comparison([attribute.name], .equal, value))
    }
    return .and(parts)
  }
}
