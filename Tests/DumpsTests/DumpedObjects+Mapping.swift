import ObjectModel
import TestMigrations

extension DumpedObjects {
  /// What plain rules make of the records for a newer model: properties by name or renaming identifier, links with
  /// their inverses.
  struct Mapping {
    let older: ManagedObjectModel
    let newer: ManagedObjectModel
    /// What is added to the primary keys of an older entity's objects.
    let offsets: [String: Int64]
    /// New names of older entities that stay.
    let newNames: [String: String]

    init(from older: ManagedObjectModel, to newer: ManagedObjectModel, offsets: [String: Int64]) {
      (self.older, self.newer, self.offsets) = (older, newer, offsets)
      newNames = RenamingRules.newNames(from: older, to: newer)
    }

    /// The key of an older object in the new store; nil where it goes.
    func moved(_ number: Int64, of entity: String) -> Key? {
      newNames[entity].flatMap { newer[$0] }.map { new in
        Key(root: new.root.name, number: number + (offsets[entity] ?? 0))
      }
    }
  }

  /// The records of the new model, and whether an object that may have one owner has several.
  func mapped(_ rules: Mapping) -> (objects: DumpedObjects, hasSeveralOwners: Bool) {
    var result = DumpedObjects()
    var told: Set<String> = []
    /// Relationships that have an order, and had none.
    var unordered: Set<String> = []
    for (key, record) in records {
      guard let target = rules.moved(key.number, of: record.entity), let name = rules.newNames[record.entity],
        let entity = rules.newer[name], let old = rules.older[record.entity]
      else { continue }
      var new = Record(entity: name)
      for attribute in entity.attributes where !attribute.isTransient && attribute.derivation == nil {
        var value = Self.text(attribute.defaultValue)
        if let source = RenamingRules.source(of: attribute, entity, old) {
          value = record.values[source] ?? .null
          // What was mandatory and has no value is not mended.
          if value == .null, !attribute.isOptional, old.attribute(source)?.isOptional == true {
            value = Self.text(attribute.defaultValue)
          }
        }
        new.values[attribute.name] = value
      }
      for relationship in entity.relationships {
        let source = RenamingRules.source(of: relationship, entity, old)
        if source.flatMap({ old.relationship($0) })?.isOrdered != true {
          unordered.insert("\(name).\(relationship.name)")
        }
        guard let source else { continue }
        told.insert("\(name).\(relationship.name)")
        new.links[relationship.name] = (record.links[source] ?? []).compactMap { member in
          guard let other = records[member]?.entity, let kind = rules.newNames[other].flatMap({ rules.newer[$0] }),
            kind.isKind(of: relationship.destination)
          else { return nil }
          return rules.moved(member.number, of: other)
        }
      }
      result.records[target] = new
    }
    result.complete(rules.newer) { told.contains("\($0.name).\($1.name)") }
    for (key, record) in result.records {
      for name in record.links.keys where unordered.contains("\(record.entity).\(name)") {
        result.records[key]?.links[name]?.sort()
      }
    }
    return (result, result.hasSeveralOwners(rules.newer))
  }

  private func hasSeveralOwners(_ model: ManagedObjectModel) -> Bool {
    var owners: [String: Set<Key>] = [:]
    for (key, record) in records {
      for relationship in model[record.entity]?.relationships ?? [] {
        let keys = record.links[relationship.name] ?? []
        if !relationship.isToMany, Set(keys).count > 1 { return true }
        // Without an inverse it is a column of its members: each has one owner.
        guard relationship.isToMany, relationship.inverse == nil else { continue }
        let name = "\(relationship.declaringEntity.name).\(relationship.name)"
        for member in keys where owners["\(name) \(member)", default: []].insert(key).inserted {
          if owners["\(name) \(member)"]?.count ?? 0 > 1 { return true }
        }
      }
    }
    return false
  }

  private static func text(_ value: Value) -> DumpedText {
    switch value {
    case .string(let text): .scalar("\"\(text)\"")
    case .integer(let number): .scalar("\(number)")
    case .double(let number): .scalar("\(number)")
    case .boolean(let flag): .scalar("\(flag)")
    default: .null
    }
  }
}
