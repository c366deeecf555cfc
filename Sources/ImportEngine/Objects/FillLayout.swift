import ObjectModel
import Pipelines
import StoreInterface

/// Where the properties that a node gives lie in the objects of one entity.
final class FillLayout {
  /// The columns of attributes, with the position among the entity's attributes and the path of the element inside a
  /// composite.
  let attributes: [(column: Int, position: Int, element: [String])]
  /// The default values of what the node's entity stores, with the columns that give other ones. Attributes that only
  /// the objects' sub-entity has are left alone.
  let defaults: [(column: Int?, position: Int, element: [String], value: Value)]
  /// The places of relationships, by reference.
  let references: [Place]

  /// A relationship by its position, and the entity that it leads to by `Entity.index`.
  struct Place {
    var position: Int
    var destinationIndex: Int
    var isToMany: Bool
    /// The columns of the foreign key and of its entity; nil where the batch has none.
    var column: Int?
    var entityColumn: Int?
  }

  init(_ node: NodePlan, _ entity: Entity) {
    let names = entity.attributes.map(\.name)
    attributes = node.columns.enumerated().compactMap { column, definition in
      guard case .attribute(let property) = definition.source else { return nil }
      let path = property.split(separator: ".").map(String.init)
      guard let position = path.first.flatMap({ names.firstIndex(of: $0) }) else {
        return nil
      }
      return (column, position, Array(path.dropFirst()))
    }
    let stored = node.entity.attributes.filter { !$0.isTransient && $0.derivation == nil }
    defaults = stored.flatMap { StoredAttribute.leaves(of: $0) }.compactMap { leaf in
      guard let position = leaf.names.first.flatMap({ names.firstIndex(of: $0) }) else { return nil }
      return (
        node.column(.attribute(leaf.path)), position, Array(leaf.names.dropFirst()), leaf.attribute.defaultValue
      )
    }
    let relationships = entity.relationships.map(\.name)
    references = node.references.map { reference in
      Place(
        position: relationships.firstIndex(of: reference.property) ?? 0,
        destinationIndex: reference.relationship.destination.index, isToMany: reference.relationship.isToMany,
        column: reference.column, entityColumn: reference.entityColumn)
    }
  }
}
