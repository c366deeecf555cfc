import Foundation
import ObjectModel

extension ModelDecoder {
  /// Decodes an attribute of an entity, or an element of a composite type (`enclosing` are the types being decoded,
  /// the outermost first, and `owner` is "composite NAME").
  mutating func decodeAttribute(
    _ node: XMLNode, owner: String, inside enclosing: [String] = []
  ) -> AttributeDefinition? {
    var reader = NodeReader(node, entity: owner, property: node.attributes["name"])
    guard let name = reader.requiredText("name", &log) else { return nil }
    let typeName = reader.nonEmptyText("attributeType") ?? "Undefined"
    guard let type = Self.attributeTypes[typeName] else {
      let known = Self.attributeTypes.keys.sorted { $0.precedesByCodePoint($1) }.joined(separator: ", ")
      reader.fail(
        .invalidValue, "attributeType=\"\(typeName)\" is not known",
        hint: Self.attributeType(meantBy: typeName).map { "did you mean \($0)?" } ?? "the types are: \(known)", &log)
      return nil
    }
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = reader.flag("optional", &log)
    attribute.isTransient = reader.flag("transient", &log)
    attribute.isIndexed = reader.flag("indexed", &log)
    attribute.usesScalarValueType = reader.flag("usesScalarValueType", &log)
    attribute.allowsExternalBinaryDataStorage = reader.flag("allowsExternalBinaryDataStorage", &log)
    attribute.preservesValueInHistoryOnDeletion = reader.flag("preserveAfterDeletion", &log)
    attribute.valueTransformerName = reader.nonEmptyText("valueTransformerName")
    attribute.attributeValueClassName = reader.nonEmptyText("customClassName")
    attribute.regularExpression = reader.nonEmptyText("regularExpressionString")
    attribute.versionHashModifier = reader.nonEmptyText("versionHashModifier")
    attribute.renamingIdentifier = reader.nonEmptyText("elementID")
    readValues(&attribute, &reader)
    readDerivation(&attribute, &reader)
    readComposite(&attribute, &reader, enclosing: enclosing)
    reader.ignore(
      "syncable", "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption", "ephemeral")
    reader.finish(&log)
    if type == .undefined, !attribute.isTransient, attribute.derivation == nil {
      reader.warn(
        .missingAttribute, "attributeType is missing: nothing can be stored in the attribute",
        hint: "choose a type in Xcode's model editor, such as attributeType=\"String\"", &log)
    }
    for child in node.children {
      if child.name == "userInfo" {
        attribute.userInfo.merge(decodeUserInfo(child)) { first, _ in first }
      } else {
        reader.unknown(child, &log)
      }
    }
    return attribute
  }

  /// The type that is meant by the name of a Swift type, or by one with other case or blanks.
  private static func attributeType(meantBy name: String) -> String? {
    func key(_ name: String) -> String {
      name.lowercased().filter { $0 != " " && $0 != "_" }.replacing("integer", with: "int")
    }
    let others = [
      "int": "Integer 64", "bool": "Boolean", "data": "Binary", "url": "URI", "text": "String", "number": "Double",
    ]
    return others[key(name)] ?? attributeTypes.keys.first { key($0) == key(name) }
  }

  private static let attributeTypes: [String: AttributeType] = [
    "Undefined": .undefined, "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64,
    "Decimal": .decimal, "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
    "Binary": .binary, "UUID": .uuid, "URI": .uri, "Transformable": .transformable, "ObjectID": .objectID,
    "Composite": .composite,
  ]

  private mutating func readValues(_ attribute: inout AttributeDefinition, _ reader: inout NodeReader) {
    attribute.defaultValue = readValue(
      "defaultValueString", "defaultDateTimeInterval", attribute.type, as: ModelValueText.defaultValue, &reader)
    attribute.minimumValue = readValue(
      "minValueString", "minDateTimeInterval", attribute.type, as: ModelValueText.bound, &reader)
    attribute.maximumValue = readValue(
      "maxValueString", "maxDateTimeInterval", attribute.type, as: ModelValueText.bound, &reader)
  }

  /// Dates stand in an attribute of their own, as seconds since 2001-01-01T00:00:00Z; everything else is text.
  private mutating func readValue(
    _ textName: String, _ dateName: String, _ type: AttributeType, as decode: (String, AttributeType) -> Value?,
    _ reader: inout NodeReader
  ) -> Value {
    let name = type == .date ? dateName : textName
    reader.ignore(type == .date ? textName : dateName)
    let leftOut = type == .date ? textName : dateName
    if reader.node.attributes[leftOut] != nil {
      log.warn(line: reader.node.line, "\(leftOut) does not belong to an attribute of this type and was left out")
    }
    guard let text = reader.text(name), !(text.isEmpty && type != .string) else { return .null }
    if let value = decode(text, type) { return value }
    if let reason = ModelValueText.reasonToLeaveOut(text, type, isBound: name != "defaultValueString") {
      reader.warn(
        .invalidValue, "\(name)=\"\(text)\" was left out: \(reason)", hint: ModelValueText.hint(for: type), &log)
      return .null
    }
    reader.fail(
      .invalidValue, "\(name)=\"\(text)\" is not a value of type \(type.name)",
      hint: ModelValueText.hint(for: type), &log)
    return .null
  }

  private mutating func readDerivation(_ attribute: inout AttributeDefinition, _ reader: inout NodeReader) {
    let isDerived = reader.flag("derived", &log)
    let expression = reader.nonEmptyText("derivationExpression")
    switch (isDerived, expression) {
    case (true, let expression?):
      attribute.derivation = AttributeDefinition.Derivation(expression: expression)
    case (true, nil):
      reader.fail(
        .missingAttribute, "the attribute is derived but has no derivationExpression",
        hint: "add derivationExpression=\"…\" or remove derived", &log)
    case (false, _?):
      log.warn(line: reader.node.line, "derivationExpression without derived=\"YES\" was left out")
    case (false, nil):
      break
    }
  }

  private mutating func readComposite(
    _ attribute: inout AttributeDefinition, _ reader: inout NodeReader, enclosing: [String]
  ) {
    if let name = reader.nonEmptyText("composite") {
      let elements = compositeElements(name, usedBy: reader, inside: enclosing)
      attribute.composite = AttributeDefinition.CompositeReference(name: name, elements: elements)
    } else if attribute.type == .composite {
      reader.fail(
        .missingAttribute, "the attribute is a Composite but names no composite type", hint: "add composite=\"…\"", &log
      )
      attribute.type = .undefined
    }
  }
}
