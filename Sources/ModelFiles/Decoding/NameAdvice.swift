import ObjectModel

/// Names that Xcode's model editor and compiler refuse. They are no mistakes here, because stores of such models exist:
/// a model may be made in code, or by an older tool.
enum NameAdvice {
  static func warnings(_ entities: [EntityDefinition]) -> [ModelError.Problem] {
    let entityNames = Set(entities.map(\.name))
    return entities.flatMap { entity in
      let properties =
        entity.attributes.map { ($0.name, "attribute") } + entity.relationships.map { ($0.name, "relationship") }
        + entity.fetchedProperties.map { ($0.name, "fetched property") }
      let names = Set(properties.map(\.0))
      return [ofEntity(entity.name, among: entityNames)].compactMap { $0 }
        + properties.compactMap { ofProperty($0, kind: $1, entity: entity.name, among: names) }
    }
  }

  /// What to do about a name; a free one is named.
  private static func hint(_ better: String, for name: String, among names: Set<String>) -> String {
    names.contains(better)
      ? "call it otherwise (\(better) is taken), with the renaming identifier \(name)"
      : "call it \(better), with the renaming identifier \(name)"
  }

  private static func ofEntity(_ name: String, among names: Set<String>) -> ModelError.Problem? {
    guard let first = name.unicodeScalars.first, first.properties.isLowercase else { return nil }
    return ModelError.Problem(
      .invalidName, entity: name, message: "the entity \(name) begins with a small letter, which Xcode refuses",
      hint: hint(name.prefix(1).uppercased() + name.dropFirst(), for: name, among: names))
  }

  private static func ofProperty(
    _ name: String, kind: String, entity: String, among names: Set<String>
  ) -> ModelError.Problem? {
    if reserved.contains(name) {
      let other = entity.prefix(1).lowercased() + entity.dropFirst() + name.prefix(1).uppercased() + name.dropFirst()
      return ModelError.Problem(
        .invalidName, entity: entity, property: name,
        message: "\(entity).\(name) has the name of a method of every managed object, which Core Data does not allow",
        hint: hint(other, for: name, among: names))
    }
    guard let first = name.unicodeScalars.first, first.properties.isUppercase else { return nil }
    return ModelError.Problem(
      .invalidName, entity: entity, property: name,
      message: "the \(kind) \(entity).\(name) begins with a capital letter, which Xcode refuses",
      hint: hint(name.prefix(1).lowercased() + name.dropFirst(), for: name, among: names))
  }

  /// Methods without parameters of `NSObject` and `NSManagedObject`.
  private static let reserved: Set<String> = [
    "autorelease", "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent", "class",
    "copy",
    "dealloc", "debugDescription", "description", "didSave", "didTurnIntoFault", "entity", "faultingState", "finalize",
    "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted", "isFault", "isInserted", "isProxy",
    "isUpdated", "managedObjectContext", "mutableCopy", "objectID", "observationInfo", "prepareForDeletion", "release",
    "retain", "retainCount", "self", "superclass", "willSave", "willTurnIntoFault",
  ]
}
