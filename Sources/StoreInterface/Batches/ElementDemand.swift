package import ObjectModel
import Predicates

/// What a mandatory element of an optional composite demands of an update: that it has a value while the composite has
/// another one. The elements that the update leaves alone count as they are.
package struct ElementDemand: Sendable {
  /// The names that lead to the element.
  package let names: [String]
  /// Those of the other stored elements of the innermost optional composite around it.
  package let others: [[String]]

  /// The demands that an update may break.
  package static func all(_ assignments: [BatchAssignment], of entity: Entity) -> [ElementDemand] {
    let assigned = Set(assignments.map(\.names))
    return Set(assigned.map { $0[0] }).sortedByCodePoint(\.self).compactMap { entity.attribute($0) }.flatMap {
      attribute in
      let leaves = StoredAttribute.leaves(of: attribute)
      return leaves.compactMap { leaf -> ElementDemand? in
        guard !leaf.attribute.isOptional, leaf.attribute.derivation == nil,
          let composite = attribute.optionalComposite(around: leaf.names)
        else { return nil }
        let others = leaves.map(\.names).filter { $0.starts(with: composite) && $0 != leaf.names }
        let demand = ElementDemand(names: leaf.names, others: others)
        return others.isEmpty || assigned.isDisjoint(with: others + [leaf.names]) ? nil : demand
      }
    }
  }

  /// Whether an object whose elements will be these lacks the value.
  package func isBroken(_ value: ([String]) -> Value) -> Bool {
    value(names).isMissing && others.contains { !value($0).isMissing }
  }

  /// The problem of an object that lacks the value.
  package func problem(of objectID: ObjectID) -> ValidationError.Problem {
    ValidationError.Problem(
      objectID: objectID, entity: objectID.entity.name, property: names.joined(separator: "."), code: .missingValue,
      message: "a value is required", value: .null)
  }
}
