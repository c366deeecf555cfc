import CoreDataLayout
public import Exports
import Foundation
import ObjectModel
public import Pipelines
import Predicates
public import StoreInterface

extension StoreHistory {
  /// Writes the changes of all objects since a place, with the values that these objects have now, so that
  /// `ChangeApplication` can apply them to another store. An object that was inserted and deleted is left out.
  ///
  /// Memory grows with the number of changed objects.
  /// - Parameters:
  ///   - start: where to begin; nil: with the first transaction that is there.
  ///   - line: is given the lines, without their ends.
  /// - Returns: the number of objects, and the place behind the last transaction.
  /// - Throws: `RunError` for a store that keeps no history, and a start that is not there.
  public func writeChanges(
    since start: HistoryStart?, _ line: (String) -> Void
  ) throws(RunError) -> (objects: Int, token: PersistentHistoryToken) {
    try opened { store in
      var changes = NetChanges()
      var otherKeys = ObjectsWithOtherKeys()
      var authors: Set<String> = []
      let token = try read(store, from: start, Filter(), limit: nil) { transaction in
        changes.add(transaction)
        otherKeys.add(transaction)
        if let author = transaction.author { authors.insert(author) }
      }
      let all = changes.all
      let head = ChangeLine.Head(
        store: store.identifier, token: token.description, authors: authors.sorted(), objectCount: all.count)
      line(head.json.text(isIndented: false))
      var writer = ChangeWriter(store, otherKeys.objects)
      for start in stride(from: 0, to: all.count, by: ChangeWriter.objectsPerPart) {
        let part = Array(all[start..<min(start + ChangeWriter.objectsPerPart, all.count)])
        for object in try writer.lines(part) { line(object.text(isIndented: false)) }
      }
      return (all.count, token)
    }
  }
}

/// The objects whose keys are others than at the place where the changes begin, or may be.
private struct ObjectsWithOtherKeys {
  /// The objects so far.
  private(set) var objects: Set<ObjectID> = []
  private var deleted: Set<ObjectID> = []
  /// The names of the key's attributes by the entity's index.
  private var names: [Int: Set<String>] = [:]

  /// Adds the changes of a transaction.
  mutating func add(_ transaction: PersistentHistoryTransaction) {
    for change in transaction.changes ?? [] {
      let id = change.changedObjectID
      switch change.changeType {
      case .delete: deleted.insert(id)
      // The store gave the primary key out again.
      case .insert: if deleted.contains(id) { objects.insert(id) }
      case .update:
        if !keyNames(of: id.entity).isDisjoint(with: change.updatedPropertyNames ?? []) { objects.insert(id) }
      }
    }
  }

  private mutating func keyNames(of entity: Entity) -> Set<String> {
    if let known = names[entity.index] { return known }
    let made = Set((ChangeLine.key(of: entity) ?? []).map(\.name))
    names[entity.index] = made
    return made
  }
}

/// Makes the lines of changed objects, a part of them at a time.
private struct ChangeWriter {
  static let objectsPerPart = 512

  private let store: SQLiteStore
  private let computed: Set<String>
  /// The objects of which a deletion does not tell the key that other stores know them by.
  private let otherKeys: Set<ObjectID>
  /// The rows of the part and of its destinations.
  private var rows: [ObjectID: Snapshot] = [:]

  init(_ store: SQLiteStore, _ otherKeys: Set<ObjectID>) {
    self.store = store
    self.otherKeys = otherKeys
    computed = Set(
      store.layout.derivedAttributes.filter { $0.obstacle == nil }.map { "\($0.entity.root.name).\($0.name)" })
  }

  mutating func lines(_ changes: [PersistentHistoryChange]) throws -> [JSONValue] {
    rows = [:]
    try fetch(changes.filter { $0.changeType != .delete }.map(\.changedObjectID))
    var lists: [[(relationship: Relationship, members: [ObjectID])]] = []
    for change in changes {
      lists.append(try members(change))
    }
    let destinations = Set(lists.joined().flatMap(\.members) + rows.values.flatMap { $0.toOne.compactMap(\.self) })
    try fetch(destinations.filter { rows[$0] == nil && ChangeLine.key(of: $0.entity) != nil })
    return try zip(changes, lists).map { try line($0, $1) }
  }

  private mutating func fetch(_ ids: [ObjectID]) throws {
    for (root, ids) in Dictionary(grouping: ids, by: \.entity.root) {
      var request = FetchSpecification(root)
      request.predicate = .selfIsIn(ids)
      for snapshot in try store.snapshots(request) { rows[snapshot.objectID] = snapshot }
    }
  }

  /// The members of the lists that have to be written.
  private func members(
    _ change: PersistentHistoryChange
  ) throws -> [(relationship: Relationship, members: [ObjectID])] {
    if change.changeType == .delete { return [] }
    return try change.changedObjectID.entity.relationships
      .filter { ChangeLine.isListed($0) && isTold($0.name, $0.definition.isTransient, change) }
      .map { ($0, try store.members(of: change.changedObjectID, relationship: $0)) }
  }

  /// Whether a line has a property: all properties of a new object, the changed ones of another.
  private func isTold(_ name: String, _ isTransient: Bool, _ change: PersistentHistoryChange) -> Bool {
    if isTransient { return false }
    guard change.changeType == .update else { return true }
    return (change.updatedPropertyNames ?? []).contains { $0 == name || $0.hasPrefix(name + ".") }
  }

  private func line(
    _ change: PersistentHistoryChange, _ lists: [(relationship: Relationship, members: [ObjectID])]
  ) throws -> JSONValue {
    let id = change.changedObjectID
    var line: [(String, JSONValue)] = [("change", .string("\(change.changeType)"))]
    if change.changeType == .delete {
      let attributes = otherKeys.contains(id) ? nil : ChangeLine.key(of: id.entity)
      return .object(line + reference(id, key: attributes.flatMap { key(in: change.tombstoneValues, $0) }))
    }
    guard let row = rows[id] else {
      throw RunError(
        .badData, code: "history.no-row",
        "\(store.path): \(id.entity.name)/\(id.primaryKey ?? 0) is changed in transaction \(change.transactionNumber) of the "
          + "history, and has no row", hint: "something deleted it without a history: begin behind that")
    }
    line += reference(id, key: key(of: id))
    var values: [(String, JSONValue)] = []
    for (attribute, value) in zip(id.entity.attributes, row.attributes)
    where isTold(attribute.name, attribute.isTransient, change)
      && !computed.contains("\(id.entity.root.name).\(attribute.name)")
    {
      values.append((attribute.name, value.json))
    }
    if !values.isEmpty { line.append(("values", .object(values))) }
    var relationships: [(String, JSONValue)] = []
    for (relationship, destination) in zip(id.entity.relationships, row.toOne)
    where !relationship.isToMany && isTold(relationship.name, relationship.definition.isTransient, change) {
      relationships.append((relationship.name, destination.map(json) ?? .null))
    }
    for (relationship, members) in lists { relationships.append((relationship.name, .array(members.map(json)))) }
    if !relationships.isEmpty { line.append(("relationships", .object(relationships))) }
    return .object(line)
  }

  private func json(_ id: ObjectID) -> JSONValue { .object(reference(id, key: key(of: id))) }

  private func reference(_ id: ObjectID, key: JSONValue?) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [
      ("entity", .string(id.entity.name)), ("primaryKey", .number("\(id.primaryKey ?? 0)")),
    ]
    if let key { members.append(("key", key)) }
    return members
  }

  /// The values by which other stores know an object; nil where there is no such constraint, or one of them is null.
  private func key(of id: ObjectID) -> JSONValue? {
    guard let row = rows[id], let attributes = ChangeLine.key(of: id.entity) else { return nil }
    let values = Dictionary(
      zip(id.entity.attributes.map(\.name), row.attributes), uniquingKeysWith: { first, _ in first })
    return key(in: values, attributes)
  }

  private func key(in values: [String: Value]?, _ attributes: [AttributeDefinition]) -> JSONValue? {
    let found = attributes.map { ($0.name, values?[$0.name] ?? .null) }
    if found.contains(where: { $0.1 == .null }) { return nil }
    return .object(found.map { ($0.0, $0.1.json) })
  }
}
