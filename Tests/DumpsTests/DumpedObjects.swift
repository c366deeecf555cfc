import Foundation
import ObjectModel
import Testing

@testable import Dumps

/// The records of a dump, with both sides of every relationship.
struct DumpedObjects {
  struct Key: Hashable, Comparable {
    var root: String
    var number: Int64
    static func < (left: Key, right: Key) -> Bool { (left.root, left.number) < (right.root, right.number) }

    /// Of a record key such as `Note/p7`.
    init?(_ text: String) {
      let parts = text.split(separator: "/")
      guard parts.count == 2, parts[1].hasPrefix("p"), let number = Int64(parts[1].dropFirst()) else { return nil }
      (root, self.number) = (String(parts[0]), number)
    }

    init(root: String, number: Int64) { (self.root, self.number) = (root, number) }

    var text: DumpedText { .scalar("\"\(root)/p\(number)\"") }
  }

  struct Record {
    var entity: String
    var values: [String: DumpedText] = [:]
    var links: [String: [Key]] = [:]
  }

  var records: [Key: Record] = [:]

  init() {}

  /// Reads a dump's folder.
  init(folder: String, _ plan: DumpPlan, _ model: ManagedObjectModel) throws {
    for part in plan.parts {
      let text = try String(contentsOfFile: folder + "/" + part.fileName, encoding: .utf8)
      for line in text.split(separator: "\n") {
        let fields = try #require(DumpedText(line), "\(part.fileName): \(line)")
        let key = try #require(fields[plan.keyField]?.string.flatMap { Key($0) }, "\(part.fileName): \(line)")
        var record = Record(entity: part.entity.name)
        for leaf in part.leaves { record.values[leaf.names[0]] = fields[leaf.names[0]] }
        for relationship in part.toOne + part.lists {
          let field = fields[relationship.name] ?? .null
          let keys = relationship.isToMany ? field.elements : field == .null ? [] : [field]
          record.links[relationship.name] = try keys.map { try #require($0.string.flatMap { Key($0) }) }
        }
        records[key] = record
      }
    }
    complete(model) { entity, relationship in
      plan.parts.first { $0.entity == entity }.map { part in
        (part.toOne + part.lists).contains { $0.name == relationship.name }
      } ?? true
    }
  }

  /// Sides of relationships that are not told follow their inverse.
  mutating func complete(_ model: ManagedObjectModel, isTold: (Entity, Relationship) -> Bool) {
    for (key, record) in records.sorted(by: { $0.key < $1.key }) {
      guard let entity = model[record.entity] else { continue }
      for relationship in entity.relationships where isTold(entity, relationship) {
        guard let inverse = relationship.inverse else { continue }
        for member in record.links[relationship.name] ?? [] {
          guard let target = records[member].flatMap({ model[$0.entity] }), !isTold(target, inverse),
            records[member]?.links[inverse.name]?.contains(key) != true
          else { continue }
          records[member]?.links[inverse.name, default: []].append(key)
        }
      }
    }
  }

  /// Writes the records in the place of those of a dump of the new model.
  func write(to folder: String, _ plan: DumpPlan) throws {
    for part in plan.parts {
      var text = ""
      for (key, record) in records.filter({ $0.value.entity == part.entity.name }).sorted(by: { $0.key < $1.key }) {
        var members = [DumpedText.Member(name: plan.keyField, value: key.text)]
        var met: Set<String> = []
        for leaf in part.leaves where met.insert(leaf.names[0]).inserted {
          members.append(.init(name: leaf.names[0], value: record.values[leaf.names[0]] ?? .null))
        }
        for relationship in part.toOne + part.lists {
          let keys = (record.links[relationship.name] ?? []).map(\.text)
          members.append(
            .init(name: relationship.name, value: relationship.isToMany ? .list(keys) : keys.first ?? .null))
        }
        text += DumpedText.record(members).text + "\n"
      }
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + part.fileName))
    }
  }
}
