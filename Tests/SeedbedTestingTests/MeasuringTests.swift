import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

/// A screen that shows authors with their entries.
private struct Screen {
  let context: ManagedObjectContext

  /// - Parameter prefetches: otherwise the entries of each author are asked for one by one.
  func load(prefetches: Bool) throws -> Int {
    try context.performAndWait {
      let request = FetchRequest<ManagedObject>(entityName: "Author")
      if prefetches { request.relationshipKeyPathsForPrefetching = ["entries"] }
      return try context.fetch(request).flatMap { try $0.objects(for: "entries") }.count
    }
  }
}

@Suite("Measured blocks")
struct MeasuringTests {
  private func container(_ folder: TemporaryFolder) throws -> PersistentContainer {
    let container = try Journal.container(at: folder.file("Journal.sqlite"))
    try Journal.fill(container)
    return container
  }

  @Test("a screen of three requests makes three, and one that asks object by object more")
  func requests() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    func measure(prefetches: Bool) throws -> StackMeasurement<Int> {
      try container.measure(setUp: {
        let context = container.newBackgroundContext()
        context.performAndWait { context.stalenessInterval = 0 }
        return Screen(context: context)
      }) { screen in try screen.load(prefetches: prefetches) }
    }
    let good = try measure(prefetches: true)
    #expect(good.value == 3)
    #expect(good.requests == 3 && good.fetches == 2, "\(good)")
    let bad = try measure(prefetches: false)
    #expect(bad.value == 3)
    #expect(bad.requests == 7 && bad.fetches == 1 && bad.faults == 6, "\(bad)")
  }

  @Test("what it takes to get ready does not count", arguments: [true, false])
  func setUp(isAside: Bool) throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    func tags() throws -> Int {
      let context = container.newBackgroundContext()
      return try context.performAndWait { try context.count(for: FetchRequest<ManagedObject>(entityName: "Tag")) }
    }
    let measured =
      isAside
      ? try container.measure(setUp: { try tags() }) { try $0 + tags() }
      : try container.measure { try tags() + tags() }
    #expect(measured.value == 2)
    #expect(measured.fetches == (isAside ? 1 : 2) && measured.statements == (isAside ? 1 : 2), "\(measured)")
    #expect(measured.saves == 0 && measured.storeWork.rows == (isAside ? 1 : 2))
    #expect(measured.duration > .zero)
  }

  @Test("saves, faults and cache misses are counted, by blocks that wait as well")
  func counts() async throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let ids = try container.newBackgroundContext().fetchedIDs()
    let measured = try await container.measure {
      try await container.performBackgroundTask { context in
        context.stalenessInterval = 0
        for id in ids { try context.existingObject(with: id)["name"] = "\(id.primaryKey ?? 0) and more" }
        try context.save()
      }
    }
    #expect(measured.saves == 1 && measured.cacheMisses == 3 && measured.requests >= 3, "\(measured)")
    #expect(measured.description.contains("1 saves"))
  }

  @Test("the most memory of the block is told, without what was there before it")
  func memory() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let measured = container.measure {
      let bytes = [UInt8](repeating: 1, count: 64 << 20)
      return bytes.count(where: { $0 == 1 })
    }
    #expect(measured.value == 64 << 20)
    #if os(Linux)
      #expect(try #require(measured.peakMemoryBytes) > 64 << 20)
    #endif
  }

  @Test("a measurement keeps the peak that it has seen before one inside it")
  func nestedMemory() throws {
    let folder = try TemporaryFolder()
    let container = try container(folder)
    let outer = container.measure {
      let first = container.measure {
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        return bytes.count(where: { $0 == 1 })
      }
      // The memory is given back, and the system forgets the peak.
      _ = container.measure { 0 }
      return first.peakMemoryBytes
    }
    #if os(Linux)
      #expect(try #require(outer.peakMemoryBytes) >= #require(outer.value))
    #else
      _ = outer
    #endif
  }
}

extension ManagedObjectContext {
  fileprivate func fetchedIDs() throws -> [ObjectID] {
    try performAndWait { try objectIDs(for: FetchRequest<ManagedObject>(entityName: "Author")) }
  }
}
