import Foundation
import ObjectModel
import StoreInterface

/// The results of a `FetchedResultsController`, in sections: they follow the context's changes, and tell the delegate.
///
/// Its objects are of the type `ManagedObject`; controllers give them their own type.
final class TrackedResults {
  /// What the request says now.
  private let specify: () -> FetchSpecification
  /// Stops the program when the objects have another class than the controller's.
  private let requireClass: (FetchSpecification) -> Void
  /// The request as it was at the last `performFetch`.
  var specification: FetchSpecification
  let managedObjectContext: ManagedObjectContext
  let sectionNameKeyPath: String?
  /// Names the section of an object where no key path does.
  private let sectionName: ((ManagedObject) -> String)?
  let cacheName: String?
  var cacheDirectory = SectionCache.defaultDirectory
  /// What the delegate is given: it lives as long as a controller does.
  weak var controller: FetchedResultsController<any FetchRequestResult>?
  weak var delegate: (any FetchedResultsControllerDelegate)? {
    didSet {
      observeContext()
      if delegate === oldValue || isDelegateSnapshotCurrent { return }
      delegateSnapshot = snapshot ?? delegateSnapshot
      isDelegateSnapshotCurrent = true
    }
  }

  typealias Content = [ResultsChanges<ManagedObject>.Section]
  private(set) var content: Content?
  /// The ids that the delegate was told last, by a fetch or a change.
  var delegateSnapshot = FetchedResultsSnapshot(sections: [])
  /// Whether these are the ids of the results.
  var isDelegateSnapshotCurrent = false
  /// Why the results could not follow the last change of the context: they are those before it then. A fetch or a
  /// change that succeeds takes it away.
  var error: (any Error)?
  /// Whether something was merged that the results may depend on, and they have not been fetched since.
  var isFetchDue = false
  /// Whether that fetch is on its way, without this context waiting for its parent.
  var isFetchUnderWay = false
  /// Whether more was merged since that fetch began.
  var isFetchOutdated = false
  /// What merges changed of the results since the last fetch.
  var dueChanges: Set<ManagedObject> = []
  /// The ids of the objects that merges concerned since then.
  var dueIDs: Set<ObjectID> = []
  /// Works out changes without a fetch; nil where the request does not allow it.
  var follower: ResultsFollower?
  /// Whether the results stand in the order of what their objects are here, so that changes can be followed.
  var isFollowable = false
  /// How often the delegate was told all ids.
  private(set) var delegateUpdateCount = 0
  /// How often the results were replaced or edited.
  private(set) var replacementCount = 0
  /// Results that had no permanent ids when they came.
  private(set) var newResults: [ManagedObject] = []
  /// Where objects are in the sections.
  private var positions = ResultPositions()
  var observers: [any NSObjectProtocol] = []

  init(
    in context: ManagedObjectContext, sectionNameKeyPath: String?, cacheName: String?,
    sectionName: ((ManagedObject) -> String)?, requireClass: @escaping (FetchSpecification) -> Void,
    specify: @escaping () -> FetchSpecification
  ) {
    self.specify = specify
    self.requireClass = requireClass
    managedObjectContext = context
    specification = specify()
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    self.sectionName = sectionName
  }

  deinit { observers.forEach { NotificationCenter.default.removeObserver($0) } }

  // MARK: - Results

  /// Fetches, and makes the sections. The delegate is told their snapshot, and no changes.
  /// - Throws: what the fetch throws; `FetchedResultsError` when there is no sort descriptor, the section key path
  ///   leads to no attribute, or objects of one section do not follow each other in the order of the request.
  func performFetch() throws {
    specification = specify()
    requireClass(specification)
    // Core Data raises an exception.
    precondition(specification.resultType == .objects, "a fetched results controller needs a request for objects")
    let stamp = sectionMaker.cacheStamp()
    let staleCount = managedObjectContext.staleSnapshotCount
    let found = try fetch()
    // Names from objects that are older than their rows must not be kept for later runs.
    show(
      try sectionMaker.sections(of: found, stamp: managedObjectContext.staleSnapshotCount == staleCount ? stamp : nil))
    isFetchDue = false
    dueIDs = []
    follower = ResultsFollower(specification, in: managedObjectContext, naming: try sectionMaker.sectionNaming())
    isFollowable = managedObjectContext.staleSnapshotCount == staleCount
    noteDelegateUpdate(snapshot ?? delegateSnapshot)
    error = nil
    observeContext()
    if let delegate, let controller, let snapshot { delegate.controller(controller, didChangeContentWith: snapshot) }
  }

  /// The object at a section and an item.
  func object(at indexPath: IndexPath) -> ManagedObject {
    // As an array does: an index that is not there is a mistake of the program.
    guard let content, indexPath.count == 2, content.indices.contains(indexPath[0]),
      content[indexPath[0]].items.indices.contains(indexPath[1])
    else { preconditionFailure("the results have nothing at \(indexPath)") }
    return content[indexPath[0]].items[indexPath[1]]
  }

  /// Where an object is; nil when it is not among the results.
  func indexPath(forObject object: ManagedObject) -> IndexPath? {
    positions.indexPath(forObject: object, in: content ?? [])
  }

  /// The results as ids; nil before `performFetch`.
  var snapshot: FetchedResultsSnapshot? {
    content.map { content in
      FetchedResultsSnapshot(
        sections: content.map { FetchedResultsSnapshot.Section(name: $0.name, objectIDs: $0.items.map(\.objectID)) })
    }
  }

  // MARK: - Index titles

  /// The index titles of the sections, each once, in the order of the sections.
  var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return (content ?? []).compactMap { sectionIndexTitle(forSectionName: $0.name) }.filter { seen.insert($0).inserted }
  }

  /// What stands for a section in an index.
  func sectionIndexTitle(forSectionName name: String) -> String? {
    if let delegate, let controller { return delegate.controller(controller, sectionIndexTitleForSectionName: name) }
    return FetchedResultsSection.defaultIndexTitle(name)
  }

  /// The first section with that index title, which stands at that position of `sectionIndexTitles`.
  func section(forSectionIndexTitle title: String) -> Int? {
    (content ?? []).firstIndex { sectionIndexTitle(forSectionName: $0.name) == title }
  }

  // MARK: - Making sections

  func fetch() throws -> Found { try fetch(reading: managedObjectContext.snapshotBlocks) }

  func fetch(reading read: ManagedObjectContext.RowReading) throws -> Found {
    guard !specification.sortDescriptors.isEmpty else { throw FetchedResultsError.noSortDescriptor }
    _ = try sectionMaker.sectionNaming()
    let context = managedObjectContext
    var request = specification
    if context.deferredRequests.isDeferring {
      // Values are here already, and prefetching would ask for more.
      request.includesPropertyValues = true
      request.relationshipKeyPathsForPrefetching = []
    }
    // With pending changes, the fetch sorts by the values of objects in the context.
    let isSortedHere = context.hasPendingChanges(for: specification)
    let (objects, newerSnapshots) = try context.collectingNewerSnapshots {
      try context.fetch(request, reading: read)
    }
    return Found(objects: objects, newerSnapshots: isSortedHere ? [:] : newerSnapshots)
  }

  /// Fetched objects in their order, and the rows that decided about it where they are newer than the objects.
  struct Found {
    let objects: [ManagedObject]
    let newerSnapshots: [ManagedObjectID: NewerSnapshot]
    var count: Int { objects.count }
  }

  /// Makes sections by the request as it was at the last `performFetch`.
  var sectionMaker: SectionMaker {
    SectionMaker(
      specification: specification, sectionNameKeyPath: sectionNameKeyPath, sectionName: sectionName,
      cacheName: cacheName, cacheDirectory: cacheDirectory, context: managedObjectContext)
  }

  func show(_ sections: Content) {
    replace(sections, new: sections.flatMap { $0.items.filter(\.objectID.isTemporary) })
  }

  private func replace(_ sections: Content, new: [ManagedObject]) {
    content = sections
    noteReplacement(new: new)
  }

  /// Changes the results where they are.
  /// - Parameter new: those that have no permanent ids.
  func apply(_ edit: ResultsEdit, new: [ManagedObject]) {
    edit.apply(to: &content)
    noteReplacement(new: new)
  }

  /// Notes that the delegate has these ids, which are those of the results.
  func noteDelegateUpdate(_ snapshot: FetchedResultsSnapshot) {
    delegateSnapshot = snapshot
    isDelegateSnapshotCurrent = true
    delegateUpdateCount += 1
  }

  private func noteReplacement(new: [ManagedObject]) {
    replacementCount += 1
    newResults = new
    positions.reset()
  }

  func info(of section: ResultsChanges<ManagedObject>.Section) -> any FetchedResultsSectionInfo {
    FetchedResultsSection(
      name: section.name, indexTitle: sectionIndexTitle(forSectionName: section.name), items: section.items)
  }
}
