import CoreDataLayout
import Foundation
import ObjectModel
import StoreInterface
import TestMigrations

/// What a store holds, as plain values: the slow twin of a migration works on it.
struct ObjectContents {
  struct Key: Hashable, Comparable, CustomStringConvertible {
    var entity: String
    var number: Int64
    static func < (left: Key, right: Key) -> Bool { (left.entity, left.number) < (right.entity, right.number) }
    var description: String { "\(entity) \(number)" }
  }

  struct Object {
    var version: Int64
    var attributes: [String: Value] = [:]
    var links: [String: [Key]] = [:]
  }

  var objects: [Key: Object] = [:]

  init() {}

  /// Reads every object through the ordinary reader.
  init(path: String, model: ManagedObjectModel) throws {
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try SQLiteStore.open(path: path, model: model, options: options)
    func key(_ id: ObjectID) -> Key { Key(entity: id.entity.name, number: id.primaryKey ?? 0) }
    for entity in model.entities where !entity.isAbstract {
      for row in try store.snapshots(FetchSpecification(entity)) where row.objectID.entity == entity {
        var object = Object(version: row.version)
        for (attribute, value) in zip(entity.attributes, row.attributes)
        where !attribute.isTransient && attribute.derivation == nil {
          object.attributes[attribute.name] = value
        }
        for (relationship, target) in zip(entity.relationships, row.toOne) where !relationship.definition.isTransient {
          object.links[relationship.name] =
            relationship.isToMany
            ? try store.members(of: row.objectID, relationship: relationship).map(key) : target.map { [key($0)] } ?? []
        }
        objects[key(row.objectID)] = object
      }
    }
    try store.close()
  }

  /// The contents by dictionary rules: properties by name or renaming identifier, links with their inverses.
  /// - Parameter offsets: what is added to the keys of an older entity's objects.
  /// - Returns: the contents, and whether an object that may have one owner has several.
  func mapped(
    from older: ManagedObjectModel, to newer: ManagedObjectModel, offsets: [String: Int64]
  ) -> (contents: ObjectContents, hasSeveralOwners: Bool) {
    var result = ObjectContents()
    let newName = RenamingRules.newNames(from: older, to: newer)
    func moved(_ key: Key) -> Key? {
      newName[key.entity].map { Key(entity: $0, number: key.number + (offsets[key.entity] ?? 0)) }
    }
    var sourced: Set<String> = []
    for (key, object) in objects {
      guard let target = moved(key), let entity = newer[target.entity], let old = older[key.entity] else { continue }
      var new = Object(version: object.version)
      for attribute in entity.attributes where !attribute.isTransient && attribute.derivation == nil {
        let source = RenamingRules.source(of: attribute, entity, old)
        var value = source.flatMap { object.attributes[$0] } ?? attribute.defaultValue
        if value == .null, !attribute.isOptional { value = attribute.defaultValue }
        new.attributes[attribute.name] = value
      }
      for relationship in entity.relationships {
        guard let source = RenamingRules.source(of: relationship, entity, old) else {
          new.links[relationship.name] = []
          continue
        }
        sourced.insert("\(entity.name).\(relationship.name)")
        new.links[relationship.name] = (object.links[source] ?? []).compactMap(moved).filter { member in
          newer[member.entity]?.isKind(of: relationship.destination) == true
        }
      }
      result.objects[target] = new
    }
    return result.completed(newer, sourced)
  }

  /// Sides that had no predecessor follow their inverse.
  private func completed(_ model: ManagedObjectModel, _ sourced: Set<String>) -> (ObjectContents, Bool) {
    var result = self
    var hasSeveralOwners = false
    for (key, object) in objects.sorted(by: { $0.key < $1.key }) {
      guard let entity = model[key.entity] else { continue }
      for relationship in entity.relationships where sourced.contains("\(entity.name).\(relationship.name)") {
        for member in object.links[relationship.name] ?? [] {
          guard let inverse = relationship.inverse else {
            continue
          }
          guard let target = model[member.entity], !sourced.contains("\(target.name).\(inverse.name)") else { continue }
          if result.objects[member]?.links[inverse.name]?.contains(key) == true { continue }
          result.objects[member]?.links[inverse.name, default: []].append(key)
          if !inverse.isToMany, result.objects[member]?.links[inverse.name]?.count ?? 0 > 1 { hasSeveralOwners = true }
        }
      }
    }
    // A to-many relationship without inverse is a column of its members: each has one owner.
    var owners: [String: Set<Key>] = [:]
    for (key, object) in objects {
      for relationship in model[key.entity]?.relationships ?? []
      where relationship.isToMany && relationship.inverse == nil {
        for member in Set(object.links[relationship.name] ?? []) {
          let name = "\(relationship.declaringEntity.name).\(relationship.name) \(member)"
          if owners[name, default: []].insert(key).inserted, owners[name]?.count ?? 0 > 1 { hasSeveralOwners = true }
        }
      }
    }
    return (result, hasSeveralOwners)
  }

  /// How many values are there more than once under each uniqueness constraint, by its entity and properties, such as
  /// `Item: code, size`; objects that lack one of them are never the same.
  func duplicates(_ model: ManagedObjectModel) -> [String: Int] {
    var result: [String: Int] = [:]
    for entity in model.entities {
      for names in entity.definition.uniquenessConstraints {
        // Texts are the same where their bytes are.
        var counts: [[[UInt8]]: Int] = [:]
        for (key, object) in objects where model[key.entity]?.isKind(of: entity) == true {
          let values = names.map { object.attributes[$0] ?? .null }
          if !values.contains(.null) { counts[values.map { Array("\($0)".utf8) }, default: 0] += 1 }
        }
        let count = counts.values.count { $0 > 1 }
        if count > 0 { result["\(entity.name): \(names.joined(separator: ", "))"] = count }
      }
    }
    return result
  }

  /// Where two contents differ first; nil when they do not.
  /// - Parameter keepsOrder: whether the order of a relationship's objects is known.
  func difference(
    from expected: ObjectContents, _ model: ManagedObjectModel, keepsOrder: (Relationship) -> Bool
  ) -> String? {
    let keys = Set(objects.keys), wanted = Set(expected.objects.keys)
    if keys != wanted {
      return
        "objects \(keys.subtracting(wanted).sorted().prefix(3)) are too many, \(wanted.subtracting(keys).sorted().prefix(3)) missing"
    }
    for key in keys.sorted() {
      guard let found = objects[key], let object = expected.objects[key], let entity = model[key.entity] else {
        continue
      }
      if found.version != object.version { return "\(key): version \(found.version), not \(object.version)" }
      for (name, value) in object.attributes where found.attributes[name] != value {
        return "\(key).\(name): \(String(describing: found.attributes[name])), not \(value)"
      }
      for relationship in entity.relationships {
        let (has, wants) = (found.links[relationship.name] ?? [], object.links[relationship.name] ?? [])
        let isEqual = keepsOrder(relationship) ? has == wants : has.sorted() == wants.sorted()
        if !isEqual { return "\(key).\(relationship.name): \(has), not \(wants)" }
      }
    }
    return nil
  }
}
