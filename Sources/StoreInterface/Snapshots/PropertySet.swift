/// Attributes and relationships of one entity by their positions, a bit each. A position from 64 on stands for all of
/// its kind.
package struct PropertySet: Sendable, Hashable {
  private var attributes: UInt64 = 0
  private var relationships: UInt64 = 0

  /// A set without properties.
  package init() {}

  package static var all: PropertySet {
    var set = PropertySet()
    set.insertAllAttributes()
    set.insertAllRelationships()
    return set
  }

  /// How many attributes, and how many relationships, are told apart.
  package static var capacity: Int { 64 }

  package mutating func insert(attribute index: Int) { attributes |= Self.bits(index) }
  package mutating func insert(relationship index: Int) { relationships |= Self.bits(index) }
  package mutating func insertAllAttributes() { attributes = .max }
  package mutating func insertAllRelationships() { relationships = .max }

  package func contains(attribute index: Int) -> Bool { Self.contains(attributes, index) }
  package func contains(relationship index: Int) -> Bool { Self.contains(relationships, index) }

  /// The positions of its attributes, of so many.
  package func attributes(under count: Int) -> Positions { Positions(attributes, count) }
  /// The positions of its relationships, of so many.
  package func relationships(under count: Int) -> Positions { Positions(relationships, count) }

  /// Positions in ascending order.
  package struct Positions: Sequence, IteratorProtocol {
    /// Those under 64 that are to come.
    private var bits: UInt64
    /// All from 64 on, unless they have come or are not of the set.
    private var rest: Range<Int>

    fileprivate init(_ bits: UInt64, _ count: Int) {
      self.bits = count < capacity ? bits & ((1 << UInt64(count)) - 1) : bits
      rest = bits == .max && count > capacity ? capacity..<count : 0..<0
    }

    package mutating func next() -> Int? {
      if bits != 0 {
        let position = bits.trailingZeroBitCount
        bits &= bits - 1
        return position
      }
      return rest.popFirst()
    }
  }

  private static func bits(_ index: Int) -> UInt64 { index < capacity ? 1 << UInt64(index) : .max }

  private static func contains(_ set: UInt64, _ index: Int) -> Bool {
    let bits = bits(index)
    return set & bits == bits
  }
}
