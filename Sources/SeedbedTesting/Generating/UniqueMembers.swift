import Seedbed

/// To-one relationships that must lead each object to a different one, because only they make the values of a
/// uniqueness constraint unique.
struct UniqueMembers {
  /// The names of such relationships, by the index of the entity.
  private let names: [Set<String>]

  init(_ model: ManagedObjectModel) {
    names = model.handles.map { entity in
      Set(
        entity.uniquenessConstraints.compactMap { constraint in
          if UniqueAttributes.path(of: constraint, in: entity) != nil { return nil }
          let members = constraint.compactMap { entity.relationship($0) }
          // An optional relationship breaks no constraint where there are too few objects; a one-to-one relationship
          // gives each object another one anyway.
          func rank(_ relationship: Relationship) -> Int {
            if let inverse = relationship.inverse, !inverse.isToMany { return 0 }
            return relationship.definition.isMandatory ? 2 : 1
          }
          return members.min { rank($0) < rank($1) }?.name
        })
    }
  }

  /// Whether no two objects of the entity may lead to one by a relationship.
  func contains(_ relationship: Relationship, of entity: Entity) -> Bool {
    names[entity.index].contains(relationship.name)
  }
}

/// The attributes that have a value of their own in every object, so that a uniqueness constraint holds.
enum UniqueAttributes {
  /// For each constraint of an entity, its one attribute, or the path of one of a composite's elements.
  static func paths(of entity: Entity) -> Set<String> {
    Set(entity.uniquenessConstraints.compactMap { path(of: $0, in: entity) })
  }

  /// Nil where no attribute has values enough for all objects.
  static func path(of constraint: [String], in entity: Entity) -> String? {
    constraint.compactMap { path in attribute(path, of: entity).map { (path, rank($0)) } }
      .filter { $0.1 < 3 }.min { $0.1 < $1.1 }?.0
  }

  /// An attribute, or a composite's element by its path.
  static func attribute(_ path: String, of entity: Entity) -> AttributeDefinition? {
    let names = path.split(separator: ".").map(String.init)
    return entity.attribute(names.first ?? "")?.element(at: names.dropFirst())
  }

  private static func rank(_ attribute: AttributeDefinition) -> Int {
    if attribute.derivation != nil { return 3 }
    return switch attribute.type {
    case .uuid, .string, .integer64, .integer32, .uri, .binary: 0
    case .double, .decimal, .date: 1
    case .integer16, .float: 2
    default: 3
    }
  }
}
