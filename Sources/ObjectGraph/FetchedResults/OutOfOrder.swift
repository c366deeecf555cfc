/// Finds which elements of a list have to be taken out so that the others are in their old order.
enum OutOfOrder {
  /// The indexes to take out: changed elements first, and as few unchanged ones as possible.
  /// - Parameters:
  ///   - places: where the things were, in their new order.
  ///   - isChanged: which of them changed.
  /// - Complexity: linear where nothing is out of order, else n log n.
  static func indexes(_ places: [Int], isChanged: [Bool]) -> [Int] {
    if isRising(places) { return [] }
    let fixedPlaces = places.indices.filter { !isChanged[$0] }.map { places[$0] }
    guard isRising(fixedPlaces) else { return withoutLongestRise(Array(places.indices), places) }
    // A changed element between the same two fixed ones before and after need not move.
    var gaps: [Int: [Int]] = [:]
    var result: [Int] = []
    var passed = 0
    for index in places.indices {
      if !isChanged[index] {
        passed += 1
      } else if Bisection.count(below: places[index], in: fixedPlaces) == passed {
        gaps[passed, default: []].append(index)
      } else {
        result.append(index)
      }
    }
    for (_, candidates) in gaps { result += withoutLongestRise(candidates, places) }
    return result
  }

  static func isRising(_ places: [Int]) -> Bool {
    var last = Int.min
    for place in places {
      if place <= last { return false }
      last = place
    }
    return true
  }

  /// The candidates that are not on a longest rising run of places.
  static func withoutLongestRise(_ candidates: [Int], _ places: [Int]) -> [Int] {
    var ends: [Int] = []
    var endPlaces: [Int] = []
    var previous: [Int: Int] = [:]
    for candidate in candidates {
      let length = Bisection.count(below: places[candidate], in: endPlaces)
      if length > 0 { previous[candidate] = ends[length - 1] }
      if length == ends.count {
        ends.append(candidate)
        endPlaces.append(places[candidate])
      } else {
        ends[length] = candidate
        endPlaces[length] = places[candidate]
      }
    }
    var kept: Set<Int> = []
    var here = ends.last
    while let candidate = here {
      kept.insert(candidate)
      here = previous[candidate]
    }
    return candidates.filter { !kept.contains($0) }
  }
}
