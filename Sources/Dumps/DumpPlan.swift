import CoreDataLayout
import ObjectModel
import StoreInterface

/// The contents of a dump: the concrete entities in the order in which they are restored, each with its properties.
struct DumpPlan {
  /// What one entity's file holds.
  struct Part {
    var entity: Entity
    var fileName: String
    /// Attributes; composites taken apart. Derived ones that the store computes are left out.
    var leaves: [StoredAttribute]
    /// To-one relationships that the objects' own rows keep.
    var toOne: [Relationship]
    /// To-many relationships whose members are listed here, because the other end does not have them or their order.
    var lists: [Relationship]

    /// The columns to scan: attributes, then foreign keys.
    var columns: [RowBatch.Column] {
      leaves.map { RowBatch.Column(.attribute($0.path), $0.attribute.type.rowBatchStorage) }
        + toOne.map { RowBatch.Column(.toOne($0.name), .integer) }
    }
  }

  let parts: [Part]
  /// The field of the record key: `_id`, with more underscores where an entity has such a property.
  let keyField: String

  init(_ store: SQLiteStore, compresses: Bool) {
    let model = store.model
    var keyField = "_id"
    while model.entities.contains(where: { $0.attribute(keyField) != nil || $0.relationship(keyField) != nil }) {
      keyField = "_" + keyField
    }
    self.keyField = keyField
    let entities = Self.inRestoringOrder(model.entities.filter { !$0.isAbstract })
    let position = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.index, $0) })
    var names: Set<String> = [LeftOutFile.baseName]
    parts = entities.map { entity in
      var name = entity.name
      // Some file systems ignore case.
      while !names.insert(name.lowercased()).inserted { name += "-" }
      return Part(
        entity: entity, fileName: name + ".ndjson" + (compresses ? ".gz" : ""),
        leaves: entity.storedLeaves.filter { !store.layout.computes($0.names[0], of: entity) },
        toOne: entity.relationships.filter { Self.isKeptInRow($0) && Self.mayLead($0, position) },
        lists: entity.relationships.filter { Self.isListed($0, position) && Self.mayLead($0, position) })
    }
  }

  /// The key of an object's record. Sub-entities share the numbering of their root, so its name is enough.
  static func key(_ entity: Entity, _ primaryKey: Int64) -> String { "\(entity.root.name)/p\(primaryKey)" }

  /// A to-one relationship, unless its inverse is an ordered list, which has the same information and the order.
  private static func isKeptInRow(_ relationship: Relationship) -> Bool {
    !relationship.isToMany && !relationship.definition.isTransient && relationship.inverse?.isOrdered != true
  }

  /// Whether the destination has objects at all: an abstract entity alone has none.
  private static func mayLead(_ relationship: Relationship, _ position: [Int: Int]) -> Bool {
    lastPlace(relationship.destination, position) >= 0
  }

  private static func isListed(_ relationship: Relationship, _ position: [Int: Int]) -> Bool {
    guard relationship.isToMany, !relationship.definition.isTransient else { return false }
    guard let inverse = relationship.inverse, !relationship.isOrdered else { return true }
    // The members' own rows have the membership, or an ordered list at the other end.
    if !inverse.isToMany || inverse.isOrdered { return false }
    // Of two equal sides the one that is restored later: its members are there already.
    let side = (lastPlace(relationship.declaringEntity, position), relationship.name)
    let other = (lastPlace(inverse.declaringEntity, position), inverse.name)
    return side >= other
  }

  /// The place of the last file with objects of the entity; -1 when there is none.
  private static func lastPlace(_ entity: Entity, _ position: [Int: Int]) -> Int {
    max(position[entity.index] ?? -1, entity.subentities.map { lastPlace($0, position) }.max() ?? -1)
  }

  /// Destinations before those that refer to them, as far as there are no circles; else by name.
  private static func inRestoringOrder(_ entities: [Entity]) -> [Entity] {
    var order: [Entity] = []
    var met: Set<Int> = []
    // An explicit stack: a model may have chains of any length.
    for start in entities where met.insert(start.index).inserted {
      var stack = [(entity: start, next: destinations(of: start, among: entities)[...])]
      while let top = stack.last {
        if let destination = top.next.first {
          stack[stack.count - 1].next.removeFirst()
          if met.insert(destination.index).inserted {
            stack.append((destination, destinations(of: destination, among: entities)[...]))
          }
        } else {
          order.append(top.entity)
          stack.removeLast()
        }
      }
    }
    return order
  }

  private static func destinations(of entity: Entity, among entities: [Entity]) -> [Entity] {
    let wanted = entity.relationships.filter { isKeptInRow($0) }.map(\.destination)
    return entities.filter { candidate in wanted.contains { candidate.isKind(of: $0) } }
  }
}
