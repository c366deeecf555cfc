import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import Synchronization
import TestStores
import Testing

@Suite("What only some stores can do")
struct CapabilityTests {
  /// An archive with a second store that can neither check before it writes nor be followed.
  private func makeArchive(_ kind: StoreKind) throws -> (
    archive: Archive, first: any PersistentStore, plain: CountingStore
  ) {
    let archive = try Archive(kind)
    let first = archive.store
    let plain = CountingStore(InMemoryStore(model: archive.item.model))
    try archive.container.persistentStoreCoordinator.add(plain)
    return (archive, first, plain)
  }

  // Identifiers are random, so that either store may come first by name.
  @Test(
    "a store that cannot check before it writes saves when the others have checked", arguments: StoreKind.allCases,
    1...4)
  func order(kind: StoreKind, round: Int) throws {
    let (archive, first, plain) = try makeArchive(kind)
    try archive.work { context in
      context.assign(archive.add(context, "a"), to: first)
      try context.save()
    }
    #expect(plain.saveCount == 0)
    try archive.work { context in
      context.assign(archive.add(context, "b"), to: plain)
      let doubled = archive.add(context, "a")
      context.assign(doubled, to: first)
      #expect(throws: (any Error).self) { try context.save() }
      #expect(plain.saveCount == 0)
      doubled["code"] = .string("c")
      try context.save()
    }
    #expect(plain.saveCount == 1)
    #expect(try first.count(FetchSpecification(archive.item)) == 2)
    #expect(try plain.count(FetchSpecification(archive.item)) == 1)
  }

  @Test("where it fails, nothing is left in the stores that can undo", arguments: StoreKind.allCases, 1...4)
  func undone(kind: StoreKind, round: Int) throws {
    let archive = try Archive(kind)
    let first = archive.store
    let fragile = StoreFailureTests.FragileStore(archive.item.model)
    try archive.container.persistentStoreCoordinator.add(fragile)
    fragile.isBroken.store(true, ordering: .relaxed)
    try archive.work { context in
      context.assign(archive.add(context, "a"), to: first)
      context.assign(archive.add(context, "b"), to: fragile)
      #expect(throws: (any Error).self) { try context.save() }
      #expect(try first.count(FetchSpecification(archive.item)) == 0)
      fragile.isBroken.store(false, ordering: .relaxed)
      try context.save()
    }
    #expect(try first.count(FetchSpecification(archive.item)) == 1)
    #expect(try fragile.count(FetchSpecification(archive.item)) == 1)
  }

  @Test("a store that cannot be followed is asked all the same, but not by a task that was cancelled")
  func unfollowed() async throws {
    let (archive, first, plain) = try makeArchive(.inMemory)
    #expect(first is any MonitoredFetching && first is any TwoPhaseSaving)
    #expect(!(plain is any MonitoredFetching) && !(plain is any TwoPhaseSaving))
    try archive.work { context in
      context.assign(archive.add(context, "a"), to: first)
      context.assign(archive.add(context, "b"), to: plain)
      try context.save()
    }
    let context = archive.container.newBackgroundContext()
    let request = FetchSpecification(archive.item)
    #expect(try await context.fetch(asynchronously: request) { $0.count } == 2)
    let asked = plain.fetchCount
    #expect(asked > 0)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await context.fetch(asynchronously: request) { $0.count }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(plain.fetchCount == asked)
  }
}
