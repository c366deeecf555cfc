import Foundation
import ImportEngine
import ObjectModel
import Pipelines

/// Properties of entities in words.
enum PropertyText {
  /// The details of an attribute beside name and type.
  static func details(_ attribute: AttributeDefinition, isUnique: Bool) -> String {
    var words: [String] = []
    if !attribute.isOptional { words.append("required") }
    if isUnique { words.append("unique") }
    if attribute.isTransient { words.append("transient") }
    if let derivation = attribute.derivation {
      words.append("derived by \(derivation.expression)")
      if let predicate = derivation.filteringPredicate { words.append("where \(predicate)") }
    }
    if attribute.defaultValue != .null { words.append("default \(text(attribute.defaultValue))") }
    if attribute.minimumValue != .null { words.append("at least \(text(attribute.minimumValue))") }
    if attribute.maximumValue != .null { words.append("at most \(text(attribute.maximumValue))") }
    if let expression = attribute.regularExpression { words.append("matches \(expression)") }
    if attribute.allowsExternalBinaryDataStorage { words.append("external storage") }
    if attribute.preservesValueInHistoryOnDeletion { words.append("preserved in history") }
    if let transformer = attribute.valueTransformerName { words.append("transformer \(transformer)") }
    if let name = attribute.attributeValueClassName { words.append("class \(name)") }
    if let composite = attribute.composite { words.append("composite \(composite.name)") }
    if attribute.isIndexed { words.append("indexed") }
    words += common(attribute.versionHashModifier, attribute.renamingIdentifier)
    return words.joined(separator: ", ")
  }

  static func details(_ relationship: RelationshipDefinition) -> String {
    var words = [relationship.isToMany ? "to-many" : "to-one"]
    if relationship.isOrdered { words.append("ordered") }
    if !relationship.isOptional { words.append("required") }
    if relationship.isTransient { words.append("transient") }
    if let inverse = relationship.inverseName { words.append("inverse \(inverse)") }
    words.append("on deletion \(name(of: relationship.deleteRule))")
    if relationship.isToMany {
      if relationship.minimumCount > 0 { words.append("at least \(relationship.minimumCount)") }
      if relationship.maximumCount > 0 { words.append("at most \(relationship.maximumCount)") }
    }
    words += common(relationship.versionHashModifier, relationship.renamingIdentifier)
    return words.joined(separator: ", ")
  }

  static func details(_ index: FetchIndexDefinition) -> String {
    let elements = index.elements.map { element in
      let name =
        switch element.content {
        case .property(let name): name
        case .expression(let expression, _): expression
        }
      return element.kind == .rTree ? "\(name) (R-tree)" : name + (element.isAscending ? "" : " descending")
    }
    return elements.joined(separator: ", ") + (index.partialIndexPredicate.map { " where \($0)" } ?? "")
  }

  static func name(of rule: DeleteRule) -> String {
    switch rule {
    case .noActionDeleteRule: "no action"
    case .nullifyDeleteRule: "nullify"
    case .cascadeDeleteRule: "cascade"
    case .denyDeleteRule: "deny"
    }
  }

  static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .string(let text): "\"\(text)\""
    case .date(let date): DateText.iso8601(date)
    case .composite(let elements):
      elements.sorted { $0.key.precedesByCodePoint($1.key) }.map { "\($0.key): \(text($0.value))" }
        .joined(separator: ", ")
    default: value.plainText
    }
  }

  private static func common(_ modifier: String?, _ renaming: String?) -> [String] {
    [modifier.map { "version hash modifier \($0)" }, renaming.map { "renamed from \($0)" }].compactMap { $0 }
  }

}
