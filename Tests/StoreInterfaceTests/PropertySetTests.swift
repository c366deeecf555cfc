import StoreInterface
import TestSupport
import Testing

@Suite("Sets of properties")
struct PropertySetTests {
  @Test("the positions are those that the set contains, also beyond 64", arguments: UInt64(1)...20)
  func positions(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...130, using: &random)
    var set = PropertySet()
    for position in 0..<count where Int.random(in: 0..<4, using: &random) == 0 {
      if Bool.random(using: &random) { set.insert(attribute: position) } else { set.insert(relationship: position) }
    }
    #expect(Array(set.attributes(under: count)) == (0..<count).filter { set.contains(attribute: $0) })
    #expect(Array(set.relationships(under: count)) == (0..<count).filter { set.contains(relationship: $0) })
    #expect(Array(PropertySet.all.attributes(under: count)) == Array(0..<count))
    #expect(Array(PropertySet().attributes(under: count)).isEmpty)
  }
}
