import CoreDataLayout
import ObjectModel

/// An entity that both models have, and what is compared of its own objects.
struct ComparedEntity {
  /// A property at its place in the snapshots of both stores.
  struct Attribute {
    var name: String
    var left: Int
    var right: Int
  }

  /// A relationship at its place in both models.
  struct Reference {
    var name: String
    var left: Relationship
    var right: Relationship
    /// Places in the snapshots.
    var leftIndex: Int
    var rightIndex: Int
  }

  /// The number that stands for it in lists of matched rows.
  let number: Int
  let left: Entity
  let right: Entity
  /// Whether its differences are told, or only needed for relationships that lead to it.
  let isReported: Bool
  /// Attributes; empty: the primary key.
  let key: [String]
  /// Whether the caller chose the key; no constraint guarantees then that it is unique.
  let isKeyGiven: Bool
  let attributes: [Attribute]
  let toOne: [Reference]
  /// To-many relationships that no to-one column states already.
  let toMany: [Reference]

  var name: String { left.name }
}

/// A store's layout, with what is asked of it here.
struct ComparedLayout {
  let layout: StoreLayout
  /// The schema that the database is attached as.
  let schema: String

  /// The table of an entity's rows, with the schema.
  func table(_ entity: Entity) -> String { "\(schema).\(layout.table(for: entity).name)" }

  func number(_ entity: Entity) -> Int { layout.number(of: entity) }

  /// The columns of an attribute, by the path of their leaf.
  func columns(_ attribute: String, of entity: Entity) -> [(path: [String], name: String)] {
    guard let description = entity.attributesByName[attribute] else { return [] }
    return layout.columns(for: description, of: entity).map { column in
      if case .attribute(let path, _) = column.role { (path, column.name) } else { ([], column.name) }
    }
  }

  /// The columns of an attribute with the types of their values.
  func leaves(_ attribute: String, of entity: Entity) -> [(path: String, name: String, type: AttributeType)] {
    guard let description = entity.attributesByName[attribute] else { return [] }
    return layout.columns(for: description, of: entity).compactMap { column in
      guard case .attribute(let path, let leaf) = column.role else { return nil }
      return (path.joined(separator: "."), column.name, leaf.type)
    }
  }

  func column(_ relationship: Relationship) -> String? { layout.foreignKeyColumn(of: relationship)?.name }
}
