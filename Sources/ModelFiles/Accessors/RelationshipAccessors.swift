import ObjectModel

/// The texts of the members that one relationship gives a class: its property, and for a to-many relationship the
/// methods that Xcode's generator gives it.
struct RelationshipAccessors {
  private(set) var texts: [String] = []
  private let name: String
  private let member: String
  private let suffix: String
  private let names: SwiftNames
  private let access: String

  init(_ relationship: RelationshipDefinition, of entity: Entity, names: SwiftNames, access: String) {
    name = relationship.name
    member =
      entity.relationship(name).map { names.className(of: $0.destination) } ?? names.type("ManagedObject")
    suffix = names.suffix(name)
    self.names = names
    self.access = access
    if relationship.isToMany { addToMany(relationship) } else { addToOne(relationship) }
  }

  private mutating func addToOne(_ relationship: RelationshipDefinition) {
    texts.append(
      """
      /// To-one\(relationship.isOptional ? "" : ", required").
      \(access)var \(names.property(name)): \(member)? {
        get { object(for: "\(name)").map { \(names.listName).checked($0) } }
        set { setObject(newValue, for: "\(name)") }
      }
      """)
  }

  private mutating func addToMany(_ relationship: RelationshipDefinition) {
    let extra = (relationship.isOrdered ? ", ordered" : "") + (relationship.isMandatory ? ", required" : "")
    texts.append(
      """
      /// To-many\(extra). Loads the members when it is first asked. After an error of the store, which the context's next
      /// fetch or save throws, there are none.
      \(access)var \(names.property(name)): [\(member)] {
        get { members(of: "\(name)").map { \(names.listName).checked($0) } }
        set { setValue(newValue, forKey: "\(name)") }
      }
      """)
    let many = "some \(names.type("Sequence"))<\(member)>"
    add("Adds a member at the end", "addTo\(suffix)(_ value: \(member))", "add(value)")
    add("Adds members at the end", "addTo\(suffix)(_ values: \(many))", "addObjects(from: values.map { $0 })")
    add("Removes a member", "removeFrom\(suffix)(_ value: \(member))", "remove(value)")
    add("Removes members", "removeFrom\(suffix)(_ values: \(many))", "removeObjects(in: values.map { $0 })")
    if relationship.isOrdered { addPositions() }
  }

  private mutating func addPositions() {
    let (int, indexes) = (names.type("Int"), names.type("IndexSet"))
    add(
      "Puts a member at a position", "insertInto\(suffix)(_ value: \(member), at index: \(int))",
      "insert(value, at: index)")
    add(
      "Puts members at positions of the result, the first at the lowest",
      "insertInto\(suffix)(_ values: [\(member)], at indexes: \(indexes))", "insert(values, at: indexes)")
    add("Removes the member at a position", "removeFrom\(suffix)(at index: \(int))", "removeObject(at: index)")
    add("Removes the members at positions", "removeFrom\(suffix)(at indexes: \(indexes))", "removeObjects(at: indexes)")
    add(
      "Puts a member in the place of another", "replace\(suffix)(at index: \(int), with value: \(member))",
      "replaceObject(at: index, with: value)")
    add(
      "Puts members in the places of others, the first in the lowest",
      "replace\(suffix)(at indexes: \(indexes), with values: [\(member)])",
      "replaceObjects(at: indexes, with: values)")
  }

  private mutating func add(_ comment: String, _ signature: String, _ call: String) {
    texts.append(
      """
      /// \(comment); inverses follow.
      \(access)func \(signature) {
        mutableOrderedSetValue(forKey: "\(name)").\(call)
      }
      """)
  }
}
