package import ObjectModel

/// The problems that keep a batch from being carried out, in the words that saves use too.
extension ValidationError.Problem {
  /// No more than this many objects are named.
  package static let mostInBatch = 1_000

  /// An object cannot be deleted because of a relationship with the rule `deny`.
  package static func deniedDelete(of id: ObjectID, _ relationship: Relationship, left count: Int) -> Self {
    Self(
      objectID: id, entity: id.entity.name, property: relationship.name, code: .deniedDelete,
      message: "cannot be deleted while \(count) object\(count == 1 ? " remains" : "s remain") in \(relationship.name)")
  }

  /// An object would be left without what a to-one relationship requires.
  package static func missingDestination(of id: ObjectID, _ relationship: Relationship) -> Self {
    Self(
      objectID: id, entity: id.entity.name, property: relationship.name, code: .missingRelationship,
      message: "an object is required")
  }

  /// An object would have fewer members than a to-many relationship requires; nil when they are enough.
  package static func tooFewMembers(of id: ObjectID, _ relationship: Relationship, left count: Int) -> Self? {
    let rules = relationship.definition
    if count >= rules.minimumCount || (rules.isOptional && count == 0) { return nil }
    return Self(
      objectID: id, entity: id.entity.name, property: relationship.name, code: .tooFewObjects,
      message: "\(count) objects are fewer than the \(rules.minimumCount) required")
  }
}
