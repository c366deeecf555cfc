import Foundation
import ObjectModel

/// Writes `xcmapping.xml` as Xcode's editor does, with copies of two models and mappings between them.
struct EditedMapping {
  /// An object of the editor.
  struct Object {
    var type: String
    var attributes: [(String, String)]
    var relationships: [(String, String)] = []
  }

  var source: ManagedObjectModel
  var destination: ManagedObjectModel
  /// By their ids; `root` is the mapping model.
  var objects: [String: Object] = [:]

  /// The document, with extra lines before the first element.
  func xml(head: String = "<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n") -> String {
    var objects = objects
    objects["root", default: Object(type: "XDDEVMAPPINGMODEL", attributes: [])].attributes += [
      ("sourcemodelpath", "App/Shop.xcdatamodeld/Shop.xcdatamodel"),
      ("destinationmodelpath", "App/Shop.xcdatamodeld/Shop 2.xcdatamodel"),
      ("sourcemodeldata", Data(Self.archive(of: source)).base64EncodedString(options: .lineLength64Characters)),
      ("destinationmodeldata", Data(Self.archive(of: destination)).base64EncodedString()),
    ]
    let body = objects.sorted { $0.key < $1.key }.map { id, object in
      let attributes = object.attributes.map {
        "    <attribute name=\"\($0.0)\" type=\"string\">\($0.1)</attribute>\n"
      }
      let relationships = object.relationships.map {
        "    <relationship name=\"\($0.0)\" type=\"0/0\" destination=\"X\" idrefs=\"\($0.1)\"></relationship>\n"
      }
      return "  <object type=\"\(object.type)\" id=\"\(id)\">\n\((attributes + relationships).joined())  </object>\n"
    }
    return "<?xml version=\"1.0\" standalone=\"yes\"?>\n\(head)<database>\n\(body.joined())</database>\n"
  }

  /// The archive of an expression, in base64.
  static func expression(_ node: ArchiveBuilder.Node) -> String {
    var builder = ArchiveBuilder()
    let root = builder.archive(node)
    return Data(builder.finish(root: root)).base64EncodedString()
  }

  // MARK: - Copies of models

  static func archive(of model: ManagedObjectModel) -> [UInt8] {
    var builder = ArchiveBuilder()
    var numbers: [String: Int] = [:]
    for entity in model.definitions { numbers[entity.name] = builder.reserve() }
    for entity in model.definitions {
      if let number = numbers[entity.name] { builder.archive(node(of: entity, numbers), as: number) }
    }
    let entities = model.definitions.map { ($0.name, ArchiveBuilder.Node.reference(numbers[$0.name] ?? 0)) }
    let package = ArchiveBuilder.Node.object(
      "XDModelPackage", ["XDBucketForClassesstorage": .dictionary(entities), "_visibility": .integer(0)])
    return builder.finish(root: builder.archive(.object("XDPMModel", ["_xd_rootPackage": package])))
  }

  private static func node(of entity: EntityDefinition, _ numbers: [String: Int]) -> ArchiveBuilder.Node {
    let parents = entity.superentityName.flatMap { numbers[$0] }.map {
      [ArchiveBuilder.Node.object("XDUMLGeneralizationImp", ["_general": .reference($0)])]
    }
    let attributes = entity.attributes.map { ($0.name, node(of: $0)) }
    let relationships = entity.relationships.map { ($0.name, node(of: $0, numbers)) }
    return .object(
      "XDPMEntity",
      [
        "_name": .text(entity.name), "XDBucketForGeneralizationsstorage": .array(parents ?? []),
        "XDBucketForOwnedAttributesstorage": .dictionary(attributes + relationships),
        "XDBucketForStereotypesstorage": stereotypes([
          "XD_PStereotype": [
            "XD_PSK_isAbstract": .flag(entity.isAbstract),
            "XD_PSK_entityClassName": text(entity.managedObjectClassName),
            "XD_PSK_versionHashModifier": text(entity.versionHashModifier), "XD_PSK_elementID": .null,
            "XDPMUniquenessConstraints": .array(
              entity.uniquenessConstraints.map { .array($0.map { .text($0) }) }),
          ]
        ]),
      ])
  }

  private static func node(of attribute: AttributeDefinition) -> ArchiveBuilder.Node {
    .object(
      "XDPMAttribute",
      [
        "XDBucketForStereotypesstorage": stereotypes([
          "XD_PPropStereotype": properties(
            isOptional: attribute.isOptional, isTransient: attribute.isTransient, attribute.versionHashModifier),
          "XD_PAtt_Stereotype": [
            "XD_PAttK_attributeType": .integer(Int(attribute.type.rawValue)),
            "XD_PAttK_allowsExternalBinaryDataStorage": .flag(attribute.allowsExternalBinaryDataStorage),
            "XD_PAttK_valueTransformerName": text(attribute.valueTransformerName),
          ],
        ])
      ])
  }

  private static func node(of relationship: RelationshipDefinition, _ numbers: [String: Int]) -> ArchiveBuilder.Node {
    let inverse = relationship.inverseName.map {
      ArchiveBuilder.Node.object("XDPMRelationship", ["_name": .text($0)])
    }
    return .object(
      "XDPMRelationship",
      [
        "XDBucketForStereotypesstorage": stereotypes([
          "XD_PPropStereotype": properties(
            isOptional: relationship.isOptional, isTransient: relationship.isTransient,
            relationship.versionHashModifier),
          "XD_PR_Stereotype": [
            "XD_PRK_destination": .reference(numbers[relationship.destinationEntityName] ?? 0),
            "XD_PRK_inverseRelationship": inverse ?? .null, "XD_PRK_isToMany": .flag(relationship.isToMany),
            "XD_PRK_minCount": .integer(relationship.minimumCount),
            "XD_PRK_maxCount": .integer(relationship.maximumCount), "XD_PRK_ordered": .flag(relationship.isOrdered),
            "XD_PRK_deleteRule": .integer(relationship.deleteRule.rawValue),
          ],
        ])
      ])
  }

  private static func properties(
    isOptional: Bool, isTransient: Bool, _ modifier: String?
  ) -> [String: ArchiveBuilder.Node] {
    [
      "XD_PPSK_isOptional": .flag(isOptional), "XD_PPSK_isTransient": .flag(isTransient),
      "XD_PPSK_versionHashModifier": text(modifier),
    ]
  }

  private static func text(_ text: String?) -> ArchiveBuilder.Node { text.map { .text($0) } ?? .null }

  private static func stereotypes(_ settings: [String: [String: ArchiveBuilder.Node]]) -> ArchiveBuilder.Node {
    .dictionary(
      settings.sorted { $0.key < $1.key }.map { name, values in
        let entries = values.sorted { $0.key < $1.key }.map { key, value in
          (key, ArchiveBuilder.Node.object("XDUMLPropertyImp", ["_name": .text(key), "_default": value]))
        }
        return (
          name, .object("XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": .dictionary(entries)])
        )
      })
  }
}
