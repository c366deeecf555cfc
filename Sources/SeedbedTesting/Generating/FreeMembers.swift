import Seedbed

/// The objects that a to-one relationship may lead to, while those that have it are given theirs one after the other.
struct FreeMembers {
  /// No more than so many lead to one object; 0 for any number.
  private let most: Int
  private var counts: [Int]
  /// By object: whether one whose destination must be its own leads there already.
  private var isTaken: [Bool]
  /// The order in which they are given to such objects; nil while there was none.
  private var pool: [Int]?

  init(count: Int, most: Int) {
    self.most = most
    counts = Array(repeating: 0, count: count)
    isTaken = Array(repeating: false, count: count)
  }

  private func hasRoom(_ place: Int) -> Bool { most <= 0 || counts[place] < most }

  /// Whether an object may lead to the one at a place.
  func isFree(_ place: Int, isUnique: Bool) -> Bool { hasRoom(place) && !(isUnique && isTaken[place]) }

  mutating func take(_ place: Int, isUnique: Bool) {
    counts[place] += 1
    if isUnique { isTaken[place] = true }
  }

  /// Any that has room; nil where there is none.
  mutating func any(isUnique: Bool, _ random: inout RepeatableRandom) -> Int? {
    if !isUnique { return any(in: counts.indices, isUnique: false, &random) }
    // Objects that must not share a destination take each place once at most, so no place need be tried again.
    var rest = pool ?? counts.indices.shuffled(using: &random)
    defer { pool = rest }
    while let place = rest.popLast() { if isFree(place, isUnique: true) { return place } }
    return nil
  }

  /// Any of some.
  func any(in places: Range<Int>, isUnique: Bool, _ random: inout RepeatableRandom) -> Int? {
    if places.isEmpty { return nil }
    let start = Int.random(in: places, using: &random)
    if isFree(start, isUnique: isUnique) { return start }
    return (start..<start + places.count).lazy.map { places.lowerBound + ($0 - places.lowerBound) % places.count }
      .first { isFree($0, isUnique: isUnique) }
  }
}
