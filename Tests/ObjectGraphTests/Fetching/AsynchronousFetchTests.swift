import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Synchronization
import TestStores
import TestSupport
import Testing

/// Items of one group, so that items can be compared with all others of their group, again and again.
private struct Crowd: Sendable {
  let count: Int
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let item: Entity
  let group: Entity

  init(_ kind: StoreKind, count wanted: Int? = nil) throws {
    // Evaluation in memory is slower, and is ended between two rows: with these it takes minutes, and a row not one
    // second.
    let count = wanted ?? (kind == .sqlite ? 2_400 : 320)
    self.count = count
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("number", .integer64)]
    item.relationships = [RelationshipDefinition("group", toOne: "Group", inverse: "items")]
    var group = EntityDefinition("Group")
    group.relationships = [RelationshipDefinition("items", toMany: "Item", inverse: "group")]
    let model = try ManagedObjectModel(entities: [item, group])
    folder = try TemporaryFolder()
    let store = try kind.makeStore(model, in: folder)
    container = try PersistentContainer(name: "crowd", model: model, store: store)
    self.item = try model.required("Item")
    self.group = try model.required("Group")
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let group = context.insert(self.group)
      for number in 0..<count {
        let object = context.insert(self.item)
        object["number"] = .integer(Int64(number))
        object.setObject(group, for: "group")
      }
      try context.save()
    }
  }

  /// All items by number.
  var all: FetchSpecification {
    var request = FetchSpecification(item)
    request.sortDescriptors = [FetchSortDescriptor(["number"])]
    return request
  }

  /// The first 64 items at once, the rest only after looking at all triples of items.
  func endless() throws -> FetchSpecification {
    var request = FetchSpecification(item)
    request.predicate = try FetchPredicate(
      parsing: """
        number < 64 OR SUBQUERY(group.items, $a, SUBQUERY(group.items, $b, $b.number + $a.number < 0).@count > 0).@count > 0
        """)
    return request
  }
}

/// What came of a fetch, kept for another thread.
private final class Outcome: Sendable {
  private struct State {
    var text: String?
    var waiting: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func note(_ result: AsynchronousFetchResult<ManagedObject>) {
    let count = result.finalResult.map { "\($0.count) objects" }
    let error = result.operationError.map { $0 is CancellationError ? "cancelled" : "\($0)" }
    let waiting = state.withLock { state in
      state.text = [state.text, count, error].compactMap { $0 }.joined(separator: ", ")
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func wait() async -> String? {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.text == nil { state.waiting = continuation }
        return state.text != nil
      }
      if isThere { continuation.resume() }
    }
    return state.withLock { $0.text }
  }
}

@Suite("Asynchronous fetches")
struct AsynchronousFetchTests {
  private func begin(
    _ fetch: FetchSpecification, estimate: Int = 0, in context: ManagedObjectContext, _ outcome: Outcome
  )
    throws -> AsynchronousFetchResult<ManagedObject>
  {
    try context.performAndWait {
      let request = AsynchronousFetchRequest(fetchRequest: FetchRequest<ManagedObject>(fetch)) { outcome.note($0) }
      request.estimatedResultCount = estimate
      let result: AsynchronousFetchResult<ManagedObject> = try context.execute(request)
      // The result cannot come before this work has ended.
      #expect(result.finalResult == nil && result.operationError == nil && result.managedObjectContext === context)
      return result
    }
  }

  @Test("the result is that of a fetch, in the context and in a child", arguments: StoreKind.allCases, [false, true])
  func equality(kind: StoreKind, inChild: Bool) async throws {
    let crowd = try Crowd(kind, count: 200)
    let root = crowd.container.newBackgroundContext()
    let context = inChild ? ManagedObjectContext(parent: root, name: "child") : root
    var request = crowd.all
    request.predicate = try FetchPredicate(parsing: "modulus:by:(number, 3) == 0")
    request.fetchOffset = 2
    request.fetchLimit = 50
    for isPending in [false, true] {
      if isPending {
        try root.performAndWait {
          for object in try root.fetch(crowd.all).prefix(40) { root.delete(object) }
        }
        context.performAndWait { context.insert(crowd.item)["number"] = .integer(-3) }
      }
      let outcome = Outcome()
      let result = try begin(request, in: context, outcome)
      #expect(await outcome.wait() == "50 objects")
      let wanted = request
      try context.performAndWait {
        let found = try #require(result.finalResult)
        #expect(try found == context.fetch(wanted) && result.operationError == nil)
        #expect(found.first?["number"] == .integer(isPending ? 45 : 6))
      }
      let numbers = try await context.fetch(asynchronously: request) { $0.map { $0["number"] } }
      #expect(try context.performAndWait { try context.fetch(wanted).map { $0["number"] } } == numbers)
    }
  }

  @Test("progress counts the rows, of the estimated number and at last of the true one", arguments: StoreKind.allCases)
  func progress(kind: StoreKind) async throws {
    let crowd = try Crowd(kind)
    let context = crowd.container.newBackgroundContext()
    let outcome = Outcome()
    let seen = Mutex<[Int64]>([])
    let result = try begin(crowd.all, estimate: 1_000, in: context, outcome)
    let progress = try #require(result.progress)
    #expect(progress.totalUnitCount == 1_000 || progress.isFinished)
    while !progress.isFinished {
      seen.withLock { $0.append(progress.completedUnitCount) }
      await Task.yield()
    }
    #expect(await outcome.wait() == "\(crowd.count) objects")
    #expect(progress.totalUnitCount == crowd.count && progress.completedUnitCount == crowd.count)
    let counts = seen.withLock { $0 }
    #expect(counts == counts.sorted() && counts.allSatisfy { $0 % 64 == 0 || $0 == crowd.count })
  }

  @Test("a progress that is current has the fetch as a part", arguments: StoreKind.allCases)
  func currentProgress(kind: StoreKind) async throws {
    let crowd = try Crowd(kind, count: 100)
    let context = crowd.container.newBackgroundContext()
    let outcome = Outcome()
    let whole = Progress(totalUnitCount: 10)
    _ = try context.performAndWait {
      whole.becomeCurrent(withPendingUnitCount: 10)
      defer { whole.resignCurrent() }
      return try context.execute(
        AsynchronousFetchRequest(fetchRequest: FetchRequest<ManagedObject>(crowd.all)) { outcome.note($0) })
    }
    #expect(await outcome.wait() == "100 objects")
    #expect(whole.completedUnitCount == 10)
  }

  @Test("the store tells every 64 rows", arguments: StoreKind.allCases)
  func monitor(kind: StoreKind) throws {
    let crowd = try Crowd(kind)
    let seen = Mutex<[Int]>([])
    let monitor = FetchMonitor { count in seen.withLock { $0.append(count) } }
    let store = try #require(crowd.container.persistentStoreCoordinator.store as? any MonitoredFetching)
    let found = try store.snapshots(crowd.all, monitor: monitor)
    #expect(found.count == crowd.count)
    #expect(seen.withLock { $0 } == Array(stride(from: 64, through: crowd.count, by: 64)))
  }

  @Test("a cancelled query ends with an error, and context and store work on", arguments: StoreKind.allCases)
  func cancellation(kind: StoreKind) async throws {
    let crowd = try Crowd(kind)
    let context = crowd.container.newBackgroundContext()
    let outcome = Outcome()
    let result = try begin(try crowd.endless(), in: context, outcome)
    if kind == .sqlite {
      // SQLite looks at the rows in their order: it is inside of the long part now.
      while result.progress!.completedUnitCount < 64 { await Task.yield() }
    }
    // Meanwhile the context fetches and saves, and what it fetches is not ended with the other.
    try context.performAndWait {
      #expect(try context.fetch(crowd.all).count == crowd.count)
      context.insert(crowd.item)["number"] = .integer(1_000)
      try context.save()
    }
    result.cancel()
    #expect(await outcome.wait() == "cancelled")
    let found = try context.performAndWait {
      #expect(result.finalResult == nil && result.progress?.isCancelled == true)
      return try context.fetch(crowd.all).count
    }
    #expect(found == crowd.count + 1)
    let count = try await context.fetch(asynchronously: crowd.all) { $0.count }
    #expect(count == crowd.count + 1)
  }

  @Test("cancelling a task ends its fetch", arguments: StoreKind.allCases)
  func taskCancellation(kind: StoreKind) async throws {
    let crowd = try Crowd(kind)
    let context = crowd.container.newBackgroundContext()
    let request = try crowd.endless()
    // The cancellation comes before the store's work or during it: the fetch has no end of its own.
    for _ in 0..<5 {
      let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        beginning.yield()
        return try await context.fetch(asynchronously: request) { $0.count }
      }
      for await _ in beginnings.prefix(1) { await context.perform {} }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let late = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await context.fetch(asynchronously: request) { $0.count }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("a fetch may be cancelled before it begins, and is not undone after its end", arguments: StoreKind.allCases)
  func early(kind: StoreKind) async throws {
    let crowd = try Crowd(kind, count: 10)
    let context = crowd.container.newBackgroundContext()
    let outcome = Outcome()
    let result = try context.performAndWait {
      let result = try context.execute(
        AsynchronousFetchRequest(fetchRequest: FetchRequest<ManagedObject>(crowd.all)) { outcome.note($0) })
      result.cancel()
      return result
    }
    #expect(await outcome.wait() == "cancelled")
    result.cancel()
    let second = Outcome()
    let whole = try begin(crowd.all, in: context, second)
    #expect(await second.wait() == "10 objects")
    whole.cancel()
    // What a cancellation would bring comes on the context's queue.
    await context.perform {}
    #expect(await second.wait() == "10 objects")
    context.performAndWait { #expect(whole.finalResult?.count == 10 && whole.operationError == nil) }
  }

  @Test("changes and saves while the store works are seen", arguments: StoreKind.allCases)
  func changesMeanwhile(kind: StoreKind) async throws {
    let crowd = try Crowd(kind, count: 10)
    let context = crowd.container.newBackgroundContext()
    var request = crowd.all
    request.fetchLimit = 3
    let limited = request
    for isSaved in [false, true] {
      let outcome = Outcome()
      let result = try context.performAndWait {
        let result: AsynchronousFetchResult<ManagedObject> = try context.execute(
          AsynchronousFetchRequest(fetchRequest: FetchRequest<ManagedObject>(limited)) { outcome.note($0) })
        // This is still inside of the work that began it.
        context.insert(crowd.item)["number"] = .integer(isSaved ? -2 : -1)
        if isSaved { try context.save() }
        return result
      }
      #expect(await outcome.wait() == "3 objects")
      context.performAndWait {
        let numbers = result.finalResult?.map { $0["number"] }
        #expect(numbers == (isSaved ? [-2, -1, 0] : [-1, 0, 1]).map { .integer($0) })
      }
    }
  }

  @Test("a mistake in the request is thrown at once, an error of the store comes with the result")
  func failures() async throws {
    let crowd = try Crowd(.sqlite, count: 1)
    let context = crowd.container.newBackgroundContext()
    var wrong = crowd.all
    wrong.sortDescriptors = [FetchSortDescriptor(["weight"])]
    let request = wrong
    context.performAndWait {
      _ = #expect(throws: StoreError.self) {
        try context.execute(AsynchronousFetchRequest(fetchRequest: FetchRequest<ManagedObject>(request)))
      }
    }
    let outcome = Outcome()
    try crowd.container.persistentStoreCoordinator.remove(crowd.container.persistentStoreCoordinator.store)
    _ = try begin(crowd.all, in: context, outcome)
    #expect(await outcome.wait()?.contains("no store") == true)
  }
}
