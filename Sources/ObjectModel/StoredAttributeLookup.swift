extension Entity {
  /// The stored attribute at a path: an attribute's name, or the dotted path of a composite's leaf.
  public func storedAttribute(_ path: String) -> AttributeDescription? {
    if let attribute = attribute(path) { return attribute.isTransient ? nil : attribute }
    return storedLeaves.first { $0.path == path }?.attribute
  }
}
