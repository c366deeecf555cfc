import CoreDataLayout
import Foundation
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// The rows that a file of changes writes to a store, each checked against the model and the store.
struct ChangePlan {
  private(set) var request = SaveRequest()
  /// How many objects to be updated have what the file says already.
  private(set) var unchangedCount = 0

  let file: ChangeFile
  let store: SQLiteStore
  private var finder: ChangedObjectFinder
  private var validators: [Int: [AttributeValidator]] = [:]
  private(set) var lines: [ObjectID: Int] = [:]
  private(set) var deleted: Set<ObjectID> = []
  private var silentUpdates: [Snapshot] = []
  /// The to-one relationships that the file sets, whose rows need no later check.
  private(set) var stated: Set<Property> = []

  struct Property: Hashable {
    var object: ObjectID
    var name: String
  }

  /// Makes the plan. The store is asked, and gives out primary keys.
  /// - Throws: `RunError` that names the line and the object, and what the store throws.
  init(_ file: ChangeFile, for store: SQLiteStore) throws {
    self.file = file
    self.store = store
    finder = ChangedObjectFinder(file, in: store)
    // Deletions come first: a new object may have the key of one that goes.
    for record in file.records where record.change == .delete { _ = try target(of: record) }
    var snapshots: [Snapshot] = []
    let others = file.records.lazy.filter { $0.change != .delete }
    for record in others { snapshots.append(try target(of: record)) }
    for (record, snapshot) in zip(others, snapshots) { try plan(record, snapshot) }
    try checkDeletions()
    addSilentUpdates()
  }

  private func error(_ record: ChangeFile.Record, _ what: String, code: String, hint: String? = nil) -> RunError {
    ChangeFile.error(file.path, record.line, "\(record.name) \(what)", code: code, hint: hint)
  }

  // MARK: - Objects

  /// Those that leave room for more objects.
  private static let primaryKeys: ClosedRange<Int64> = 1...1 << 47

  /// The row that a line is about; a new one without values for an insertion.
  private mutating func target(of record: ChangeFile.Record) throws -> Snapshot {
    let entity = try finder.entity(record.object.entity, line: record.line)
    let known = try storedRow(of: record)
    let snapshot: Snapshot
    switch (record.change, known) {
    case (.insert, let known?):
      throw error(
        record, "cannot be inserted: \(store.path) has it already, as \(known.objectID.entity.name)/\(known.key)",
        code: "changes.there", hint: "were the changes applied before?")
    case (.insert, nil):
      if entity.isAbstract { throw error(record, "is of an abstract entity", code: "changes.abstract") }
      if finder.knowsPrimaryKeys, !Self.primaryKeys.contains(record.object.primaryKey) {
        throw error(
          record, "has a primary key that no object can have", code: "changes.primary-key",
          hint: "primary keys lie between 1 and \(Self.primaryKeys.upperBound)")
      }
      let key = finder.knowsPrimaryKeys ? try keep(record.object.primaryKey, entity) : try newKey(entity)
      snapshot = Snapshot(
        objectID: ObjectID(entity: entity, reference: .permanent(store: store.identifier, primaryKey: key)), version: 1,
        attributes: Array(repeating: .null, count: entity.attributes.count),
        toOne: Array(repeating: nil, count: entity.relationships.count))
      finder.insert(snapshot.objectID, for: record.object, entity)
    case (_, let known?):
      guard known.objectID.entity == entity else {
        throw error(record, "is a \(known.objectID.entity.name) in \(store.path)", code: "changes.other-entity")
      }
      snapshot = known
      if record.change == .delete {
        deleted.insert(snapshot.objectID)
        request.deleted.append((objectID: snapshot.objectID, version: snapshot.version))
      }
    case (_, nil):
      throw error(
        record, "cannot be \(record.change == .delete ? "deleted" : "updated"): \(store.path) has no such object",
        code: "changes.not-there",
        hint: record.change == .delete ? "were the changes applied before?" : "were earlier changes left out?")
    }
    if let earlier = lines.updateValue(record.line, forKey: snapshot.objectID) {
      throw error(record, "is changed in line \(earlier), too", code: "changes.twice")
    }
    return snapshot
  }

  /// The row that the store has for a line; nil where there is none.
  private mutating func storedRow(of record: ChangeFile.Record) throws -> Snapshot? {
    if record.change != .insert { return try finder.snapshot(record.object, line: record.line) }
    let row = try finder.row(record.object, line: record.line)
    // An object of another store that goes leaves its key to the new one.
    if !finder.knowsPrimaryKeys, let row, deleted.contains(row.objectID) { return nil }
    return row
  }

  /// Makes sure that the store gives the key to no other object.
  private func keep(_ key: Int64, _ entity: Entity) throws -> Int64 {
    let greatest = try store.primaryKeyRange(of: entity.root)?.upperBound ?? 0
    if key > greatest { _ = try store.reservePrimaryKeys(Int(key - greatest), for: entity.root) }
    return key
  }

  private func newKey(_ entity: Entity) throws -> Int64 { try store.reservePrimaryKeys(1, for: entity.root) }

  // MARK: - Values

  private mutating func plan(_ record: ChangeFile.Record, _ stored: Snapshot) throws {
    var snapshot = stored
    let entity = snapshot.objectID.entity
    let validators = try validators(of: entity)
    for (name, content) in record.values.sorted(by: { $0.key < $1.key }) {
      guard let index = entity.attributes.firstIndex(where: { $0.name == name }), !entity.attributes[index].isTransient
      else {
        throw error(
          record, "has a value for \(name), and \(entity.name) has no such attribute",
          code: "changes.unknown-attribute",
          hint: Suggestion.hint(for: name, among: entity.attributes.map(\.name)))
      }
      let attribute = entity.attributes[index]
      guard let value = ChangeValue.value(content, of: attribute) else {
        throw error(record, "has a value for \(name) that is no \(attribute.type)", code: "changes.value")
      }
      snapshot.attributes[index] = value
    }
    for (index, attribute) in entity.attributes.enumerated()
    where !attribute.isTransient && attribute.derivation == nil
      && (record.change == .insert || record.values[attribute.name] != nil)
    {
      if let violation = validators[index].violations(of: snapshot.attributes[index]).first {
        let name = ([attribute.name] + violation.element).joined(separator: ".")
        throw error(record, "cannot have this \(name): \(violation.message)", code: "changes.invalid")
      }
    }
    let listCount = request.toMany.count
    try planRelationships(record, &snapshot)
    if record.change == .insert {
      request.inserted.append(snapshot)
    } else if record.values.isEmpty, record.relationships.isEmpty {
      silentUpdates.append(snapshot)
    } else if request.toMany.count > listCount || !snapshot.hasContents(of: stored) {
      request.updated.append(snapshot)
    } else {
      unchangedCount += 1
    }
  }

  /// Adds the objects whose lines say nothing of their own, as what changed lies in others, such as members of a
  /// relationship: they are changed with these.
  private mutating func addSilentUpdates() {
    if request.inserted.isEmpty, request.updated.isEmpty, request.deleted.isEmpty {
      unchangedCount += silentUpdates.count
    } else {
      request.updated += silentUpdates
    }
  }

  private mutating func validators(of entity: Entity) throws -> [AttributeValidator] {
    if let known = validators[entity.index] { return known }
    let made = try entity.attributes.map { try AttributeValidator($0) }
    validators[entity.index] = made
    return made
  }

  // MARK: - Relationships

  private mutating func planRelationships(_ record: ChangeFile.Record, _ snapshot: inout Snapshot) throws {
    let entity = snapshot.objectID.entity
    for (name, content) in record.relationships.sorted(by: { $0.key < $1.key }) {
      guard let index = entity.relationships.firstIndex(where: { $0.name == name }) else {
        throw error(
          record, "has destinations of \(name), and \(entity.name) has no such relationship",
          code: "changes.unknown-relationship",
          hint: Suggestion.hint(for: name, among: entity.relationships.map(\.name)))
      }
      let relationship = entity.relationships[index]
      if relationship.isToMany {
        guard let elements = content.array else {
          throw error(record, "has no list of \(name)", code: "changes.value")
        }
        let members = try elements.map { try destination($0, relationship, record) }
        try checkCount(members.count, relationship, record)
        if record.change == .update, try has(snapshot, members, of: relationship) { continue }
        request.toMany.append(
          SaveRequest.ToManyChange(owner: snapshot.objectID, relationshipName: name, members: members))
      } else {
        snapshot.toOne[index] = content == .null ? nil : try destination(content, relationship, record)
        stated.insert(Property(object: snapshot.objectID, name: name))
      }
    }
    for (index, relationship) in entity.relationships.enumerated()
    where !relationship.isToMany && !relationship.definition.isOptional && snapshot.toOne[index] == nil
      && (record.change == .insert || record.relationships[relationship.name] != nil)
    {
      throw error(record, "has no \(relationship.name), which is required", code: "changes.invalid")
    }
  }

  /// Whether the store has these members already, in this order where there is one.
  private func has(_ owner: Snapshot, _ members: [ObjectID], of relationship: Relationship) throws -> Bool {
    let stored = try store.members(of: owner.objectID, relationship: relationship)
    return relationship.isOrdered ? stored == members : stored.count == members.count && Set(stored) == Set(members)
  }

  private func checkCount(_ count: Int, _ relationship: Relationship, _ record: ChangeFile.Record) throws(RunError) {
    let description = relationship.definition
    if description.isOptional && count == 0 { return }
    if count < description.minimumCount || (description.maximumCount > 0 && count > description.maximumCount) {
      throw error(
        record, "would have \(count) \(relationship.name), which is not what the model allows", code: "changes.invalid")
    }
  }

  private mutating func destination(
    _ content: JSONContent, _ relationship: Relationship, _ record: ChangeFile.Record
  ) throws -> ObjectID {
    guard let reference = content.object.flatMap(ChangeFile.reference) else {
      throw error(
        record, "has a \(relationship.name) without \"entity\" and \"primaryKey\"", code: "changes.value")
    }
    let name = "\(reference.entity)/\(reference.primaryKey)"
    guard let id = try finder.objectID(reference, line: record.line) else {
      throw error(
        record, "leads to \(name) by \(relationship.name), and neither \(store.path) nor the file has that",
        code: "changes.no-destination", hint: "were earlier changes left out?")
    }
    if deleted.contains(id) {
      throw error(
        record, "leads to \(name) by \(relationship.name), which the file deletes", code: "changes.no-destination")
    }
    guard id.entity.isKind(of: relationship.destination) else {
      throw error(
        record, "leads to \(name) by \(relationship.name), which is no \(relationship.destination.name)",
        code: "changes.no-destination")
    }
    return id
  }
}

extension Snapshot {
  var key: Int64 { objectID.primaryKey ?? 0 }

  /// Whether another has the same values and destinations.
  fileprivate func hasContents(of other: Snapshot) -> Bool {
    toOne == other.toOne && zip(attributes, other.attributes).allSatisfy { $0.isIdentical(to: $1) }
  }
}
