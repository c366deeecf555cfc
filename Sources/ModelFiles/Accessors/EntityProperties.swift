import ObjectModel

/// The text of the typed properties of one entity: an extension of its class.
struct EntityProperties {
  let entity: Entity
  let names: SwiftNames
  let isPublic: Bool

  var text: String {
    let own = entity.definition
    let attributes = own.attributes.sorted { $0.name.precedesByCodePoint($1.name) }.map {
      AttributeAccessor($0, property: names.property($0.name), names: names, access: access).text
    }
    let relationships = own.relationships.sorted { $0.name.precedesByCodePoint($1.name) }.flatMap {
      RelationshipAccessors($0, of: entity, names: names, access: access).texts
    }
    let fetched = own.fetchedProperties.sorted { $0.name.precedesByCodePoint($1.name) }.map { text(of: $0) }
    let members = attributes + relationships + fetched
    let className = names.className(of: entity)
    let body = members.isEmpty ? "" : "\n\(members.map { $0.indented }.joined(separator: "\n\n"))\n"
    return """
      \(SwiftNames.header)
      \(isPublic && showsLibraryTypes ? "public import" : "import") Seedbed

      extension \(className) {\(body)}

      """ + (entity.superentity == nil ? "\n" + naming : "")
  }

  private var access: String { isPublic ? "public " : "" }

  /// Whether there are types of the library, or of Foundation, in declarations: an import that is public without a need
  /// gives a warning.
  private var showsLibraryTypes: Bool {
    let own = entity.definition
    let plain: [AttributeType] = [.integer16, .integer32, .integer64, .boolean, .double, .float, .string, .composite]
    return entity.superentity == nil
      || own.attributes.contains { attribute in
        attribute.type == .transformable
          ? TransformableShape.isOfLibrary(attribute.attributeValueClassName, names: names)
          : !plain.contains(attribute.type)
      }
      || own.relationships.contains { $0.isToMany && $0.isOrdered }
  }

  // MARK: - Fetched properties

  private func text(of property: FetchedPropertyDefinition) -> String {
    let member =
      entity.model[property.fetchRequest.entityName].map(names.className) ?? names.type("ManagedObject")
    return """
      /// Fetched each time. After an error, which the context's next fetch or save throws, there are none.
      \(access)var \(names.property(property.name)): [\(member)] {
        fetchedMembers(of: "\(property.name)").map { \(names.listName).checked($0) }
      }
      """
  }

  // MARK: - Key paths

  /// One function for the classes of a whole tree of entities: those of an extension cannot be overridden. Inherited
  /// properties have other key paths than those of the parent's class, so that they are listed for each class.
  private var naming: String {
    // Where a property has the name of a class, the class needs another name among the properties.
    let own = Set(entity.properties.map { names.property($0.name) })
    let hidden = tree(entity).filter { own.contains(names.className(of: $0)) }
    let aliases = hidden.map { "private typealias \(names.alias(of: $0)) = \(names.className(of: $0))\n" }
    let cases = tree(entity).flatMap { member in
      let name = hidden.contains(member) ? names.alias(of: member) : names.className(of: member)
      return (member.attributes.map(\.name) + member.relationships.map(\.name)).map {
        "  case \\\(name).\(names.property($0)): \"\($0)\""
      }
    }
    let function = """
      /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
      /// of it.
      \(access)static func propertyName(for keyPath: \(names.type("AnyKeyPath"))) -> \(names.type("String"))? {
        switch keyPath {
      \((cases + ["  default: nil"]).joined(separator: "\n"))
        }
      }
      """
    let classes = """
      /// The classes of the model, which a container that was given none takes when it first meets this one.
      \(access)static var modelClasses: [\(names.type("String")): \(names.type("ManagedObject")).Type] {
        \(names.listName).byEntityName
      }
      """
    return (aliases + [""]).joined(separator: aliases.isEmpty ? "" : "\n") + """
      extension \(names.className(of: entity)): \(names.type("PropertyNaming")), \(names.type("ClassListing")) {
      \(function.indented)

      \(classes.indented)
      }

      """
  }

  private func tree(_ entity: Entity) -> [Entity] { [entity] + entity.subentities.flatMap(tree) }
}

extension String {
  /// Every line two blanks further in; empty lines stay empty.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}
