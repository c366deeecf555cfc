import ObjectModel

extension ModelDecoder {
  mutating func decodeEntity(_ node: XMLNode) -> EntityDefinition? {
    var reader = NodeReader(node, entity: node.attributes["name"])
    guard let name = reader.requiredText("name", &log) else { return nil }
    log.declare(entity: name, line: node.line)
    var entity = EntityDefinition(name)
    // The class that an entity has when the model names none.
    let className = reader.nonEmptyText("representedClassName")
    entity.managedObjectClassName = className == "NSManagedObject" ? nil : className
    entity.codeGenerationType = reader.nonEmptyText("codeGenerationType")
    entity.superentityName = reader.nonEmptyText("parentEntity")
    entity.isAbstract = reader.flag("isAbstract", &log)
    entity.renamingIdentifier = reader.nonEmptyText("elementID")
    entity.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    reader.ignore("syncable", "coreSpotlightDisplayNameExpression", "customClassName")
    reader.finish(&log)
    for child in node.children {
      switch child.name {
      case "attribute":
        if let attribute = decodeAttribute(child, owner: name) {
          log.declare(entity: name, property: attribute.name, line: child.line)
          entity.attributes.append(attribute)
        }
      case "relationship":
        if let relationship = decodeRelationship(child, entity: name) { entity.relationships.append(relationship) }
      case "fetchedProperty":
        if let property = decodeFetchedProperty(child, entity: name) { entity.fetchedProperties.append(property) }
      case "fetchIndex":
        if let index = decodeFetchIndex(child, entity: name) { entity.fetchIndexes.append(index) }
      case "uniquenessConstraints":
        entity.uniquenessConstraints += decodeLists(
          child, item: "uniquenessConstraint", member: "constraint", entity: name)
      case "compoundIndexes":
        entity.compoundIndexes += decodeLists(child, item: "compoundIndex", member: "index", entity: name)
      case "userInfo":
        entity.userInfo.merge(decodeUserInfo(child)) { first, _ in first }
      default:
        reader.unknown(child, &log)
      }
    }
    return entity
  }

  private mutating func decodeRelationship(_ node: XMLNode, entity: String) -> RelationshipDefinition? {
    var reader = NodeReader(node, entity: entity, property: node.attributes["name"])
    guard let name = reader.requiredText("name", &log) else { return nil }
    log.declare(entity: entity, property: name, line: node.line)
    guard let destination = reader.requiredText("destinationEntity", &log) else { return nil }
    let inverse = reader.nonEmptyText("inverseName")
    var relationship = RelationshipDefinition(name, toOne: destination, inverse: inverse)
    relationship.isToMany = reader.flag("toMany", &log)
    relationship.isOrdered = reader.flag("ordered", &log)
    relationship.isOptional = reader.flag("optional", &log)
    relationship.isTransient = reader.flag("transient", &log)
    relationship.minimumCount = reader.integer("minCount", &log) ?? 0
    relationship.maximumCount = reader.integer("maxCount", &log) ?? (relationship.isToMany ? 0 : 1)
    if relationship.isToMany, relationship.maximumCount == 1 {
      // The compiler keeps the count alone, which is what tells to-one from to-many.
      relationship.isToMany = false
      reader.warn(
        .invalidCount, "a maximum count of 1 makes the to-many relationship a to-one",
        hint: "remove toMany or raise maxCount", &log)
    }
    relationship.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    relationship.renamingIdentifier = reader.nonEmptyText("elementID")
    if let text = reader.nonEmptyText("deletionRule") {
      if let rule = Self.deleteRules[text] {
        relationship.deleteRule = rule
      } else {
        reader.fail(
          .invalidValue, "deletionRule=\"\(text)\" is not known", hint: "use Nullify, Cascade, Deny or No Action",
          &log)
      }
    }
    reader.ignore("inverseEntity", "syncable", "indexed", "storedInTruthFile", "spotlightIndexingEnabled")
    reader.finish(&log)
    for child in node.children {
      if child.name == "userInfo" {
        relationship.userInfo.merge(decodeUserInfo(child)) { first, _ in first }
      } else {
        reader.unknown(child, &log)
      }
    }
    return relationship
  }

  private static let deleteRules: [String: DeleteRule] = [
    "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny, "No Action": .noAction,
  ]

  /// `<uniquenessConstraints>` and `<compoundIndexes>`: lists of lists of names.
  private mutating func decodeLists(
    _ node: XMLNode, item: String, member: String, entity: String
  ) -> [[String]] {
    var lists: [[String]] = []
    let outer = NodeReader(node, entity: entity)
    outer.finish(&log)
    for child in node.children {
      guard child.name == item else {
        outer.unknown(child, &log)
        continue
      }
      let reader = NodeReader(child, entity: entity)
      reader.finish(&log)
      var names: [String] = []
      for leaf in child.children {
        guard leaf.name == member else {
          reader.unknown(leaf, &log)
          continue
        }
        var value = NodeReader(leaf, entity: entity)
        if let name = value.requiredText("value", &log) { names.append(name) }
        value.finish(&log)
      }
      log.declare(entity: entity, element: "\(item) \(names.joined(separator: ","))", line: child.line)
      lists.append(names)
    }
    return lists
  }
}
