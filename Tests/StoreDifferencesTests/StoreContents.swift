import CoreDataLayout
import Foundation
import ObjectModel
import StoreDifferences
import StoreInterface

/// All objects of a store with their properties as texts, in memory: the slow way to compare two stores.
struct StoreContents {
  struct Differences {
    var inserted: Set<String> = []
    var deleted: Set<String> = []
    /// `name.property` of objects that are in both.
    var updated: Set<String> = []
    /// For `name.property` of a many-to-many relationship, the other sides of the pairs that differ.
    var others: [String: [String]] = [:]
    var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && updated.isEmpty }
    var count: Int { inserted.count + deleted.count + updated.count }

    /// Whether a difference of members, which both sides have, is told at the other sides alone. Those that are gone
    /// or new tell nothing.
    func isToldElsewhere(_ place: String, _ told: Set<String>) -> Bool {
      guard let sides = others[place] else { return false }
      return sides.allSatisfy { side in
        told.contains(side) || inserted.union(deleted).contains { side.hasPrefix($0 + ".") }
      }
    }
  }

  private struct Members {
    var names: [String]
    var isOrdered: Bool
    /// The inverse, where that is to-many, too.
    var inverse: String?
  }

  private var names: [ObjectID: String] = [:]
  private var values: [String: [String: String]] = [:]
  private var members: [String: [String: Members]] = [:]

  init(_ store: SQLiteStore) throws {
    let rows = try store.model.entities.filter { $0.superentity == nil }.flatMap {
      try store.snapshots(FetchSpecification($0))
    }
    for row in rows {
      let entity = row.objectID.entity
      let key = entity.uniquenessConstraints.first ?? []
      let parts = key.map { name in row.attributes[entity.attributes.firstIndex { $0.name == name } ?? 0] }
      names[row.objectID] = Self.name(entity.name, parts, row.objectID.primaryKey ?? 0)
    }
    for row in rows {
      let name = names[row.objectID] ?? ""
      var own: [String: String] = [:]
      for (attribute, value) in zip(row.objectID.entity.attributes, row.attributes) {
        own[attribute.name] = Self.text(value)
      }
      for (relationship, target) in zip(row.objectID.entity.relationships, row.toOne) where !relationship.isToMany {
        own[relationship.name] = target.map { names[$0] ?? "gone" } ?? "none"
      }
      values[name] = own
      for relationship in row.objectID.entity.relationships where relationship.isToMany {
        let isTold = relationship.inverse?.isToMany != false || relationship.isOrdered
        if !isTold { continue }
        let ids = try store.members(of: row.objectID, relationship: relationship)
        members[name, default: [:]][relationship.name] = Members(
          names: ids.map { names[$0] ?? "gone" }, isOrdered: relationship.isOrdered,
          inverse: relationship.inverse.flatMap { $0.isToMany ? $0.name : nil })
      }
    }
  }

  static func name(_ key: ObjectKey) -> String { name(key.entity, key.values.map(\.value), key.primaryKey) }

  private static func name(_ entity: String, _ values: [Value], _ primaryKey: Int64) -> String {
    let isKnown = !values.isEmpty && !values.contains(.null)
    return "\(entity) " + (isKnown ? "\(values.map(text))" : "/\(primaryKey)")
  }

  /// Texts code point by code point, both zeros as one.
  private static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): "\(Array(text.unicodeScalars))"
    case .data(let data): "data " + data.base64EncodedString()
    case .double(let number): "\(number + 0)"
    case .composite(let elements):
      elements.map { ($0.key, text($0.value)) }.filter { !$0.1.isEmpty }.map { "\($0)=\($1)" }.sorted()
        .joined(separator: ";")
    case .null: ""
    default: "\(value)"
    }
  }

  func differences(to other: StoreContents) -> Differences {
    var result = Differences()
    result.deleted = Set(values.keys).subtracting(other.values.keys)
    result.inserted = Set(other.values.keys).subtracting(values.keys)
    for (name, own) in values {
      guard let theirs = other.values[name] else { continue }
      for (property, value) in own where theirs[property] != value { result.updated.insert("\(name).\(property)") }
      for (property, list) in members[name] ?? [:] {
        let names = other.members[name]?[property]?.names ?? []
        let isSame = list.isOrdered ? list.names == names : list.names.sorted() == names.sorted()
        if isSame { continue }
        let place = "\(name).\(property)"
        result.updated.insert(place)
        if !list.isOrdered, let inverse = list.inverse {
          result.others[place] = Set(list.names).symmetricDifference(names).map { "\($0).\(inverse)" }
        }
      }
    }
    return result
  }
}
