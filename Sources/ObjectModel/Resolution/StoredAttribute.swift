/// A stored attribute with its composites taken apart: one leaf, by its dotted path from the entity.
public struct StoredAttribute: Sendable, Hashable {
  /// The names from the entity's attribute down to the leaf; one name for an attribute that is no composite.
  public let names: [String]
  /// The leaf's own definition.
  public let attribute: AttributeDefinition

  /// The names joined with ".", such as `address.street`.
  public var path: String { names.joined(separator: ".") }

  /// The stored leaves of an attribute in name order, level by level; the attribute itself when it is no composite.
  package static func leaves(of attribute: AttributeDefinition, under prefix: [String] = []) -> [StoredAttribute] {
    let names = prefix + [attribute.name]
    guard let composite = attribute.composite else { return [StoredAttribute(names: names, attribute: attribute)] }
    return composite.elements.filter { !$0.isTransient }.sortedByCodePoint(\.name)
      .flatMap { leaves(of: $0, under: names) }
  }
}
