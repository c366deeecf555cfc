import ObjectModel
package import StoreInterface

/// A default value that breaks a rule of its own attribute: an object that nothing gives another value cannot be saved.
package struct BrokenDefault: Sendable {
  /// The attribute, or the path of a composite's element.
  package let property: String
  /// The column that may give another value; nil where the map has none.
  package let column: Int?
  package let code: ValidationError.Code
  package let message: String
}

extension BrokenDefault {
  /// The broken defaults of a node's entity.
  static func all(of entity: Entity, _ cells: [CellPlan]) -> [BrokenDefault] {
    entity.storedLeaves.compactMap { leaf in
      let attribute = leaf.attribute
      guard attribute.derivation == nil, attribute.defaultValue != .null,
        let rule = try? AttributeValidator(attribute).violations(of: attribute.normalized(attribute.defaultValue)).first
      else { return nil }
      let column = cells.first { $0.property == leaf.path }?.column
      return BrokenDefault(property: leaf.path, column: column, code: rule.code, message: rule.message)
    }
  }
}
