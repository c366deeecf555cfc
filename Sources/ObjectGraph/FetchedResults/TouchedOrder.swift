/// Finds which elements moved, as few as possible.
///
/// Some elements of a list came, went or changed; all others are in the order that they had. Those that are found are
/// to be taken out, so that the rest is in its old order.
enum TouchedOrder {
  /// What became of one element, by index.
  struct Touch {
    var from: Int?
    var to: Int?
    var isChanged: Bool
  }

  /// Which touches are of elements that are to be taken out: changed elements where that is enough, and as few as
  /// possible. Nil where it is not enough.
  /// - Complexity: n log n in the number of touches, however long the list is.
  static func displaced(_ touches: [Touch]) -> [Int]? {
    let stayed = touches.indices.filter { touches[$0].from != nil && touches[$0].to != nil }
      .sorted { (touches[$0].to ?? 0) < (touches[$1].to ?? 0) }
    let places = touches.map { $0.from ?? 0 }
    let gone = touches.compactMap(\.from).sorted()
    let come = touches.compactMap(\.to).sorted()
    /// How many elements that were not touched stood before a touched one, and stand there now.
    func untouched(before index: Int) -> (then: Int, now: Int) {
      let (from, to) = (places[index], touches[index].to ?? 0)
      return (from - Bisection.count(below: from, in: gone), to - Bisection.count(below: to, in: come))
    }
    // An unchanged element that is still in order counts as untouched.
    let fixed = stayed.filter { !touches[$0].isChanged }
    guard OutOfOrder.isRising(fixed.map { places[$0] }),
      fixed.allSatisfy({ untouched(before: $0).then == untouched(before: $0).now })
    else { return nil }
    let fixedPlaces = fixed.map { places[$0] }
    let fixedPlacesNow = fixed.map { touches[$0].to ?? 0 }
    // A changed element between the same two fixed ones before and after need not move for them.
    var gaps: [Int: [Int]] = [:]
    var result: [Int] = []
    for index in stayed where touches[index].isChanged {
      let count = untouched(before: index)
      let then = count.then + Bisection.count(below: places[index], in: fixedPlaces)
      let now = count.now + Bisection.count(below: touches[index].to ?? 0, in: fixedPlacesNow)
      if then == now { gaps[then, default: []].append(index) } else { result.append(index) }
    }
    for (_, candidates) in gaps where candidates.count > 1 {
      result += OutOfOrder.withoutLongestRise(candidates, places)
    }
    return result
  }

  /// Finds what `displaced` finds, by looking at the whole list.
  /// - Parameter count: how many elements there are now.
  /// - Returns: elements by where they were and where they are, those among them that were not touched included.
  static func displaced(_ touches: [Touch], count: Int) -> [(from: Int, to: Int)] {
    var places: [Int] = []
    var indexes: [Int] = []
    var isChanged: [Bool] = []
    let gone = Set(touches.compactMap(\.from))
    let come = Dictionary(touches.compactMap { touch in touch.to.map { ($0, touch) } }, uniquingKeysWith: { $1 })
    var place = 0
    for index in 0..<count {
      if let touch = come[index] {
        guard let from = touch.from else { continue }
        places.append(from)
        isChanged.append(touch.isChanged)
      } else {
        while gone.contains(place) { place += 1 }
        places.append(place)
        isChanged.append(false)
        place += 1
      }
      indexes.append(index)
    }
    return OutOfOrder.indexes(places, isChanged: isChanged).map { (places[$0], indexes[$0]) }
  }
}
