import Exports
import Foundation
import ImportEngine
import ObjectModel
import Pipelines

/// Entities of a model as JSON, each with the properties that it declares itself. Inherited properties are at its
/// parent.
enum ModelJSON {
  static func members(of entity: Entity) -> [(String, JSONValue)] {
    let own = entity.definition
    return [
      ("name", .string(own.name)), ("superentity", .orNull(own.superentityName)),
      ("isAbstract", .boolean(own.isAbstract)), ("className", .orNull(own.managedObjectClassName)),
      ("versionHash", .string(entity.versionHash.hexadecimal)),
      ("unconfirmedHashReasons", .strings(entity.unconfirmedHashReasons)),
      ("versionHashModifier", .orNull(own.versionHashModifier)),
      ("renamingIdentifier", .orNull(own.renamingIdentifier)),
      ("attributes", .array(own.attributes.sorted { $0.name.precedesByCodePoint($1.name) }.map(attribute))),
      ("relationships", .array(own.relationships.sorted { $0.name.precedesByCodePoint($1.name) }.map(relationship))),
      (
        "fetchedProperties",
        .array(
          own.fetchedProperties.map { property in
            .object([
              ("name", .string(property.name)), ("entity", .string(property.fetchRequest.entityName)),
              ("predicate", .orNull(property.fetchRequest.predicate)),
            ])
          })
      ),
      ("uniquenessConstraints", lists(own.uniquenessConstraints)), ("compoundIndexes", lists(own.compoundIndexes)),
      ("fetchIndexes", .array(own.fetchIndexes.map(index))), ("userInfo", strings(own.userInfo)),
    ]
  }

  private static func attribute(_ attribute: AttributeDefinition) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("name", .string(attribute.name)), ("type", .string(attribute.type.name)),
      ("isOptional", .boolean(attribute.isOptional)), ("isTransient", .boolean(attribute.isTransient)),
      ("default", attribute.defaultValue.json), ("minimum", attribute.minimumValue.json),
      ("maximum", attribute.maximumValue.json), ("regularExpression", .orNull(attribute.regularExpression)),
      ("allowsExternalBinaryDataStorage", .boolean(attribute.allowsExternalBinaryDataStorage)),
      ("preservesValueInHistoryOnDeletion", .boolean(attribute.preservesValueInHistoryOnDeletion)),
      ("usesScalarValueType", .boolean(attribute.usesScalarValueType)),
      ("valueTransformerName", .orNull(attribute.valueTransformerName)),
      ("valueClassName", .orNull(attribute.attributeValueClassName)), ("isIndexed", .boolean(attribute.isIndexed)),
      ("derivation", .orNull(attribute.derivation?.expression)),
      ("filteringPredicate", .orNull(attribute.derivation?.filteringPredicate)),
      ("versionHashModifier", .orNull(attribute.versionHashModifier)),
      ("renamingIdentifier", .orNull(attribute.renamingIdentifier)), ("userInfo", strings(attribute.userInfo)),
    ]
    if let composite = attribute.composite {
      members.append(("composite", .string(composite.name)))
      members.append(
        ("elements", .array(composite.elements.sorted { $0.name.precedesByCodePoint($1.name) }.map(self.attribute))))
    }
    return .object(members)
  }

  private static func relationship(_ relationship: RelationshipDefinition) -> JSONValue {
    .object([
      ("name", .string(relationship.name)), ("destination", .string(relationship.destinationEntityName)),
      ("inverse", .orNull(relationship.inverseName)), ("isToMany", .boolean(relationship.isToMany)),
      ("isOrdered", .boolean(relationship.isOrdered)), ("isOptional", .boolean(relationship.isOptional)),
      ("isTransient", .boolean(relationship.isTransient)), ("minimumCount", .integer(relationship.minimumCount)),
      ("maximumCount", .integer(relationship.maximumCount)),
      ("deleteRule", .string(PropertyText.name(of: relationship.deleteRule))),
      ("versionHashModifier", .orNull(relationship.versionHashModifier)),
      ("renamingIdentifier", .orNull(relationship.renamingIdentifier)), ("userInfo", strings(relationship.userInfo)),
    ])
  }

  private static func index(_ index: FetchIndexDefinition) -> JSONValue {
    .object([
      ("name", .string(index.name)), ("predicate", .orNull(index.partialIndexPredicate)),
      (
        "elements",
        .array(
          index.elements.map { element in
            let content: (String, JSONValue) =
              switch element.content {
              case .property(let name): ("property", .string(name))
              case .expression(let expression, _): ("expression", .string(expression))
              }
            return .object([
              content, ("type", .string(element.kind == .rTree ? "R-tree" : "binary")),
              ("isAscending", .boolean(element.isAscending)),
            ])
          })
      ),
    ])
  }

  private static func lists(_ lists: [[String]]) -> JSONValue {
    .array(lists.map { .strings($0) })
  }

  private static func strings(_ entries: [String: String]) -> JSONValue {
    .object(entries.sorted { $0.key.precedesByCodePoint($1.key) }.map { ($0.key, .string($0.value)) })
  }
}
