public import Foundation
import StoreInterface

/// Keeps the results of a fetch request in sections, and tells a delegate how every change of the context changes them.
///
/// Use it on the queue of its context. It has no results before `performFetch`. Its results are managed objects:
/// `ResultType` is their class, or `any FetchRequestResult` in what a delegate is given.
public final class FetchedResultsController<ResultType> {
  /// What is fetched. A change of it counts from the next `performFetch`.
  public let fetchRequest: FetchRequest<ResultType>
  let results: TrackedResults
  private let typed: (ManagedObject) -> ResultType
  /// The same results, as a delegate is given them; nil when this is it.
  private let view: FetchedResultsController<any FetchRequestResult>?

  private init(
    _ fetchRequest: FetchRequest<ResultType>, _ results: TrackedResults,
    view: FetchedResultsController<any FetchRequestResult>?, typed: @escaping (ManagedObject) -> ResultType
  ) {
    self.fetchRequest = fetchRequest
    self.results = results
    self.view = view
    self.typed = typed
  }

  // MARK: - What it was made with

  /// The context that the fetched objects belong to.
  public var managedObjectContext: ManagedObjectContext { results.managedObjectContext }
  /// Objects with equal values here make a section; nil for one section of all. The first sort descriptor must keep
  /// them together: usually it is this very key path. It leads over to-one relationships to `entity.name` or to an
  /// attribute. A transient one has the names that the program sets, in `awakeFromFetch` for instance.
  public var sectionNameKeyPath: String? { results.sectionNameKeyPath }
  /// Under which name the sections are kept on disk; nil for not at all.
  public var cacheName: String? { results.cacheName }
  /// The folder of section caches.
  public var cacheDirectory: URL {
    get { results.cacheDirectory }
    set { results.cacheDirectory = newValue }
  }
  /// The object that is told of changes to the results that it finds when it is set. It is not kept alive.
  public var delegate: (any FetchedResultsControllerDelegate)? {
    get { results.delegate }
    set { results.delegate = newValue }
  }

  // MARK: - Results

  /// Fetches, and makes the sections. The delegate is told their snapshot, and no changes.
  /// - Throws: what the fetch throws; `FetchedResultsError` when there is no sort descriptor, the section key path
  ///   leads to no attribute, or objects of one section do not follow each other in the order of the request.
  public func performFetch() throws { try results.performFetch() }

  /// Why the results could not follow the last change of the context: they are those before it then. A fetch or a
  /// change that succeeds takes it away.
  public var error: (any Error)? { results.error }

  /// All objects, in the order of the request; nil before `performFetch`.
  public var fetchedObjects: [ResultType]? { results.content.map { $0.flatMap { $0.items.map(typed) } } }

  /// The sections; nil before `performFetch`.
  public var sections: [any FetchedResultsSectionInfo]? { results.content?.map { results.info(of: $0) } }

  /// The object at a section and an item. An index path that is not there stops the program, as in an array.
  public func object(at indexPath: IndexPath) -> ResultType { typed(results.object(at: indexPath)) }

  /// Where an object is; nil when it is not among the results.
  public func indexPath(forObject object: ResultType) -> IndexPath? {
    (object as? ManagedObject).flatMap { results.indexPath(forObject: $0) }
  }

  /// The results as ids; nil before `performFetch`.
  public var snapshot: FetchedResultsSnapshot? { results.snapshot }

  // MARK: - Index titles

  /// The index titles of the sections, each once, in the order of the sections.
  public var sectionIndexTitles: [String] { results.sectionIndexTitles }

  /// What stands for a section in an index.
  public func sectionIndexTitle(forSectionName name: String) -> String? {
    results.sectionIndexTitle(forSectionName: name)
  }

  /// The first section with that index title, which stands at that position of `sectionIndexTitles`.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int? {
    results.section(forSectionIndexTitle: title)
  }

  /// Removes the kept sections of that name, those of every name for nil, from a folder of section caches: the usual
  /// one for nil.
  public static func deleteCache(withName name: String?, in directory: URL? = nil) {
    let directory = directory ?? SectionCache.defaultDirectory
    guard let name else { return SectionCache.removeAll(in: directory) }
    SectionCache(directory: directory, name: name).remove()
  }
}

extension FetchedResultsController where ResultType: ManagedObject {
  /// A controller without results yet.
  public convenience init(
    fetchRequest: FetchRequest<ResultType>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String? = nil, cacheName: String? = nil
  ) {
    self.init(fetchRequest, managedObjectContext, sectionNameKeyPath, cacheName, sectionName: nil)
  }

  /// A controller without results yet, whose sections a closure names.
  /// - Parameters:
  ///   - fetchRequest: what is fetched, in its order.
  ///   - managedObjectContext: the context that fetches, and whose changes are followed.
  ///   - sectionName: the name of an object's section. It is called on the context's queue, for all results when they
  ///     are fetched and for each that changes; the request must sort by what it depends on first. It may ask for
  ///     the object's own attributes only: changes of other objects move no object to another section.
  public convenience init(
    fetchRequest: FetchRequest<ResultType>, managedObjectContext: ManagedObjectContext,
    sectionName: @escaping (ResultType) -> String
  ) {
    self.init(fetchRequest, managedObjectContext, nil, nil, sectionName: sectionName)
  }

  private convenience init(
    _ fetchRequest: FetchRequest<ResultType>, _ context: ManagedObjectContext, _ sectionNameKeyPath: String?,
    _ cacheName: String?, sectionName: ((ResultType) -> String)?
  ) {
    func typed(_ object: ManagedObject) -> ResultType {
      // Safety: `requireClass` has seen to it before objects were fetched.
      unsafe unsafeDowncast(object, to: ResultType.self)
    }
    let results = TrackedResults(
      in: context, sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName,
      sectionName: sectionName.map { name in { name(typed($0)) } },
      requireClass: { context.requireClass(ResultType.self, of: $0) },
      specify: { fetchRequest.specification(in: context) })
    let view = FetchedResultsController<any FetchRequestResult>(
      viewing: results, FetchRequest(sharing: fetchRequest.settings))
    self.init(fetchRequest, results, view: view, typed: typed)
  }
}

extension FetchedResultsController where ResultType == any FetchRequestResult {
  /// A controller without results yet, for a request that says its entity by name.
  public convenience init(
    fetchRequest: FetchRequest<ResultType>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String? = nil, cacheName: String? = nil
  ) {
    let results = TrackedResults(
      in: managedObjectContext, sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName, sectionName: nil,
      requireClass: { _ in }, specify: { fetchRequest.specification(in: managedObjectContext) })
    self.init(viewing: results, fetchRequest)
  }

  fileprivate convenience init(viewing results: TrackedResults, _ fetchRequest: FetchRequest<ResultType>) {
    self.init(fetchRequest, results, view: nil) { $0 }
    results.controller = self
  }
}
