import ObjectModel

/// Gives new objects ids that no other context gives, without asking the system for random bytes each time.
struct TemporaryIDs {
  private let base = UInt64.random(in: .min ... .max)
  private var count: UInt64 = 0

  mutating func next(in home: ObjectID.Home) -> ObjectID {
    count += 1
    return ObjectID(home: home, high: base, low: count)
  }
}
