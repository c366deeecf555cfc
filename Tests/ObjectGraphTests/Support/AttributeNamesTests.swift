import TestSupport
import Testing

@testable import ObjectGraph

@Suite("The names of attributes as they lie in memory")
struct AttributeNamesTests {
  @Test("a name has its own position or none, and short ones are always found", arguments: UInt64(1)...10)
  func twin(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "b", "Z", "9", "_", "é", "字"]
    func name() -> String {
      let length = Int.random(in: 1...40, using: &random)
      return (0..<length).map { _ in letters.randomElement(using: &random) ?? "a" }.joined()
    }
    let names = Array(Set((0..<Int.random(in: 0...300, using: &random)).map { _ in name() }))
    let attributeNames = AttributeNames(names)
    for (position, name) in names.enumerated() {
      #expect(attributeNames.position(name) == position)
      // The same characters in memory of their own, where they are not all in the string itself.
      let copy = String(decoding: Array(name.utf8), as: UTF8.self)
      let found = attributeNames.position(copy)
      #expect(found == position || (found == nil && name.utf8.count > 15))
    }
    for _ in 0..<100 {
      let other = name()
      if !names.contains(other) { #expect(attributeNames.position(other) == nil) }
    }
  }
}
