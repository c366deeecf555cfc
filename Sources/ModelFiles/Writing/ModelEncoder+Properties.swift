import ObjectModel

extension ModelEncoder {
  /// An attribute of an entity, or an element of a composite type.
  mutating func encode(_ attribute: AttributeDefinition, entity: String) -> XMLElement {
    var element = XMLElement("attribute")
    element.add("name", attribute.name)
    element.add("optional", ifTrue: attribute.isOptional)
    element.add("transient", ifTrue: attribute.isTransient)
    if attribute.type != .undefined { element.add("attributeType", attribute.type.name) }
    let date = attribute.type == .date
    element.add(date ? "minDateTimeInterval" : "minValueString", text(attribute.minimumValue, attribute, entity))
    element.add(date ? "maxDateTimeInterval" : "maxValueString", text(attribute.maximumValue, attribute, entity))
    element.add(
      date ? "defaultDateTimeInterval" : "defaultValueString", text(attribute.defaultValue, attribute, entity))
    element.add("usesScalarValueType", Self.scalarFlag(attribute))
    element.add("valueTransformerName", attribute.valueTransformerName)
    element.add("customClassName", attribute.attributeValueClassName)
    element.add("allowsExternalBinaryDataStorage", ifTrue: attribute.allowsExternalBinaryDataStorage)
    element.add("preserveAfterDeletion", ifTrue: attribute.preservesValueInHistoryOnDeletion)
    element.add("regularExpressionString", attribute.regularExpression)
    if let derivation = attribute.derivation {
      element.add("derived", "YES")
      element.add("derivationExpression", derivation.expression)
      if derivation.filteringPredicate != nil {
        fail(
          "\(entity).\(attribute.name): a derived attribute with a filtering predicate has no form in model sources",
          entity: entity, property: attribute.name, hint: "remove the predicate")
      }
    }
    if let composite = attribute.composite {
      element.add("composite", composite.name)
      note(composite, entity: entity, property: attribute.name)
    }
    element.add("versionHashModifier", attribute.versionHashModifier)
    element.add("elementID", attribute.renamingIdentifier)
    element.add("indexed", ifTrue: attribute.isIndexed)
    if let info = encode(userInfo: attribute.userInfo) { element.children.append(info) }
    return element
  }

  /// Xcode says of each type that has a scalar form, dates and UUIDs among them, whether accessors use it.
  private static func scalarFlag(_ attribute: AttributeDefinition) -> String? {
    if attribute.usesScalarValueType { return "YES" }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .uuid: return "NO"
    case .decimal, .string, .binary, .uri, .transformable, .undefined, .objectID, .composite: return nil
    }
  }

  private mutating func text(_ value: Value, _ attribute: AttributeDefinition, _ entity: String) -> String? {
    if value == .null { return nil }
    if let text = ModelValueText.text(value) { return text }
    fail(
      "\(entity).\(attribute.name): its default or limit has no form in model sources", entity: entity,
      property: attribute.name, hint: "remove it")
    return nil
  }

  func encode(_ relationship: RelationshipDefinition) -> XMLElement {
    var element = XMLElement("relationship")
    element.add("name", relationship.name)
    element.add("optional", ifTrue: relationship.isOptional)
    element.add("transient", ifTrue: relationship.isTransient)
    element.add("toMany", ifTrue: relationship.isToMany)
    if relationship.minimumCount != 0 { element.add("minCount", String(relationship.minimumCount)) }
    if !relationship.isToMany || relationship.maximumCount != 0 {
      element.add("maxCount", String(relationship.maximumCount))
    }
    element.add("deletionRule", Self.deleteRule(relationship.deleteRule))
    element.add("ordered", ifTrue: relationship.isOrdered)
    element.add("destinationEntity", relationship.destinationEntityName)
    if let inverse = relationship.inverseName {
      element.add("inverseName", inverse)
      element.add("inverseEntity", relationship.destinationEntityName)
    }
    element.add("versionHashModifier", relationship.versionHashModifier)
    element.add("elementID", relationship.renamingIdentifier)
    if let info = encode(userInfo: relationship.userInfo) { element.children.append(info) }
    return element
  }

  private static func deleteRule(_ rule: DeleteRule) -> String {
    switch rule {
    case .noActionDeleteRule: "No Action"
    case .nullifyDeleteRule: "Nullify"
    case .cascadeDeleteRule: "Cascade"
    case .denyDeleteRule: "Deny"
    }
  }
}
