public import Foundation
import ObjectModel

/// The steps that turn one snapshot of results into another, in the order in which a list view takes them.
///
/// A list first takes out everything at `deletedItems` and at the `from` of `movedItems`, the last first, and then
/// `deletedSections`, the last first. Then it puts in `insertedSections`, the first first, and last what belongs at
/// `insertedItems` and at the `to` of `movedItems`, the first first. At each of these steps the place that is told is
/// the place in the list as it is then. Index paths are a section and an item in it.
public struct FetchedResultsDifference: Sendable, Hashable {
  /// An object that is in both snapshots, in another section or in another order.
  public struct Move: Sendable, Hashable {
    /// Where it was, in the old snapshot.
    public let from: IndexPath
    /// Where it is, in the new snapshot.
    public let to: IndexPath
  }

  /// Places in the old snapshot, descending. What was in these sections is among the deleted or moved items.
  public let deletedSections: [Int]
  /// Places in the new snapshot, ascending. What is in these sections is among the inserted or moved items.
  public let insertedSections: [Int]
  /// Places in the old snapshot, descending.
  public let deletedItems: [IndexPath]
  /// Places in the new snapshot, ascending.
  public let insertedItems: [IndexPath]
  /// Ascending by their new places.
  public let movedItems: [Move]

  /// Whether there is nothing to do.
  public var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deletedItems.isEmpty && insertedItems.isEmpty
      && movedItems.isEmpty
  }

  fileprivate init(_ changes: ResultsChanges<ObjectID>) {
    func path(_ position: ResultsChanges<ObjectID>.Position) -> IndexPath { [position.section, position.item] }
    deletedSections = changes.deletedSections.sorted(by: >)
    insertedSections = changes.insertedSections.sorted()
    deletedItems = changes.deleted.map(\.from).sorted(by: >).map(path)
    insertedItems = changes.inserted.map(\.to).sorted().map(path)
    movedItems = changes.moved.map { Move(from: path($0.from), to: path($0.to)) }
  }
}

extension FetchedResultsSnapshot {
  /// The steps that turn an older snapshot into this one. Each id, and each section name, must occur once in a
  /// snapshot, as it does in those of a controller. Sections that changed their order are deleted and inserted, with
  /// their objects moved.
  /// - Complexity: n log n in the number of ids.
  public func difference(from old: FetchedResultsSnapshot) -> FetchedResultsDifference {
    func arrangement(_ snapshot: FetchedResultsSnapshot) -> [ResultsChanges<ObjectID>.Section] {
      snapshot.sections.map { .init(name: $0.name, items: $0.objectIDs) }
    }
    return FetchedResultsDifference(ResultsChanges(from: arrangement(old), to: arrangement(self), changed: []))
  }
}
