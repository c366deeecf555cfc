/// Search in what is in order.
enum Bisection {
  /// The first index for which something holds that holds for all after it as well; the bound when there is none.
  /// - Complexity: logarithmic in the bound.
  static func firstIndex(below bound: Int, where holds: (Int) -> Bool) -> Int {
    var low = 0
    var high = bound
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The number of elements that are less, in a rising list.
  static func count(below value: Int, in rising: [Int]) -> Int {
    firstIndex(below: rising.count) { rising[$0] >= value }
  }
}
