import ObjectModel

/// Gives new objects ids that no other context gives, without asking the system for random bytes each time.
struct TemporaryIDs {
  private let base = UInt64.random(in: .min ... .max)
  private var count: UInt64 = 0

  mutating func next(in space: ObjectID.Space) -> ObjectID {
    count += 1
    return ObjectID(space: space, high: base, low: count)
  }
}
