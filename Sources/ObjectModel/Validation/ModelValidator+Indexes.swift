extension ModelValidator {
  mutating func checkConstraints(of index: Int) {
    let entity = entities[index]
    for constraint in entity.uniquenessConstraints {
      let text = "uniqueness constraint (\(constraint.joined(separator: ", "))) of \(entity.name)"
      let element = "uniquenessConstraint \(constraint.joined(separator: ","))"
      if constraint.isEmpty {
        report(
          .invalidConstraint, entity: index, element: element, errorUpTo: .strict,
          "a uniqueness constraint of \(entity.name) is empty",
          hint: "name at least one attribute or to-one relationship, or remove it")
      }
      if Set(constraint).count != constraint.count {
        report(
          .invalidConstraint, entity: index, element: element, errorUpTo: .strict,
          "the \(text) names a property twice",
          hint: "name each property once")
      }
      for name in constraint {
        check(
          standing(of: name, in: index), name, of: index, code: .invalidConstraint, element: element, text: text)
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
          .duplicateName, entity: index, element: element, errorUpTo: .strict,
          "\(entity.name) has more than one fetch index named \(fetchIndex.name)", hint: "rename or remove one of them")
      }
      // An index of the store has the name as it is, without quotes.
      if !Self.isValidName("_" + fetchIndex.name) {
        report(
          .invalidName, entity: index, element: element,
          "\"\(fetchIndex.name)\" is not a valid name of a fetch index (\(entity.name))",
          hint: "take letters, digits and underscores")
      }
      if fetchIndex.name.isEmpty || fetchIndex.elements.isEmpty {
        report(
          .invalidFetchIndex, entity: index, element: element, errorUpTo: .strict,
          "the \(text) has no name or no elements",
          hint: "name it and add an element, or remove it")
      }
      if Set(fetchIndex.elements.map(\.kind)).count > 1 {
        report(
          .invalidFetchIndex, entity: index, element: element, errorUpTo: .strict,
          "the \(text) mixes binary and R-tree elements",
          hint: "make one index of each kind")
      }
      for case .property(let name) in fetchIndex.elements.map(\.content) {
        checkIndexed(name, of: index, element: element, text: text)
      }
    }
    for compound in entity.compoundIndexes {
      let joined = compound.joined(separator: ", ")
      for name in compound {
        checkIndexed(
          name, of: index, element: "compoundIndex \(compound.joined(separator: ","))",
          text: "compound index (\(joined)) of \(entity.name)")
      }
    }
  }

  /// The meaning of a name in a constraint or index.
  enum Standing {
    /// A stored attribute, a leaf of a stored composite by its dotted path, or a stored to-one relationship.
    case stored
    case toMany, transient, notSingle, unknown
  }

  func standing(of name: String, in index: Int) -> Standing {
    let components = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    switch members[index][components.first ?? name]?.property {
    case .attribute(let attribute):
      if attribute.isTransient { return .transient }
      return attribute.hasLeaf(components.dropFirst()) ? .stored : .notSingle
    case .relationship(let relationship) where components.count == 1:
      if relationship.isToMany { return .toMany }
      return relationship.isTransient ? .transient : .stored
    default:
      return .unknown
    }
  }

  /// Indexes may also name what has no column: to-many relationships, and the row and its entity themselves.
  private mutating func checkIndexed(_ name: String, of index: Int, element: String, text: String) {
    switch standing(of: name, in: index) {
    case .toMany: return
    case .unknown where FetchIndexDefinition.rowElements.contains(name): return
    case let standing:
      check(standing, name, of: index, code: .invalidFetchIndex, element: element, text: text)
    }
  }

  private mutating func check(
    _ standing: Standing, _ name: String, of index: Int, code: ModelError.Code, element: String, text: String
  ) {
    func fail(_ code: ModelError.Code, _ message: String, _ hint: String) {
      report(code, entity: index, property: name, element: element, errorUpTo: .strict, message, hint: hint)
    }
    switch standing {
    case .stored: break
    case .toMany:
      fail(code, "the \(text) names the to-many relationship \(name)", "name attributes and to-one relationships")
    case .transient:
      fail(code, "the \(text) names \(name), which is transient and not stored", "name a stored property")
    case .notSingle:
      fail(
        .unknownProperty, "the \(text) names \(name), which is not a single stored value",
        "name an attribute, or an element of a composite as attribute.element")
    case .unknown:
      fail(
        .unknownProperty, "the \(text) names \(name), which is not a property of \(entities[index].name)",
        suggestion(name, among: members[index].keys) ?? "correct the name or add the attribute")
    }
  }
}

extension AttributeDefinition {
  /// Whether the names lead to one stored value: none for a plain attribute, the path of a leaf for a composite.
  fileprivate func hasLeaf(_ names: ArraySlice<String>) -> Bool {
    guard let composite else { return names.isEmpty }
    guard let name = names.first, let element = composite.elements.first(where: { $0.name == name }) else {
      return false
    }
    return !element.isTransient && element.hasLeaf(names.dropFirst())
  }
}
