import ObjectModel

/// Faults that were made by one call and are likely to be walked together: when one fires, those that follow it come
/// with the same fetch.
final class FaultGroup {
  /// How many faults one firing brings in at most.
  static let greatestBatch = 256

  private let ids: [ObjectID]
  private let positions: [ObjectID: Int]

  init(_ ids: [ObjectID]) {
    self.ids = ids
    positions = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The ids from this one on.
  func ids(from id: ObjectID) -> ArraySlice<ObjectID> {
    positions[id].map { ids[$0...].prefix(Self.greatestBatch) } ?? []
  }
}
