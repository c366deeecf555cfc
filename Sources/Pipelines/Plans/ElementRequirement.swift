import ObjectModel

/// An optional composite whose elements are mapped one by one: what they demand holds where the composite is there, and
/// that is known only when all of them have been read.
package struct ElementRequirement: Sendable {
  /// Cells of its elements, nested ones included, by position.
  package let cells: [Int]
  /// Those of mandatory elements that lie in no other optional composite.
  package let mandatory: [Int]
  /// Whether every stored element has a cell, so that a record without any value clears the composite.
  package let isWhole: Bool
}

extension ElementRequirement {
  /// The requirements of a node's cells.
  /// - Parameter objects: composites that are read from an object of the record, which says whether they are there.
  static func all(
    of entity: Entity, _ cells: [CellPlan], besides objects: [CompositeExpansion.Object]
  ) -> [ElementRequirement] {
    let covered = objects.map { $0.property + "." }
    let own = cells.indices.filter { index in !covered.contains { cells[index].property.hasPrefix($0) } }
    guard own.contains(where: { cells[$0].property.contains(".") }) else { return [] }
    var result: [ElementRequirement] = []
    func visit(_ attribute: AttributeDefinition, at names: [String]) {
      guard let composite = attribute.composite else { return }
      let path = names.joined(separator: ".")
      if attribute.isOptional {
        let under = own.filter { cells[$0].property.hasPrefix(path + ".") }
        let paths = Set(mandatoryLeaves(of: composite, at: path))
        let mandatory = under.filter { paths.contains(cells[$0].property) && cells[$0].defaultValue == nil }
        let leaves = StoredAttribute.leaves(of: attribute, under: names.dropLast())
        if !mandatory.isEmpty {
          result.append(
            ElementRequirement(cells: under, mandatory: mandatory, isWhole: under.count == leaves.count))
        }
      }
      for element in composite.elements where !element.isTransient { visit(element, at: names + [element.name]) }
    }
    for attribute in entity.storedAttributes { visit(attribute, at: [attribute.name]) }
    return result
  }

  private static func mandatoryLeaves(of composite: AttributeDefinition.CompositeReference, at path: String) -> [String]
  {
    composite.elements.filter { !$0.isTransient && !$0.isOptional }.flatMap { element in
      let name = path + "." + element.name
      return element.composite.map { mandatoryLeaves(of: $0, at: name) } ?? [name]
    }
  }
}
