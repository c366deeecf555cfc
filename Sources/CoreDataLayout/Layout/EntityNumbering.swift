package import ObjectModel

/// `Z_ENT` numbers: roots by name without regard to case, each followed by its sub-entities, from 1.
package struct EntityNumbering: Sendable {
  /// The model's entities by index, taken once.
  package let entities: [Entity]
  /// Number of the entity with a model index.
  let numberByIndex: [Int]
  /// Model index of the entity with number `n`, at position `n - 1`.
  let indexByNumber: [Int]

  init(_ model: ManagedObjectModel) {
    entities = model.entities
    var numbers = [Int](repeating: 0, count: model.definitions.count)
    var order: [Int] = []
    func visit(_ entity: Entity) {
      order.append(entity.index)
      numbers[entity.index] = order.count
      for subentity in EntityNumbering.sortedIgnoringCase(entity.subentities) { visit(subentity) }
    }
    for root in EntityNumbering.sortedIgnoringCase(entities.filter { $0.superentity == nil }) { visit(root) }
    numberByIndex = numbers
    indexByNumber = order
  }

  /// Sorts entities by name without regard to case; names that differ only in case by code point.
  static func sortedIgnoringCase(_ entities: [Entity]) -> [Entity] {
    entities.map { (key: $0.name.lowercased().unicodeScalars.map(\.value), entity: $0) }
      .sorted { left, right in
        if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
        return left.entity.name.unicodeScalars.lexicographicallyPrecedes(right.entity.name.unicodeScalars)
      }.map(\.entity)
  }
}
