extension Entity {
  /// The attributes that a store keeps (not transient), inherited ones included, in name order. Composites are whole.
  public var storedAttributes: [AttributeDefinition] { model.resolved.entities[index].storedAttributes }

  /// The attributes that a store keeps, inherited ones included, in name order, composites taken apart into leaves.
  public var storedLeaves: [StoredAttribute] { model.resolved.entities[index].storedLeaves }
}

extension Entity {
  /// The stored attribute at a path: an attribute's name, or the dotted path of a composite's leaf.
  public func storedAttribute(_ path: String) -> AttributeDefinition? {
    if let attribute = attribute(path) { return attribute.isTransient ? nil : attribute }
    return storedLeaves.first { $0.path == path }?.attribute
  }
}
