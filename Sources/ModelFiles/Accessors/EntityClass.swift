import ObjectModel

/// The text of the class of an entity: written once, for what a program adds to it.
struct EntityClass {
  let entity: Entity
  let names: SwiftNames
  let isPublic: Bool

  var text: String {
    """
    \(SwiftNames.firstLineOnce)

    \(isPublic && entity.superentity == nil ? "public import" : "import") Seedbed

    /// An object of the entity \(entity.name)\(entity.isAbstract ? ", which is abstract" : "").
    \(isPublic ? "open " : "")\(names.declaration(of: entity)) {
      // Its properties are in \(names.bareClassName(of: entity))+Properties.swift. Here is room for more, and for what happens
      // to an object: awakeFromInsert(), awakeFromFetch(), willSave(), validateForUpdate(), prepareForDeletion().
    }

    """
  }
}

extension SwiftNames {
  /// The beginning of the class's declaration: `class Painting: Work`.
  func declaration(of entity: Entity) -> String {
    "class \(className(of: entity)): \(entity.superentity.map(className) ?? type("ManagedObject"))"
  }

  /// As `declaration(of:)`, of the class for Core Data.
  func coreDataDeclaration(of entity: Entity) -> String {
    "class \(className(of: entity)): \(entity.superentity.map(className) ?? appleType("NSManagedObject"))"
  }
}
