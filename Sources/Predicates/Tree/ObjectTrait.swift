package import ObjectModel

/// A trait that every object has beside its model's properties, and that key paths may end with: `entity`,
/// `entity.name`, `objectID`.
///
/// A property of such a name comes first, also where only a sub-entity or another one of the hierarchy has it: the same
/// text must not mean one thing for some objects and another for others.
package enum ObjectTrait: Sendable {
  /// The name of the object's own entity, as text: sub-entities have names of their own. `entity` and `entity.name`.
  case entityName
  /// The object itself. `objectID`.
  case identity

  private init?(_ names: ArraySlice<String>) {
    switch (names.first, names.dropFirst().first) {
    case ("entity", nil), ("entity", "name"): self = .entityName
    case ("objectID", nil): self = .identity
    default: return nil
    }
  }

  /// The trait at the end of a key path, when that is no property, and the path to the object that has it.
  package static func end(
    of path: FetchPredicate.KeyPath, from start: Entity
  ) -> (owner: FetchPredicate.KeyPath, trait: ObjectTrait)? {
    // Most paths end at a property; its name alone tells.
    guard let last = path.last, last == "entity" || last == "objectID" || last == "name" && path.count > 1 else {
      return nil
    }
    var here = start
    for (index, name) in path.enumerated() {
      if let relationship = here.relationship(name) {
        here = relationship.destination
        continue
      }
      let rest = path[index...]
      guard rest.count <= 2, !here.root.hasKindWithProperty(name) else { return nil }
      return ObjectTrait(rest).map { (Array(path[..<index]), $0) }
    }
    return nil
  }
}

extension Entity {
  /// Whether this entity or one below it has a property of that name.
  fileprivate func hasKindWithProperty(_ name: String) -> Bool {
    attribute(name) != nil || relationship(name) != nil || subentities.contains { $0.hasKindWithProperty(name) }
  }
}
