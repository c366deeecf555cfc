import ObjectModel

/// Turns a model into the XML of a file `contents`: Xcode's elements and attributes, in Xcode's order.
///
/// What Xcode keeps sorted is sorted by name: entities, attributes, relationships, fetch requests, user info. Lists
/// whose order means something keep it. It mirrors `ModelDecoder`.
struct ModelEncoder {
  private(set) var problems: [ModelError.Problem] = []
  /// The composite types that attributes have, by name.
  private var composites: [String: [AttributeDefinition]] = [:]

  /// The root element.
  mutating func encode(_ model: ManagedObjectModel) -> XMLElement {
    var root = XMLElement("model")
    root.add("type", "com.apple.IDECoreDataModeler.DataModel")
    root.add("documentVersion", "1.0")
    root.add("lastSavedToolsVersion", "22522")
    root.add("systemVersion", "22G313")
    root.add("minimumToolsVersion", "Automatic")
    root.add("sourceLanguage", "Swift")
    root.add("userDefinedModelVersionIdentifier", model.versionIdentifier)
    root.children = model.declaredDefinitions.sortedByName(\.name).map { encode($0) }
    root.children += model.fetchRequestTemplates.values.sortedByName(\.name).map { encode($0) }
    root.children += model.configurations.map { name in
      encode(configuration: name, members: model.entityNamesByConfiguration[name] ?? [])
    }
    root.children += encodedComposites()
    if let unwritable = root.unwritable {
      fail("the \(unwritable.attribute) of a <\(unwritable.element)> has a character that XML cannot hold")
    }
    return root
  }

  mutating func fail(_ message: String, entity: String? = nil, property: String? = nil, hint: String? = nil) {
    problems.append(
      ModelError.Problem(.unsupportedFormat, entity: entity, property: property, message: message, hint: hint))
  }

  private mutating func encode(_ entity: EntityDefinition) -> XMLElement {
    var element = XMLElement("entity")
    element.add("name", entity.name)
    element.add("representedClassName", entity.managedObjectClassName)
    element.add("parentEntity", entity.superentityName)
    element.add("isAbstract", ifTrue: entity.isAbstract)
    element.add("versionHashModifier", entity.versionHashModifier)
    element.add("elementID", entity.renamingIdentifier)
    element.add("syncable", "YES")
    element.add("codeGenerationType", entity.codeGenerationType)
    element.children = entity.attributes.sortedByName(\.name).map { encode($0, entity: entity.name) }
    element.children += entity.relationships.sortedByName(\.name).map { encode($0) }
    element.children += entity.fetchedProperties.sortedByName(\.name).map { encode($0) }
    element.children += entity.fetchIndexes.map { encode($0) }
    if let lists = encode(
      entity.uniquenessConstraints, list: "uniquenessConstraints", item: "uniquenessConstraint", member: "constraint")
    {
      element.children.append(lists)
    }
    if let lists = encode(entity.compoundIndexes, list: "compoundIndexes", item: "compoundIndex", member: "index") {
      element.children.append(lists)
    }
    if let info = encode(userInfo: entity.userInfo) { element.children.append(info) }
    return element
  }

  private func encode(_ lists: [[String]], list: String, item: String, member: String) -> XMLElement? {
    guard !lists.isEmpty else { return nil }
    return XMLElement(
      list,
      children: lists.map { names in
        XMLElement(
          item,
          children: names.map { name in
            var element = XMLElement(member)
            element.add("value", name)
            return element
          })
      })
  }

  private func encode(configuration name: String, members: [String]) -> XMLElement {
    var element = XMLElement("configuration")
    element.add("name", name)
    element.children = members.map { name in
      var member = XMLElement("memberEntity")
      member.add("name", name)
      return member
    }
    return element
  }

  /// Entries sorted by key; nil when there are none.
  func encode(userInfo: [String: String]) -> XMLElement? {
    guard !userInfo.isEmpty else { return nil }
    return XMLElement(
      "userInfo",
      children: userInfo.keys.sortedByName { $0 }.map { key in
        var entry = XMLElement("entry")
        entry.add("key", key)
        entry.add("value", userInfo[key])
        return entry
      })
  }

  /// Keeps a composite type for the end of the document; one name stands for one list of elements.
  mutating func note(_ composite: AttributeDefinition.CompositeReference, entity: String, property: String) {
    if let known = composites[composite.name] {
      if known != composite.elements {
        fail(
          "\(entity).\(property): there are two composite types named \(composite.name)", entity: entity,
          property: property, hint: "rename one of them")
      }
      return
    }
    composites[composite.name] = composite.elements
    for element in composite.elements {
      if let inner = element.composite { note(inner, entity: entity, property: property) }
    }
  }

  private mutating func encodedComposites() -> [XMLElement] {
    let known = composites
    return known.keys.sortedByName { $0 }.map { name in
      var element = XMLElement("composite")
      element.add("name", name)
      element.children = (known[name] ?? []).map { encode($0, entity: "composite \(name)") }
      return element
    }
  }
}
