import ObjectModel

extension LintState {
  /// Warns where two steps give both sides of a relationship and one of them gives lists: a list is the whole
  /// membership, so that the later step takes away what its records do not have.
  mutating func checkBothSides() {
    var given: [Relationship] = []
    for step in file.imports where step.strategy != .restore {
      guard let entity = model[step.entity] else { continue }
      for entry in step.map {
        guard case .reference = entry.value, let relationship = entity.relationship(entry.property) else { continue }
        if let other = given.first(where: { Self.areSides($0, relationship) }) {
          warn(
            "both-sides",
            "\(entity.name).\(relationship.name) and \(other.entity.name).\(other.name) are the two sides of one "
              + "relationship: what the records of this step do not have is taken from those of the earlier one",
            at: entry.position, hint: "map one side only; the other follows from it")
        }
        given.append(relationship)
      }
    }
  }

  private static func areSides(_ one: Relationship, _ other: Relationship) -> Bool {
    guard one.isToMany || other.isToMany, let inverse = one.inverse else { return false }
    return inverse.name == other.name && inverse.declaringEntity == other.declaringEntity && !one.isOwnInverse
  }
}
