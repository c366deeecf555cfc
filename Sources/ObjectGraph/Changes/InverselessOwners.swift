/// Objects that have, or had, a loaded list of a to-many relationship without inverse: these lists are checked when a
/// member gets another owner. The references are weak.
struct InverselessOwners {
  private struct Reference {
    weak var object: ManagedObject?
  }

  private static let leastSweepCount = 1_024
  private var references: [Reference] = []
  private var sweepCount = leastSweepCount

  /// Those that are still there.
  var objects: [ManagedObject] { references.compactMap(\.object) }

  /// Does nothing for an object that is there already.
  mutating func insert(_ object: ManagedObject) {
    if object.marks.isInverselessOwner { return }
    object.marks.isInverselessOwner = true
    if references.count >= sweepCount {
      references.removeAll { $0.object == nil }
      sweepCount = max(Self.leastSweepCount, references.count * 2)
    }
    references.append(Reference(object: object))
  }
}
