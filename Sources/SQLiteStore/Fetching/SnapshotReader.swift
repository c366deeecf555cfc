import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Makes snapshots of the rows of one entity and its sub-entities.
final class SnapshotReader {
  /// How one concrete entity's properties lie in the selected columns.
  private struct Plan {
    var attributes: [(description: AttributeDescription, column: Int32?)]
    var toOne: [(relationship: Relationship, key: Int32, entity: Int32?)?]
  }

  /// What to select, from a table called `t0`.
  let columns: String
  private let store: SQLiteStore
  private var plans: [Int64: Plan] = [:]

  init(_ store: SQLiteStore, entity: Entity) {
    self.store = store
    let layout = store.layout
    var position: [String: Int32] = [:]
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    for number in layout.numbers(ofKind: entity) {
      guard let kind = layout.entity(number: number) else { continue }
      func place(_ name: String) -> Int32 {
        if let known = position[name] { return known }
        let index = Int32(names.count)
        names.append(name)
        position[name] = index
        return index
      }
      plans[Int64(number)] = Plan(
        attributes: kind.attributes.map { attribute in
          (attribute, attribute.isTransient ? nil : layout.column(for: attribute.name, of: kind).map { place($0.name) })
        },
        toOne: kind.relationships.map { relationship in
          guard !relationship.isToMany, let key = layout.foreignKeyColumn(of: relationship) else { return nil }
          return (relationship, place(key.name), layout.entityColumn(of: relationship).map { place($0.name) })
        })
    }
    columns = names.map { "t0.\($0)" }.joined(separator: ", ")
  }

  /// The snapshot of the statement's current row.
  func snapshot(_ statement: Statement) throws -> Snapshot {
    let number = statement.int64(at: 1)
    guard let plan = plans[number] else {
      throw StoreError.notAStore(path: store.path, message: "a row has the unexpected entity number \(number)")
    }
    let attributes = try plan.attributes.map { attribute, column in
      guard let column else { return Value.null }
      return try ValueCoding.read(attribute, from: statement, at: column, externalData: store.externalData)
    }
    let toOne = try plan.toOne.map { place -> ObjectID? in
      guard let place, !statement.isNull(at: place.key) else { return nil }
      var entity = place.relationship.destination
      if let column = place.entity, !statement.isNull(at: column) {
        entity = try store.entity(numbered: statement.int64(at: column))
      }
      return store.objectID(entity, statement.int64(at: place.key))
    }
    return Snapshot(
      objectID: store.objectID(try store.entity(numbered: number), statement.int64(at: 0)),
      version: statement.isNull(at: 2) ? 1 : statement.int64(at: 2), attributes: attributes, toOne: toOne)
  }
}
