/// Which of a row of things have to be taken out so that the rest is in its old order.
enum OutOfOrder {
  /// The indexes of changed things where taking these out is enough, and as few as possible of all others.
  /// - Parameters:
  ///   - places: where the things were, in their new order.
  ///   - isChanged: which of them changed.
  /// - Complexity: linear where nothing is out of order, else n log n.
  static func indexes(_ places: [Int], isChanged: [Bool]) -> [Int] {
    if isRising(places) { return [] }
    let fixedPlaces = places.indices.filter { !isChanged[$0] }.map { places[$0] }
    guard isRising(fixedPlaces) else { return withoutLongestRise(Array(places.indices), places) }
    // Between the same two fixed things before and after, a changed one need not move for them.
    var gaps: [Int: [Int]] = [:]
    var result: [Int] = []
    var passed = 0
    for index in places.indices {
      if !isChanged[index] {
        passed += 1
      } else if lowerBound(fixedPlaces, places[index]) == passed {
        gaps[passed, default: []].append(index)
      } else {
        result.append(index)
      }
    }
    for (_, candidates) in gaps { result += withoutLongestRise(candidates, places) }
    return result
  }

  private static func isRising(_ places: [Int]) -> Bool {
    var last = Int.min
    for place in places {
      if place <= last { return false }
      last = place
    }
    return true
  }

  /// The candidates that are not on a longest rising run of places.
  private static func withoutLongestRise(_ candidates: [Int], _ places: [Int]) -> [Int] {
    var ends: [Int] = []
    var endPlaces: [Int] = []
    var previous: [Int: Int] = [:]
    for candidate in candidates {
      let length = lowerBound(endPlaces, places[candidate])
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

  /// The number of elements that are less, in a rising list.
  private static func lowerBound(_ sorted: [Int], _ value: Int) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
