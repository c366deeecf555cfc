package import ObjectModel

/// Where parts of a newer model come from by name and renaming identifier, by plain rules.
package enum RenamingRules {
  /// A part's name and its renaming identifier.
  package typealias Part = (name: String, identifier: String?)

  /// The older name of a part; nil for a new one.
  /// - Parameters:
  ///   - siblings: all parts of the newer list, the part itself among them.
  ///   - older: the names of the older list, whose parts were not renamed before.
  package static func source(of part: Part, among siblings: [Part], older: Set<String>) -> String? {
    func isKept(_ name: String) -> Bool { siblings.contains { $0.name == name && ($0.identifier ?? name) == name } }
    guard let former = part.identifier, former != part.name else {
      return older.contains(part.name) ? part.name : nil
    }
    if older.contains(former), !isKept(former) { return former }
    // The name that it has now may be that which another had.
    let isTaken = siblings.contains { $0.name != part.name && $0.identifier == part.name }
    return older.contains(part.name) && !isTaken ? part.name : nil
  }
  /// The new names of older entities that stay.
  package static func newNames(from older: ManagedObjectModel, to newer: ManagedObjectModel) -> [String: String] {
    var names: [String: String] = [:]
    let all = newer.definitions.map { ($0.name, $0.renamingIdentifier) }
    let former = Set(older.definitions.map(\.name))
    for part in all {
      if let old = source(of: part, among: all, older: former) { names[old] = part.0 }
    }
    return names
  }

  /// The older attribute that one takes its values from.
  package static func source(of attribute: AttributeDefinition, _ entity: Entity, _ old: Entity) -> String? {
    source(
      of: (attribute.name, attribute.renamingIdentifier),
      among: entity.attributes.filter { !$0.isTransient }.map { ($0.name, $0.renamingIdentifier) },
      older: Set(old.attributes.filter { !$0.isTransient }.map(\.name)))
  }

  /// The older relationship that one takes its objects from.
  package static func source(of relationship: Relationship, _ entity: Entity, _ old: Entity) -> String? {
    source(
      of: (relationship.name, relationship.definition.renamingIdentifier),
      among: entity.relationships.map { ($0.name, $0.definition.renamingIdentifier) },
      older: Set(old.relationships.map(\.name)))
  }
}
