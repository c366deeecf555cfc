public import Foundation
public import ObjectModel

/// A section of a controller's results.
public protocol FetchedResultsSectionInfo {
  /// What the objects' values at the section key path are as text; empty when the controller makes no sections.
  var name: String { get }
  /// What stands for the section in an index beside a list: the first character of the name in upper case, unless the
  /// delegate says another.
  var indexTitle: String? { get }
  /// The number of objects.
  var numberOfObjects: Int { get }
  /// The managed objects, in the order of the request.
  var objects: [Any]? { get }
}

struct FetchedResultsSection: FetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  let items: [ManagedObject]
  var numberOfObjects: Int { items.count }
  var objects: [Any]? { items }

  static func defaultIndexTitle(_ name: String) -> String? { name.first.map { String($0).uppercased() } }
}

/// What happened to an object or a section of a controller's results. Raw values are Core Data's.
public enum FetchedResultsChangeType: UInt, Sendable, Hashable {
  case insert = 1
  case delete = 2
  case move = 3
  case update = 4
}

/// An object that is told of changes to the results of a controller, on the queue of the controller's context. What it
/// is given stands for the controller, and is equal to it (`===`, `==`).
///
/// For each change of the context that touches the results: `controllerWillChangeContent`, then sections (deleted ones,
/// then inserted ones), then objects (deletes, inserts, moves, updates), then `controllerDidChangeContent`, and last
/// the two `didChangeContentWith`. Implement what is needed; everything else does nothing.
public protocol FetchedResultsControllerDelegate: AnyObject {
  /// Changes follow. The controller's results are the new ones already.
  func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>)
  /// A section was inserted, at an index of the new results, or deleted, at one of the old.
  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChange sectionInfo: any FetchedResultsSectionInfo,
    atSectionIndex index: Int, for type: FetchedResultsChangeType)
  /// A managed object changed. `indexPath` is where it was in the old results, nil for an insertion; `newIndexPath`
  /// where it is in the new ones, nil for a deletion.
  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?)
  /// All changes have been told.
  func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>)
  /// The new results as ids.
  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)
  /// What became of the ids, without sections.
  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>)
  /// What stands for a section in an index; nil for none.
  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, sectionIndexTitleForSectionName name: String
  ) -> String?
  /// The results could not follow a change, because the store failed or objects of a section do not follow each other
  /// any more: they are those before it.
  func controller(_ controller: FetchedResultsController<any FetchRequestResult>, didFailWith error: any Error)
}

extension FetchedResultsControllerDelegate {
  /// Does nothing; a delegate need not implement it.
  public func controller(_ controller: FetchedResultsController<any FetchRequestResult>, didFailWith error: any Error) {
  }
  /// Does nothing; a delegate need not implement it.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {}
  /// Does nothing; a delegate need not implement it.
  public func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChange sectionInfo: any FetchedResultsSectionInfo,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) {}
  /// Does nothing; a delegate need not implement it.
  public func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}
  /// Does nothing; a delegate need not implement it.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) {}
  /// Does nothing; a delegate need not implement it.
  public func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {}
  /// Does nothing; a delegate need not implement it.
  public func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {}
  /// The first character of the name in upper case.
  public func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>, sectionIndexTitleForSectionName name: String
  ) -> String? { FetchedResultsSection.defaultIndexTitle(name) }
}
