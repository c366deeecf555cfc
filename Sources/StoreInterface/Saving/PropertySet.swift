/// Attributes and relationships of one entity by their positions, a bit each. A position from 64 on stands for all of its kind.
package struct PropertySet: Sendable, Hashable {
  private var attributes: UInt64 = 0
  private var relationships: UInt64 = 0

  /// No property.
  package init() {}

  package static let all = {
    var set = PropertySet()
    set.insertAllAttributes()
    set.insertAllRelationships()
    return set
  }()

  package var isEmpty: Bool { attributes == 0 && relationships == 0 }

  /// How many attributes, and how many relationships, are told apart.
  package static let capacity = 64

  package mutating func insert(attribute index: Int) { attributes |= Self.bits(index) }
  package mutating func insert(relationship index: Int) { relationships |= Self.bits(index) }
  package mutating func insertAllAttributes() { attributes = .max }
  package mutating func insertAllRelationships() { relationships = .max }

  package func contains(attribute index: Int) -> Bool { Self.contains(attributes, index) }
  package func contains(relationship index: Int) -> Bool { Self.contains(relationships, index) }

  private static func bits(_ index: Int) -> UInt64 { index < capacity ? 1 << UInt64(index) : .max }

  private static func contains(_ set: UInt64, _ index: Int) -> Bool {
    let bits = bits(index)
    return set & bits == bits
  }
}
