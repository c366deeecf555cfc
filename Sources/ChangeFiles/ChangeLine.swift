import ObjectModel
import Pipelines

/// The form of a file of changes: NDJSON with a line that says of which store they are, and a line for each object.
///
///     {"changesOf":"6E9A…","token":"6E9A…:17","authors":["prices"],"objects":1}
///     {"change":"update","entity":"Item","primaryKey":2,"key":{"identifier":"b"},"values":{"price":9},
///      "relationships":{"parent":{"entity":"Item","primaryKey":1,"key":{"identifier":"a"}}}}
enum ChangeLine {
  /// The first line of a file of changes.
  struct Head {
    var store: String
    var token: String
    var authors: [String]
    /// How many lines follow; nil where the file does not say so.
    var objectCount: Int?

    var json: JSONValue {
      .object(
        [
          ("changesOf", .string(store)), ("token", .string(token)), ("authors", .strings(authors)),
        ] + (objectCount.map { [("objects", .number("\($0)"))] } ?? []))
    }
  }

  /// An object as files name it: by its primary key, and by the values of a uniqueness constraint where it has one.
  struct Reference {
    var entity: String
    var primaryKey: Int64
    var key: [String: JSONContent]?
  }

  /// The properties of an entity by which other stores know its objects: those of the first uniqueness constraint that
  /// consists of attributes alone; nil where there is none.
  static func key(of entity: Entity) -> [AttributeDefinition]? {
    var declaring: Entity? = entity
    while let current = declaring {
      for constraint in current.definition.uniquenessConstraints {
        let attributes = constraint.compactMap { entity.attribute($0) }
        if attributes.count == constraint.count,
          attributes.allSatisfy({ $0.derivation == nil && !$0.isTransient && $0.composite == nil })
        {
          return attributes
        }
      }
      declaring = current.superentity
    }
    return nil
  }

  /// Whether a list of members has information that no to-one relationship of the members has.
  static func isListed(_ relationship: Relationship) -> Bool {
    guard relationship.isToMany else { return false }
    guard let inverse = relationship.inverse else { return true }
    return relationship.isOrdered || inverse.isToMany
  }
}
