public import Foundation
import StoreInterface

/// A fetch that leaves its context's queue free while the store works; `ManagedObjectContext.execute(_:)` begins it.
///
/// A class, as in Core Data. Once it is executed, it belongs to the context's queue.
public final class AsynchronousFetchRequest<ResultType: ManagedObject> {
  /// The request that is fetched.
  public var fetchRequest: FetchRequest<ResultType>
  /// How many objects are expected, for the total of the progress; 0 when that is unknown.
  public var estimatedResultCount = 0
  /// Called once on the context's queue, when the result is there or the fetch has failed.
  public var completionBlock: (@Sendable (AsynchronousFetchResult<ResultType>) -> Void)?

  /// A fetch and what follows it.
  public init(
    fetchRequest: FetchRequest<ResultType>,
    completionBlock: (@Sendable (AsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.completionBlock = completionBlock
  }
}

/// What a context does in the background. `execute` returns this protocol, so Core Data code that casts with
/// `as? AsynchronousFetchResult<Recipe>` compiles without a warning.
public protocol PersistentStoreAsynchronousResult: AnyObject, Sendable {
  /// The context that was asked.
  var managedObjectContext: ManagedObjectContext { get }
  /// How far it is.
  var progress: Progress? { get }
  /// What went wrong.
  var operationError: (any Error)? { get }
  /// Ends it.
  func cancel()
}

/// A fetch that is under way, and its result.
///
/// `progress` and `cancel` may be used from anywhere. The rest belongs to the context's queue, which is what makes the
/// unchecked `Sendable` sound.
public final class AsynchronousFetchResult<ResultType: ManagedObject>:
  PersistentStoreAsynchronousResult, @unchecked Sendable
{
  /// What was asked for.
  public let fetchRequest: AsynchronousFetchRequest<ResultType>
  /// The context that was asked.
  public let managedObjectContext: ManagedObjectContext
  /// How many rows have arrived, of the estimated number, or indeterminate without an estimate; in the end, of as many
  /// as there were. Cancelling it ends the fetch. It is a child of the progress that is current where the fetch begins.
  /// Never nil; Core Data's is optional, too.
  public let progress: Progress?
  /// The objects, in the request's order; nil until they are there.
  public private(set) var finalResult: [ResultType]?
  /// What went wrong: `CancellationError` after a cancellation, otherwise what the store threw.
  public private(set) var operationError: (any Error)?
  let monitor: FetchMonitor

  init(_ request: AsynchronousFetchRequest<ResultType>, context: ManagedObjectContext) {
    fetchRequest = request
    managedObjectContext = context
    let progress = Progress(totalUnitCount: request.estimatedResultCount > 0 ? Int64(request.estimatedResultCount) : -1)
    let monitor = FetchMonitor { [weak progress] count in progress?.completedUnitCount = Int64(count) }
    progress.isPausable = false
    progress.cancellationHandler = { monitor.cancel() }
    if progress.isCancelled { monitor.cancel() }
    self.progress = progress
    self.monitor = monitor
  }

  /// Ends the fetch with a `CancellationError`, unless it has ended. The store stops working on it soon.
  public func cancel() {
    progress?.cancel()
    monitor.cancel()
  }

  func finish(_ outcome: Result<[ResultType], any Error>) {
    switch outcome {
    // The progress tells its handler of a cancellation some time later.
    case .success where progress?.isCancelled == true:
      operationError = CancellationError()
    case .success(let objects):
      finalResult = objects
      // A progress with a total of 0 never finishes.
      progress?.totalUnitCount = Int64(max(objects.count, 1))
      progress?.completedUnitCount = Int64(max(objects.count, 1))
    case .failure(let error):
      operationError = error
    }
    progress?.cancellationHandler = nil
    fetchRequest.completionBlock?(self)
  }
}
