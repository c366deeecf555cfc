import Diagnostics
import ObjectGraph
import StoreInterface
import Testing

/// What a coordinator counts.
@Suite("counters")
struct CounterTests {
  @Test("fetches, fired faults, cache misses and saves are counted by their coordinator", arguments: StoreKind.allCases)
  func counted(kind: StoreKind) throws {
    let school = try School(kind)
    let counters = school.container.persistentStoreCoordinator.counters
    let writer = school.container.newBackgroundContext(name: "writer")
    let id = try writer.performAndWait {
      let ada = school.addPupil(writer, "Ada")
      try writer.save()
      return ada.objectID
    }
    #expect(counters.current.saves.count == 1)
    let before = counters.current
    let reader = school.container.newBackgroundContext(name: "reader")
    try reader.performAndWait {
      #expect(try reader.fetch(FetchSpecification(school.pupil)).count == 1)
      #expect(try reader.count(FetchSpecification(school.pupil)) == 1)
      #expect(counters.current.since(before).fetches.count == 2)
      // The row is in the cache: a fault fires without the store.
      let other = school.container.newBackgroundContext(name: "other")
      try other.performAndWait { _ = try other.existingObject(with: id) }
      #expect(counters.current.since(before).faultsFired.count == 1)
      #expect(counters.current.since(before).cacheMisses.count == 0)
    }
    let uncached = school.container.newBackgroundContext(name: "uncached")
    try uncached.performAndWait {
      uncached.stalenessInterval = 0
      _ = try uncached.existingObject(with: id)
    }
    let counts = counters.current.since(before)
    #expect(counts.cacheMisses.count == 1)
    #expect(counts.faultsFired.count == 2)
    #expect(counts.saves.count == 0)
    #expect(counts.fetches.seconds > 0)
  }

  @Test("an empty save, and what pending changes answer, count nothing")
  func nothing() throws {
    let school = try School(.sqlite)
    let counters = school.container.persistentStoreCoordinator.counters
    let context = school.container.newBackgroundContext(name: "context")
    try context.performAndWait { try context.save() }
    #expect(counters.current == PerformanceCounts())
  }

  @Test("a request is explained by SQLite stores alone", arguments: StoreKind.allCases)
  func explained(kind: StoreKind) throws {
    let school = try School(kind)
    let context = school.container.newBackgroundContext(name: "context")
    try context.performAndWait {
      let request = FetchRequest<ManagedObject>(entityName: "Pupil")
      switch kind {
      case .sqlite:
        let explanation = try context.explanation(of: request)
        #expect(explanation.statement.hasPrefix("SELECT "))
      case .inMemory: #expect(throws: StoreError.self) { try context.explanation(of: request) }
      }
    }
  }
}
