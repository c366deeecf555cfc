import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Query generations")
struct QueryGenerationTests {
  @Test(
    "a pinned context sees one view through saves, batch deletes and checkpoints of others",
    arguments: StoreKind.allCases
  )
  func unchanging(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let first = try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      return try scene.view(context)
    }
    #expect(first.contains("count 3"))
    for round in 0..<4 {
      try scene.change(grade: Int64(20 + round), adding: "new \(round)")
      if round == 2 { try scene.batchDelete(.comparison(["grade"], .equal, .integer(2))) }
      if let store = scene.school.store as? SQLiteStore {
        let other = try Connection(path: store.path)
        _ = try? other.checkpoint(.passive)
        try other.close()
      }
      let again = try scene.read { context in
        // As refreshAllObjects does, so that faults fire again.
        context.refreshAllObjects()
        return try scene.view(context)
      }
      #expect(again == first, "round \(round)")
    }
    let newest = scene.school.container.newBackgroundContext()
    let now = try newest.performAndWait { try scene.view(newest) }
    #expect(now != first && now.contains("count 5"))
    // Told to, it has what the others have.
    let advanced = try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      context.refreshAllObjects()
      return try scene.view(context)
    }
    #expect(advanced == now)
    try scene.change(adding: "last")
    let unpinned = try scene.read { context in
      try context.setQueryGenerationFrom(nil)
      #expect(context.queryGenerationToken == nil)
      return try context.count(scene.school.all(scene.school.pupil))
    }
    #expect(unpinned == 6)
  }

  @Test("a pinned context sees one view while another program rewrites the file, and none once the store is taken away")
  func rewritten() throws {
    let scene = try GenerationScene(.sqlite)
    let store = try #require(scene.school.store as? SQLiteStore)
    let first = try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      return try scene.view(context)
    }
    try scene.change()
    let other = try Connection(path: store.path)
    try other.execute("PRAGMA busy_timeout = 5")
    // SQLite refuses statements that it cannot run beside a reader, and the others do not change the pinned view.
    for statement in [
      "VACUUM", "REINDEX", "ANALYZE", "PRAGMA journal_mode = DELETE", "PRAGMA wal_checkpoint(TRUNCATE)",
    ] {
      _ = try? other.string(statement)
      let again = try scene.read { context in
        context.refreshAllObjects()
        return try scene.view(context)
      }
      #expect(again == first, "\(statement)")
    }
    #expect(try other.string("PRAGMA journal_mode") == "wal")
    try other.close()
    let coordinator = scene.school.container.persistentStoreCoordinator
    try coordinator.remove(try #require(coordinator.persistentStores.first))
    scene.read { context in
      let error = #expect(throws: (any Error).self) { try scene.view(context) }
      #expect("\(String(describing: error))".contains("generation ended"), "\(String(describing: error))")
    }
  }

  @Test("a context is pinned when it first loads something", arguments: StoreKind.allCases)
  func lazily(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      #expect(context.queryGenerationToken == .current)
    }
    try scene.change()
    let names = try scene.read { context in
      let names = try scene.names(context)
      #expect(context.queryGenerationToken != .current && context.queryGenerationToken != nil)
      return names
    }
    #expect(names == ["aa", "cc", "dd"])
  }

  @Test("contexts share a token, and others have one of their own", arguments: StoreKind.allCases)
  func shared(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let token = try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      _ = try scene.names(context)
      return context.queryGenerationToken
    }
    try scene.change()
    let second = scene.school.container.newBackgroundContext()
    let later = scene.school.container.newBackgroundContext()
    try second.performAndWait {
      try second.setQueryGenerationFrom(token)
      #expect(second.queryGenerationToken == token)
      #expect(try scene.names(second) == ["aa", "bb", "cc"])
    }
    try later.performAndWait {
      try later.setQueryGenerationFrom(.current)
      #expect(try scene.names(later) == ["aa", "cc", "dd"])
      #expect(later.queryGenerationToken != token)
    }
    // The first leaves; the second still has it.
    try scene.read { try $0.setQueryGenerationFrom(nil) }
    try scene.change(adding: "ee")
    #expect(try second.performAndWait { try scene.grades(second) } == [0, 1, 2])
    #expect(try later.performAndWait { try scene.names(later) } == ["aa", "cc", "dd"])
    #expect(try scene.read { try scene.names($0) } == ["aa", "cc", "dd", "ee"])
  }

  @Test("rows that one context loads are not given to contexts of another generation", arguments: StoreKind.allCases)
  func cached(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let (school, reader) = (scene.school, scene.context)
    let id = try reader.performAndWait {
      try reader.setQueryGenerationFrom(.current)
      return try reader.objectIDs(school.all(school.pupil, by: "name"))[0]
    }
    func grade(_ context: ManagedObjectContext) throws -> Value? {
      try context.performAndWait { try context.existingObject(with: id)["grade"] }
    }
    try scene.change(grade: 30)
    // What the writer saved is in the coordinator's cache.
    #expect(try grade(reader) == .integer(0))
    #expect(try grade(school.container.newBackgroundContext()) == .integer(30))
    try scene.change(grade: 31, adding: "ee")
    reader.performAndWait { reader.refreshAllObjects() }
    #expect(try grade(reader) == .integer(0))
    #expect(try grade(school.container.newBackgroundContext()) == .integer(31))
    let later = school.container.newBackgroundContext()
    try later.performAndWait {
      later.stalenessInterval = 0
      try later.setQueryGenerationFrom(.current)
    }
    #expect(try grade(later) == .integer(31))
    try scene.change(grade: 32, adding: "ff")
    later.performAndWait { later.refreshAllObjects() }
    #expect(try grade(later) == .integer(31))
  }

  @Test("a save compares with the newest rows, and advances to what it wrote", arguments: StoreKind.allCases)
  func saving(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let school = scene.school
    try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      try scene.change(grade: 40)
      pupils[0]["grade"] = .integer(50)
      let before = context.queryGenerationToken
      #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(context.queryGenerationToken == before)
      #expect(try context.count(school.all(school.pupil)) == 3)
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      let after = context.queryGenerationToken
      #expect(after != before && after != .current && after != nil)
      #expect(try scene.names(context) == ["aa", "cc", "dd"])
      try scene.change(adding: "ee")
      #expect(try scene.names(context) == ["aa", "cc", "dd"])
    }
    let newest = school.container.newBackgroundContext()
    #expect(try newest.performAndWait { try scene.names(newest) } == ["aa", "cc", "dd", "ee"])
  }

  @Test("a conflict with a row that the generation does not have is resolved", arguments: StoreKind.allCases)
  func constraint(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let school = scene.school
    try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      #expect(try scene.names(context).count == 3)
      try school.work { other in
        school.addPupil(other, "first")["email"] = .string("x@y")
        try other.save()
      }
      let mine = school.addPupil(context, "mine")
      mine["email"] = .string("x@y")
      #expect(throws: (any Error).self) { try context.save() }
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
      #expect(try scene.names(context) == ["aa", "bb", "cc", "mine"])
    }
    #expect(try school.rows(school.pupil).count == 4)
  }

  @Test("merging what others saved and resetting advance a pinned context", arguments: StoreKind.allCases)
  func merging(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let school = scene.school
    try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      let pupils = try context.fetch(school.all(school.pupil, by: "name"))
      #expect(try scene.grades(context) == [0, 1, 2])
      let writer = school.container.newBackgroundContext()
      let ids = try writer.performAndWait {
        let found = try writer.fetch(school.all(school.pupil, by: "name"))
        found[0]["grade"] = .integer(7)
        writer.delete(found[1])
        let ids = ContextChangeIDs(updated: [found[0].objectID], deleted: [found[1].objectID])
        try writer.save()
        return ids
      }
      #expect(pupils[0]["grade"] == .integer(0))
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: ids, into: [context])
      #expect(pupils[0]["grade"] == .integer(7))
      #expect(try scene.names(context) == ["aa", "cc"])
      #expect(context.queryGenerationToken != .current)
      try scene.change()
      #expect(try scene.names(context) == ["aa", "cc"])
      context.reset()
      #expect(context.queryGenerationToken == .current)
      #expect(try scene.names(context) == ["aa", "cc", "dd"])
      try scene.change(adding: "ee")
      #expect(try scene.names(context) == ["aa", "cc", "dd"])
    }
  }

  @Test(
    "children read what their parent is pinned to, and have no generation of their own", arguments: StoreKind.allCases)
  func children(kind: StoreKind) throws {
    let scene = try GenerationScene(kind)
    let child = ManagedObjectContext(.privateQueue, parent: scene.context, name: "child")
    try scene.read { try $0.setQueryGenerationFrom(.current) }
    let first = try child.performAndWait {
      #expect(child.queryGenerationToken == nil)
      let error = #expect(throws: StoreError.self) { try child.setQueryGenerationFrom(.current) }
      #expect(error.map { "\($0)".contains("topmost context") } == true)
      return try scene.view(child)
    }
    try scene.change()
    let second = try child.performAndWait {
      child.reset()
      return try scene.view(child)
    }
    #expect(second == first)
  }

  @Test("a token of another container is refused", arguments: StoreKind.allCases)
  func foreign(kind: StoreKind) throws {
    let (scene, other) = (try GenerationScene(kind), try GenerationScene(kind))
    let token = try scene.read { context in
      try context.setQueryGenerationFrom(.current)
      _ = try scene.names(context)
      return context.queryGenerationToken
    }
    let error = #expect(throws: StoreError.self) { try pin(other.context, to: token) }
    #expect(error.map { "\($0)".contains("another coordinator") } == true)
    #expect(other.read { $0.queryGenerationToken } == nil)
  }

  private func pin(_ context: ManagedObjectContext, to token: QueryGenerationToken? = .current) throws {
    try context.performAndWait { try context.setQueryGenerationFrom(token) }
  }

  @Test("a store that keeps no generations is named, and nothing changes")
  func unable() throws {
    let school = try School(.inMemory)
    let store = CountingStore(InMemoryStore(model: school.container.managedObjectModel))
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: store.model, store: store)
    let context = ManagedObjectContext(coordinator: coordinator, name: "unable")
    let error = #expect(throws: StoreError.self) { try pin(context) }
    #expect(error.map { "\($0)".contains(store.identifier) && "\($0)".contains("no query generations") } == true)
    #expect(context.performAndWait { context.queryGenerationToken } == nil)
    #expect(try context.performAndWait { try context.count(school.all(school.pupil)) } == 0)
    let empty = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: store.model), name: "empty")
    #expect(throws: StoreError.self) { try pin(empty) }
  }

  @Test("an asynchronous fetch reads the generation of its context", arguments: StoreKind.allCases)
  func asynchronous(kind: StoreKind) async throws {
    let scene = try GenerationScene(kind)
    let (context, request) = (scene.context, scene.school.all(scene.school.pupil, by: "name"))
    try await context.perform { try context.setQueryGenerationFrom(.current) }
    func names() async throws -> [String] {
      try await context.fetch(asynchronously: request) { $0.map { $0["name"]?.string ?? "" } }
    }
    #expect(try await names() == ["aa", "bb", "cc"])
    try scene.change()
    #expect(try await names() == ["aa", "bb", "cc"])
    try await context.perform { try context.setQueryGenerationFrom(.current) }
    #expect(try await names() == ["aa", "cc", "dd"])
  }

  @Test("a generation of several stores has all of a save or nothing of it", arguments: StoreKind.allCases)
  func severalStores(kind: StoreKind) throws {
    let archive = try Archive(kind)
    let folder = try TemporaryFolder()
    try archive.container.persistentStoreCoordinator.add(try kind.makeStore(archive.item.model, in: folder))
    let stores = archive.container.persistentStoreCoordinator.persistentStores
    let saves = 60
    let writer = Thread {
      do {
        for number in 0..<saves {
          try archive.work { context in
            for (index, store) in stores.enumerated() {
              context.assign(archive.add(context, "\(number) \(index)", title: "\(number)"), to: store)
            }
            try context.save()
          }
        }
      } catch {
        Issue.record(error)
      }
    }
    writer.start()
    var counts: Set<Int> = []
    let context = archive.container.newBackgroundContext()
    while !writer.isFinished {
      try context.performAndWait {
        try context.setQueryGenerationFrom(.current)
        let titles = try context.fetch(FetchSpecification(archive.item)).map { $0["title"]?.string ?? "" }
        for (_, group) in Dictionary(grouping: titles, by: \.self) { #expect(group.count == 2) }
        counts.insert(titles.count)
        let first = FetchRequest<ManagedObject>(entityName: "Item")
        first.affectedStores = [stores[0]]
        #expect(try context.count(for: first) == titles.count / 2)
      }
    }
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(FetchSpecification(archive.item)) == 2 * saves)
    }
  }
}
