import Seedbed

/// Values for a uniqueness constraint that consists of Booleans alone. Each object has another combination; when these
/// have run out, an optional Boolean is null, and null breaks no constraint.
struct FlagCombinations {
  private let entityName: String
  /// The same for all entities whose objects the constraint is about.
  let key: String
  let attributes: [AttributeDefinition]

  /// Those of an entity, for all constraints that no unique attribute satisfies.
  /// - Parameter unique: attributes that have a value of their own in every object.
  static func all(of entity: Entity, unique: Set<String>) -> [FlagCombinations] {
    var settled = unique
    var found: [FlagCombinations] = []
    // A combination with a part that is unique is unique too.
    for constraint in entity.uniquenessConstraints.sorted(by: { $0.count < $1.count }) {
      let attributes = constraint.compactMap { entity.attribute($0) }
      guard attributes.count == constraint.count,
        attributes.allSatisfy({ $0.type == .boolean && $0.derivation == nil }),
        settled.isDisjoint(with: constraint)
      else { continue }
      settled.formUnion(constraint)
      var declaring = entity
      while let parent = declaring.superentity, constraint.allSatisfy({ parent.attribute($0) != nil }) {
        declaring = parent
      }
      let key = ([declaring.name] + constraint).joined(separator: ".")
      found.append(FlagCombinations(entityName: entity.name, key: key, attributes: attributes))
    }
    return found
  }

  /// The value of an attribute for the object of a number, from 1, among those that the constraint is about.
  func value(of index: Int, in entity: Entity, _ number: Int) throws(GenerationError) -> Value {
    let attribute = entity.attributes[index].name
    guard let position = attributes.firstIndex(where: { $0.name == attribute }) else { return .null }
    let place = number - 1
    let flag = Value.boolean(position < 62 && place >> position & 1 == 1)
    if attributes.count >= 62 || place < 1 << attributes.count { return flag }
    guard let spare = attributes.firstIndex(where: \.isOptional) else {
      throw GenerationError(
        entityName, attribute,
        "there is no combination \(number) of \(attributes.map(\.name).joined(separator: ", ")), which are unique together",
        hint: "generate \(1 << attributes.count) objects at most")
    }
    return position == spare ? .null : flag
  }
}
