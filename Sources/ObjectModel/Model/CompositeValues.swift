extension Value {
  /// The element of a composite at a path of names, nested composites gone into; the value itself at an empty path.
  /// Null where there is no such element.
  public func element(at path: some Collection<String>) -> Value {
    guard let name = path.first else { return self }
    guard case .composite(let elements) = self else { return .null }
    return elements[name]?.element(at: path.dropFirst()) ?? .null
  }

  /// The same composite with another element at a path of names; the others stay. Null, or a value that is no
  /// composite, counts as one without elements. An element that becomes null is left out.
  public func settingElement(at path: some Collection<String>, to value: Value) -> Value {
    guard let name = path.first else { return value }
    var elements: [String: Value] = [:]
    if case .composite(let own) = self { elements = own }
    let element = (elements[name] ?? .null).settingElement(at: path.dropFirst(), to: value)
    elements[name] = element == .null ? nil : element
    return .composite(elements)
  }
}

extension AttributeDefinition {
  /// The element of a composite at a path of names, nested composites gone into; the attribute itself at an empty path.
  public func element(at path: some Collection<String>) -> AttributeDefinition? {
    guard let name = path.first else { return self }
    return composite?.elements.first { $0.name == name }?.element(at: path.dropFirst())
  }

  /// The innermost optional composite around the element at a path that begins with this attribute's name: while it has
  /// no value, the element demands none. Nil where no composite around it is optional.
  package func optionalComposite(around path: [String]) -> [String]? {
    (1..<path.count).last { element(at: path[1..<$0])?.isOptional == true }.map { Array(path[..<$0]) }
  }

  /// The value of a new object: the default, which of a composite is that of its elements. Null for derived attributes.
  public var initialValue: Value {
    guard let composite else { return derivation == nil ? defaultValue : .null }
    let elements = composite.elements.filter { !$0.isTransient }.map { ($0.name, $0.initialValue) }
    return normalized(.composite(Dictionary(elements, uniquingKeysWith: { first, _ in first })))
  }

  /// The form in which objects and stores hold a value: a Float is the nearest 32-bit number, a composite has no null
  /// elements, and one without elements is null. What does not fit the attribute stays as it is.
  public func normalized(_ value: Value) -> Value {
    switch value {
    case .double(let number) where type == .float: return .double(Double(Float(number)))
    case .composite(let elements):
      guard let composite else { return value }
      var kept: [String: Value] = [:]
      for (name, element) in elements {
        let own = composite.elements.first { $0.name == name }
        let normal = own?.normalized(element) ?? element
        if normal != .null { kept[name] = normal }
      }
      return kept.isEmpty ? .null : .composite(kept)
    default: return value
    }
  }
}

extension Entity {
  /// The stored attribute at the end of a key path through to-one and to-many relationships, or an element of its
  /// composite; nil when the path leads to none.
  package func attribute(at path: [String]) -> AttributeDefinition? {
    var here = self
    var rest = path[...]
    while rest.count > 1, let name = rest.first, let relationship = here.relationship(name) {
      here = relationship.destination
      rest = rest.dropFirst()
    }
    return rest.first.flatMap { here.attribute($0) }?.element(at: rest.dropFirst())
  }
}
