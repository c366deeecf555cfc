extension ModelValidator {
  mutating func checkConstraints(of index: Int) {
    let entity = entities[index]
    for constraint in entity.uniquenessConstraints {
      let text = "uniqueness constraint (\(constraint.joined(separator: ", "))) of \(entity.name)"
      let element = "uniquenessConstraint \(constraint.joined(separator: ","))"
      if constraint.isEmpty {
        report(
          .invalidConstraint, entity: index, element: element, "a uniqueness constraint of \(entity.name) is empty",
          hint: "name at least one attribute or to-one relationship, or remove it")
      }
      if Set(constraint).count != constraint.count {
        report(
          .invalidConstraint, entity: index, element: element, "the \(text) names a property twice",
          hint: "name each property once")
      }
      for name in constraint {
        checkIndexed(name, of: index, code: .invalidConstraint, element: element, text: text)
      }
    }
  }

  mutating func checkFetchIndexes(of index: Int) {
    let entity = entities[index]
    var seen: Set<String> = []
    for fetchIndex in entity.fetchIndexes {
      let text = "fetch index \(fetchIndex.name) of \(entity.name)"
      let element = "fetchIndex \(fetchIndex.name)"
      if !seen.insert(fetchIndex.name).inserted {
        report(
          .duplicateName, entity: index, element: element,
          "\(entity.name) has more than one fetch index named \(fetchIndex.name)", hint: "rename or remove one of them")
      }
      if fetchIndex.name.isEmpty || fetchIndex.elements.isEmpty {
        report(
          .invalidFetchIndex, entity: index, element: element, "the \(text) has no name or no elements",
          hint: "name it and add an element, or remove it")
      }
      if Set(fetchIndex.elements.map(\.kind)).count > 1 {
        report(
          .invalidFetchIndex, entity: index, element: element, "the \(text) mixes binary and R-tree elements",
          hint: "make one index of each kind")
      }
      for case .property(let name) in fetchIndex.elements.map(\.content) {
        checkIndexed(name, of: index, code: .invalidFetchIndex, element: element, text: text)
      }
    }
    for compound in entity.compoundIndexes {
      let joined = compound.joined(separator: ", ")
      for name in compound {
        checkIndexed(
          name, of: index, code: .invalidFetchIndex, element: "compoundIndex \(compound.joined(separator: ","))",
          text: "compound index (\(joined)) of \(entity.name)")
      }
    }
  }

  /// A name in a constraint or index must be a stored attribute, a leaf of a stored composite by its dotted path, or
  /// a stored to-one relationship.
  private mutating func checkIndexed(
    _ name: String, of index: Int, code: ModelError.Code, element: String, text: String
  ) {
    func fail(_ code: ModelError.Code, _ message: String, _ hint: String) {
      report(code, entity: index, property: name, element: element, message, hint: hint)
    }
    let components = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    switch members[index][components.first ?? name]?.property {
    case .attribute(let attribute):
      if attribute.isTransient {
        fail(code, "the \(text) names \(name), which is transient and not stored", "name a stored property")
      } else if !attribute.hasLeaf(components.dropFirst()) {
        fail(
          .unknownProperty, "the \(text) names \(name), which is not a single stored value",
          "name an attribute, or an element of a composite as attribute.element")
      }
    case .relationship(let relationship) where components.count == 1:
      if relationship.isToMany {
        fail(code, "the \(text) names the to-many relationship \(name)", "name attributes and to-one relationships")
      } else if relationship.isTransient {
        fail(code, "the \(text) names \(name), which is transient and not stored", "name a stored property")
      }
    default:
      fail(
        .unknownProperty, "the \(text) names \(name), which is not a property of \(entities[index].name)",
        suggestion(name, among: members[index].keys) ?? "correct the name or add the attribute")
    }
  }
}

extension AttributeDescription {
  /// Whether the names lead to one stored value: none for a plain attribute, the path of a leaf for a composite.
  fileprivate func hasLeaf(_ names: ArraySlice<String>) -> Bool {
    guard let composite else { return names.isEmpty }
    guard let name = names.first, let element = composite.elements.first(where: { $0.name == name }) else {
      return false
    }
    return !element.isTransient && element.hasLeaf(names.dropFirst())
  }
}
