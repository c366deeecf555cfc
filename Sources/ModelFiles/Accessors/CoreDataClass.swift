import ObjectModel

/// The two files of an entity as Xcode's generator writes them for Swift, for apps that use Apple's framework. The
/// comment at the head differs, by which the files can be told from others; everything below it is as in Xcode.
struct CoreDataClass {
  let entity: Entity
  let names: SwiftNames

  private var className: String { names.className(of: entity) }

  /// Written once: `Recipe+CoreDataClass.swift`.
  var classText: String {
    """
    \(SwiftNames.firstLineOnce)

    import Foundation
    import CoreData

    @objc(\(names.bareClassName(of: entity)))
    public \(names.coreDataDeclaration(of: entity)) {

    }

    """
  }

  /// Written anew each time: `Recipe+CoreDataProperties.swift`.
  var propertiesText: String {
    let own = entity.definition
    let properties =
      own.attributes.sorted { $0.name.precedesByCodePoint($1.name) }.map { ($0.name, type(of: $0)) }
      + own.relationships.sorted { $0.name.precedesByCodePoint($1.name) }.map { ($0.name, type(of: $0)) }
      + own.fetchedProperties.sorted { $0.name.precedesByCodePoint($1.name) }.map { ($0.name, type(of: $0)) }
    let request = "\(names.appleType("NSFetchRequest"))<\(className)>"
    let lines = properties.map { "    @NSManaged public var \(names.managedProperty($0.0)): \($0.1)\n" }
    let accessors = own.relationships.filter(\.isToMany).sorted { $0.name.precedesByCodePoint($1.name) }
    return """
      \(SwiftNames.header)
      import Foundation
      import CoreData


      extension \(className) {

          @nonobjc public class func fetchRequest() -> \(request) {
              return \(request)(entityName: "\(entity.name)")
          }

      \(lines.joined())
      }
      \(accessors.map { "\n" + accessorText($0) }.joined())\(identifiable)
      """
  }

  // MARK: - Types

  /// Objects are optional whatever the model says, and scalars never are.
  private func type(of attribute: AttributeDefinition) -> String {
    let name =
      switch attribute.type {
      case .integer16 where attribute.usesScalarValueType: "Int16"
      case .integer32 where attribute.usesScalarValueType: "Int32"
      case .integer64 where attribute.usesScalarValueType: "Int64"
      case .double where attribute.usesScalarValueType: "Double"
      case .float where attribute.usesScalarValueType: "Float"
      case .boolean where attribute.usesScalarValueType: "Bool"
      case .date where attribute.usesScalarValueType: "TimeInterval"
      case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber?"
      case .decimal: "NSDecimalNumber?"
      case .string: "String?"
      case .date: "Date?"
      case .binary: "Data?"
      case .uuid: "UUID?"
      case .uri: "URL?"
      case .objectID: "NSManagedObjectID?"
      case .composite: "[\(names.appleType("String")): Any]?"
      case .undefined, .transformable: "NSObject?"
      }
    // A point before the name means the current module.
    if let stated = attribute.attributeValueClassName?.drop(while: { $0 == "." }),
      [.transformable, .undefined].contains(attribute.type), !stated.hasSuffix("."),
      SwiftNames.isTypeName(String(stated))
    {
      return stated + "?"
    }
    if attribute.type == .composite { return name }
    return name.hasSuffix("?") ? names.appleType(String(name.dropLast())) + "?" : names.appleType(name)
  }

  private func type(of relationship: RelationshipDefinition) -> String {
    if relationship.isToMany { return names.appleType(relationship.isOrdered ? "NSOrderedSet" : "NSSet") + "?" }
    return destination(relationship) + "?"
  }

  private func type(of property: FetchedPropertyDefinition) -> String {
    "[\(entity.model[property.fetchRequest.entityName].map(names.className) ?? names.appleType("NSManagedObject"))]?"
  }

  private func destination(_ relationship: RelationshipDefinition) -> String {
    entity.relationship(relationship.name).map { names.className(of: $0.destination) }
      ?? names.appleType("NSManagedObject")
  }

  // MARK: - Accessors of relationships

  private func accessorText(_ relationship: RelationshipDefinition) -> String {
    let name = relationship.name
    let key = name.prefix(1).uppercased() + name.dropFirst()
    let member = destination(relationship)
    let (int, indexes) = (names.appleType("Int"), names.appleType("NSIndexSet"))
    let set = names.appleType(relationship.isOrdered ? "NSOrderedSet" : "NSSet")
    let positions = [
      ("insertObject:in\(key)AtIndex:", "insertInto\(key)(_ value: \(member), at idx: \(int))"),
      ("removeObjectFrom\(key)AtIndex:", "removeFrom\(key)(at idx: \(int))"),
      ("insert\(key):atIndexes:", "insertInto\(key)(_ values: [\(member)], at indexes: \(indexes))"),
      ("remove\(key)AtIndexes:", "removeFrom\(key)(at indexes: \(indexes))"),
      ("replaceObjectIn\(key)AtIndex:withObject:", "replace\(key)(at idx: \(int), with value: \(member))"),
      (
        "replace\(key)AtIndexes:with\(key):", "replace\(key)(at indexes: \(indexes), with values: [\(member)])"
      ),
    ]
    let members = [
      ("add\(key)Object:", "addTo\(key)(_ value: \(member))"),
      ("remove\(key)Object:", "removeFrom\(key)(_ value: \(member))"),
      ("add\(key):", "addTo\(key)(_ values: \(set))"),
      ("remove\(key):", "removeFrom\(key)(_ values: \(set))"),
    ]
    let methods = ((relationship.isOrdered ? positions : []) + members).map { selector, signature in
      "    @objc(\(selector))\n    @NSManaged public func \(signature)\n\n"
    }
    return """
      // MARK: - Generated accessors for \(name)
      extension \(className) {

      \(methods.joined())}

      """
  }

  /// Sub-entities have it from their parent. A property `id` of a type that may not be hashable would be in the way.
  private var identifiable: String {
    let isClashing = entity.definition.attributes.contains {
      $0.name == "id" && ($0.type == .composite || $0.attributeValueClassName != nil)
    }
    if entity.superentity != nil || isClashing { return "" }
    return """

      extension \(className) : \(names.appleType("Identifiable")) {

      }

      """
  }
}
