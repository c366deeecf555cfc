import CoreDataLayout
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import Testing

extension RandomStores {
  /// Whether both stores have the same rows, versions and members; tells the first that are not.
  func haveSameRows(_ text: String) throws -> Bool {
    for entity in model.entities {
      let found = try sqlite.snapshots(FetchSpecification(entity))
      let expected = try memory.snapshots(FetchSpecification(entity))
      if found.map({ Plain($0) }) != expected.map({ Plain($0) }) {
        let (wanted, other) = (expected.map { Plain($0).description }, found.map { Plain($0).description })
        let (more, missing) = (other.filter { !wanted.contains($0) }, wanted.filter { !other.contains($0) })
        Issue.record("\(text): rows of \(entity.name): only in SQLite \(more), only in memory \(missing)")
        return false
      }
      for (left, right) in zip(found, expected) {
        for relationship in left.objectID.entity.relationships where relationship.isToMany {
          let members = try sqlite.members(of: left.objectID, relationship: relationship).map { Plain.text($0) }
          let wanted = try memory.members(of: right.objectID, relationship: relationship).map { Plain.text($0) }
          if members != wanted {
            Issue.record("\(text): \(Plain.text(left.objectID)).\(relationship.name): \(members), not \(wanted)")
            return false
          }
        }
      }
    }
    return true
  }
}

/// A row without its store's identifier.
struct Plain: Equatable, CustomStringConvertible {
  let description: String

  init(_ row: Snapshot) {
    description =
      "\(Self.text(row.objectID)) v\(row.version) \(row.attributes.map(Self.plain)) \(row.toOne.map { $0.map(Self.text) ?? "-" })"
  }

  /// Elements of composites have no order.
  private static func plain(_ value: Value) -> String {
    guard case .composite(let elements) = value else { return "\(value)" }
    return "{" + elements.map { "\($0.key): \(plain($0.value))" }.sorted().joined(separator: ", ") + "}"
  }

  static func text(_ id: ObjectID) -> String { "\(id.entity.name) \(id.primaryKey ?? 0)" }

  /// Sums of reals may differ in the last bits.
  static func text(_ value: ExpressionValue) -> String {
    switch value {
    case .object(let id): text(id)
    case .value(.double(let number)): "double \(Float(number))"
    default: "\(value)"
    }
  }
}
