import ObjectModel

/// The text of one entity's class.
struct EntityAccessors {
  let entity: Entity
  let names: SwiftNames
  let isPublic: Bool
  private var members: [String] = []

  init(_ entity: Entity, names: SwiftNames, isPublic: Bool) {
    self.entity = entity
    self.names = names
    self.isPublic = isPublic
    addInsertion()
    for attribute in entity.description.attributes.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      add(attribute)
    }
    for relationship in entity.description.relationships.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
      if relationship.isToMany { addToMany(relationship) } else { addToOne(relationship) }
    }
    addNaming()
  }

  var text: String {
    let parent =
      entity.superentity.map(names.className) ?? "\(names.type("ManagedObject")), \(names.type("PropertyNaming"))"
    let importing = isPublic ? "public import" : "import"
    return """
      \(SwiftNames.header)
      \(importing) Seedbed

      /// An object of the entity \(entity.name)\(entity.isAbstract ? ", which is abstract" : "").
      \(classAccess)class \(names.className(of: entity)): \(parent) {
      \(members.map { $0.indented }.joined(separator: "\n\n"))
      }

      """
  }

  private var isFinal: Bool { entity.subentities.isEmpty }
  private var classAccess: String { isFinal ? (isPublic ? "public final " : "final ") : (isPublic ? "open " : "") }
  private var access: String { isPublic ? "public " : "" }
  private var openAccess: String { isPublic ? (isFinal ? "public " : "open ") : "" }

  // MARK: Key paths

  /// Inherited properties have other key paths than those of the parent's class, so that they are listed again.
  private mutating func addNaming() {
    let attributes = entity.attributes.map(\.name)
    let relationships = entity.relationships.map(\.name)
    let overriding = entity.superentity == nil ? "" : "override "
    let cases = (attributes + relationships).map { name in
      "  case \\\(names.className(of: entity)).\(names.property(name)): \"\(name)\""
    }
    members.append(
      """
      /// The property that a key path of this class stands for, so that `#Predicate` can speak of it.
      \(openAccess)\(overriding)class func propertyName(for keyPath: \(names.type("AnyKeyPath"))) \
      -> \(names.type("String"))? {
        switch keyPath {
      \((cases + ["  default: nil"]).joined(separator: "\n"))
        }
      }
      """)
  }

  // MARK: Insertion

  private mutating func addInsertion() {
    if entity.isAbstract { return }
    var isOverriding = false
    var above = entity.superentity
    while let ancestor = above {
      if !ancestor.isAbstract { isOverriding = true }
      above = ancestor.superentity
    }
    members.append(
      """
      /// Makes a new object with the model's defaults.
      @discardableResult
      \(openAccess)\(isOverriding ? "override " : "")class func insert(\
      into context: \(names.type("ManagedObjectContext"))) -> \(names.className(of: entity)) {
        \(names.listName).checked(
          context.insert(\(names.listName).entity("\(entity.name)", in: context.persistentStoreCoordinator.managedObjectModel)))
      }
      """)
  }

  // MARK: Attributes

  private mutating func add(_ attribute: AttributeDescription) {
    let accessor = AttributeAccessor(
      attribute, property: names.property(attribute.name), names: names, access: access)
    members.append(accessor.text)
  }

  // MARK: Relationships

  private func destination(_ relationship: RelationshipDescription) -> String {
    entity.relationship(relationship.name).map { names.className(of: $0.destination) } ?? names.type("ManagedObject")
  }

  private mutating func addToOne(_ relationship: RelationshipDescription) {
    let name = relationship.name
    members.append(
      """
      /// To-one\(relationship.isOptional ? "" : ", required").
      \(access)var \(names.property(name)): \(destination(relationship))? {
        get { object(for: "\(name)").map { \(names.listName).checked($0) } }
        set { setObject(newValue, for: "\(name)") }
      }
      """)
  }

  /// Properties that throw have no key paths, and so no part in `#Predicate`.
  private mutating func addToMany(_ relationship: RelationshipDescription) {
    let name = relationship.name
    let member = destination(relationship)
    let suffix = names.suffix(name)
    let extra = (relationship.isOrdered ? ", ordered" : "") + (relationship.isMandatory ? ", required" : "")
    members.append(
      """
      /// To-many\(extra). Loads the members when it is first asked. After an error of the store, which the context's next
      /// fetch or save throws, there are none.
      \(access)var \(names.property(name)): [\(member)] {
        members(of: "\(name)").map { \(names.listName).checked($0) }
      }
      """)
    members.append(
      """
      /// Makes these the members of `\(name)`.
      \(access)func set\(suffix)(_ members: [\(member)]) throws { try setObjects(members, for: "\(name)") }
      """)
    for (verb, call) in [
      ("addTo", "add(member, to: \"\(name)\")"), ("removeFrom", "remove(member, from: \"\(name)\")"),
    ] {
      members.append(
        """
        /// \(verb == "addTo" ? "Adds a member to" : "Removes a member from") `\(name)`; the inverse follows.
        \(access)func \(verb)\(suffix)(_ member: \(member)) throws { try \(call) }
        """)
      members.append(
        """
        /// \(verb == "addTo" ? "Adds members to" : "Removes members from") `\(name)`; the inverse follows.
        \(access)func \(verb)\(suffix)(_ members: [\(member)]) throws {
          for member in members { try \(call) }
        }
        """)
    }
  }
}

extension String {
  /// Every line two blanks further in; empty lines stay empty.
  var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}
