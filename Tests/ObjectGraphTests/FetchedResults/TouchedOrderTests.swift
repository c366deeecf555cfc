import TestSupport
import Testing

@testable import ObjectGraph

@Suite("Lists of which a few things are touched")
struct TouchedOrderTests {
  @Test("touched things alone tell what moves, as the whole list does", arguments: UInt64(1)...60)
  func twin(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let count = Int.random(in: 0..<12, using: &random)
      var keys: [Int: Int] = [:]
      for item in 0..<count { keys[item] = Int.random(in: 0..<20, using: &random) }
      let old = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
      var touched: [Int: Bool] = [:]
      for item in 0..<(count + 3) where Int.random(in: 0..<3, using: &random) == 0 {
        touched[item] = true
        switch Int.random(in: 0..<4, using: &random) {
        case 0: keys[item] = nil
        case 1 where keys[item] != nil: touched[item] = false
        default: keys[item] = Int.random(in: 0..<20, using: &random)
        }
      }
      let new = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
      let touches = touched.map { item, isChanged in
        TouchedOrder.Touch(from: old.firstIndex(of: item), to: new.firstIndex(of: item), isChanged: isChanged)
      }
      let slow = TouchedOrder.displaced(touches, count: new.count)
      let fast = TouchedOrder.displaced(touches)
      #expect(fast?.map { touches[$0].to }.sorted { ($0 ?? 0) < ($1 ?? 0) } == slow.map(\.to).sorted())
      // Without what moves, the rest is in its old order.
      let moved = Set(slow.map { new[$0.to] })
      let stayed = Set(new).intersection(old).subtracting(moved)
      #expect(new.filter(stayed.contains) == old.filter(stayed.contains))
    }
  }

  @Test("an unchanged thing in another place needs the whole list")
  func unchangedMove() {
    let touches = [TouchedOrder.Touch(from: 3, to: 0, isChanged: false)]
    #expect(TouchedOrder.displaced(touches) == nil)
    #expect(TouchedOrder.displaced(touches, count: 4).map(\.from) == [3])
  }
}

@Suite("Elements by their places")
struct ArrayPlacesTests {
  /// Counts itself.
  private final class Element {
    static nonisolated(unsafe) var count = 0
    let number: Int
    init(_ number: Int) {
      self.number = number
      unsafe Self.count += 1
    }
    deinit { unsafe Self.count -= 1 }
  }

  @Test("are taken out and put in as one after the other would be, and none is lost or kept")
  func random() {
    var random = SeededGenerator(seed: 77)
    for _ in 0..<500 {
      var list = (0..<Int.random(in: 0..<12, using: &random)).map { Element($0) }
      let shared = Bool.random(using: &random) ? list : []
      var expected = list.map(\.number)
      let gone = list.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      list.removeElements(at: gone)
      for index in gone.reversed() { expected.remove(at: index) }
      #expect(list.map(\.number) == expected)
      let places = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
        Int.random(in: 0...list.count, using: &random)
      }.sorted()
      list.insert(places.enumerated().map { ($1, Element(100 + $0)) })
      for (position, place) in places.enumerated().reversed() { expected.insert(100 + position, at: place) }
      #expect(list.map(\.number) == expected)
      #expect(shared.map(\.number) == Array(0..<shared.count))
    }
    #expect(unsafe Element.count == 0)
  }
}
