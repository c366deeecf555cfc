import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Notifications and merging")
struct NotificationTests {
  /// Observes one context's notifications until it is dropped; used on one thread at a time.
  final class Observer: @unchecked Sendable {
    private var tokens: [any NSObjectProtocol] = []

    func on(
      _ name: Notification.Name, _ context: ManagedObjectContext, _ body: @escaping @Sendable (Notification) -> Void
    ) {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil, using: body))
    }

    deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
  }

  @Test(
    "a counter that is kept when the context is about to save commits with what it counts",
    arguments: StoreKind.allCases)
  func counter(kind: StoreKind) throws {
    let archive = try Archive(kind)
    let observer = Observer()
    try archive.work { context in
      let book = archive.add(context, "a")
      observer.on(ManagedObjectContext.willSaveObjectsNotification, context) { notification in
        guard let context = notification.object as? ManagedObjectContext else { return }
        for object in context.insertedObjects where object.entity.name == "Chapter" {
          guard let book = object.object(for: "book"), case .integer(let count) = book["count"] else { continue }
          book["count"] = .integer(count + 1)
        }
      }
      try context.save()
      for number in 1...3 {
        let chapter = context.insert(archive.chapter)
        chapter["number"] = .integer(Int64(number))
        chapter.setObject(book, for: "book")
      }
      try context.save()
      #expect(book["count"] == .integer(3) && !context.hasChanges)
    }
    let row = try #require(try archive.store.snapshots(FetchSpecification(archive.book)).first)
    #expect(row.attributes.contains(.integer(3)) && row.version == 2)
  }

  @Test("a save and every event tell of their objects", arguments: StoreKind.allCases)
  func contents(kind: StoreKind) throws {
    let archive = try Archive(kind)
    let observer = Observer()
    let log = Log()
    let context = archive.container.newBackgroundContext(name: "noted")
    @Sendable func codes(_ objects: Set<ManagedObject>) -> String {
      objects.map { $0["code"].text }.sorted().joined(separator: ",")
    }
    observer.on(ManagedObjectContext.didChangeObjectsNotification, context) { notification in
      guard let changes = notification.contextChanges else { return }
      log.add(
        "change +\(codes(changes.insertedObjects)) ~\(codes(changes.updatedObjects)) -\(codes(changes.deletedObjects)) r\(codes(changes.refreshedObjects))"
      )
    }
    observer.on(ManagedObjectContext.didSaveObjectsNotification, context) { notification in
      guard let changes = notification.contextChanges else { return }
      log.add(
        "save +\(codes(changes.insertedObjects)) ~\(codes(changes.updatedObjects)) -\(codes(changes.deletedObjects))")
    }
    observer.on(ManagedObjectContext.didSaveObjectIDsNotification, context) { notification in
      guard let ids = notification.contextChangeIDs else { return }
      let keys = [ids.insertedObjectIDs, ids.updatedObjectIDs, ids.deletedObjectIDs].map { $0.compactMap(\.primaryKey) }
      log.add("ids \(keys)")
    }
    try context.performAndWait {
      let first = archive.add(context, "a")
      let second = archive.add(context, "b")
      try context.save()
      first["title"] = .string("t")
      context.delete(second)
      context.processPendingChanges()
      try context.save()
      try context.save()
      first["title"] = .string("u")
      context.rollback()
    }
    #expect(
      log.lines == [
        "change +a,b ~ - r", "save +a,b ~ -", "ids [[1, 2], [], []]", "change + ~a -b r", "save + ~a -b",
        "ids [[], [1], [2]]", "change + ~ - ra",
      ])
  }

  @Test("what another context saved is merged and keeps what was changed here", arguments: StoreKind.allCases)
  func merging(kind: StoreKind) throws {
    let archive = try Archive(kind)
    let context = archive.container.newBackgroundContext(name: "merging")
    let other = archive.container.newBackgroundContext(name: "saving")
    let observer = Observer()
    let log = Log()
    observer.on(ManagedObjectContext.didSaveObjectsNotification, other) { notification in
      context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
    }
    observer.on(ManagedObjectContext.didMergeChangesObjectIDsNotification, context) { notification in
      log.add("merged \(notification.contextChangeIDs?.insertedObjectIDs.count ?? -1)")
    }
    try context.performAndWait {
      let books = ["a", "b", "c"].map { archive.add(context, $0) }
      let chapter = context.insert(archive.chapter)
      chapter.setObject(books[0], for: "book")
      try context.save()
      #expect(try books[0].objects(for: "chapters") == [chapter])
      books[0]["note"] = .string("mine")
      books[1]["note"] = .string("lost")
      try other.performAndWait {
        let theirs = try ["a", "b", "c"].map { try #require(try archive.find(other, $0)) }
        theirs[0]["title"] = .string("theirs")
        other.delete(theirs[1])
        let new = other.insert(archive.chapter)
        new.setObject(theirs[0], for: "book")
        archive.add(other, "d")
        try other.save()
      }
      #expect(books[0]["title"] == .string("theirs") && books[0]["note"] == .string("mine") && books[0].isUpdated)
      #expect(books[1].isDeleted && !context.updatedObjects.contains(books[1]))
      #expect(try books[0].objects(for: "chapters").count == 2)
      #expect(log.lines == ["merged 2"])
      try context.save()
      #expect(try archive.items() == ["a theirs mine #1 v3", "c null null #3 v1", "d null null #4 v1"])
    }
  }

  @Test("a context that follows its store has what others saved")
  func automatic() async throws {
    let archive = try Archive(.inMemory)
    let follower = archive.container.newBackgroundContext(name: "follower")
    let writer = archive.container.newBackgroundContext(name: "writer")
    let box = Box<ManagedObject>()
    try await follower.perform {
      follower.automaticallyMergesChangesFromParent = true
      box.value = archive.add(follower, "a")
      try follower.save()
    }
    for (isFollowing, title) in [(true, "one"), (false, "two")] {
      await follower.perform { follower.automaticallyMergesChangesFromParent = isFollowing }
      try await writer.perform {
        let theirs = try #require(try archive.find(writer, "a"))
        theirs["title"] = .string(title)
        try writer.save()
      }
      await follower.perform { #expect(box.value?["title"] == .string("one")) }
    }
  }

  @Test("changes of another coordinator are merged, as ids and as URIs", arguments: StoreKind.allCases)
  func remote(kind: StoreKind) throws {
    let archive = try Archive(kind)
    // A second coordinator over the same store keeps rows of its own.
    let second = try PersistentContainer(name: "second", model: archive.item.model, store: archive.store)
    let context = second.newBackgroundContext()
    try archive.work { writer in
      let mine = archive.add(writer, "a", title: "one")
      try writer.save()
      try context.performAndWait {
        let theirs = try #require(try archive.find(context, "a"))
        mine["title"] = .string("two")
        try writer.save()
        #expect(theirs["title"] == .string("one"))
        ManagedObjectContext.mergeChanges(
          fromRemoteContextSave: ContextChangeIDs(updated: [mine.objectID]), into: [context])
        #expect(theirs["title"] == .string("two"))
        mine["title"] = .string("three")
        try writer.save()
        ManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [], updated: [mine.objectID.uriRepresentation()], deleted: [], into: [context])
        #expect(theirs["title"] == .string("three"))
        let uri = mine.objectID.uriRepresentation()
        writer.delete(mine)
        try writer.save()
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: [], updated: [], deleted: [uri], into: [context])
        #expect(theirs.isDeleted && !context.hasChanges)
      }
    }
  }

  @Test("a context is not saved from inside its own save")
  func nestedSave() throws {
    let archive = try Archive(.inMemory)
    let observer = Observer()
    let log = Log()
    try archive.work { context in
      observer.on(ManagedObjectContext.willSaveObjectsNotification, context) { _ in
        do { try context.save() } catch { log.add("\(error)") }
      }
      archive.add(context, "a")
      try context.save()
    }
    #expect(log.lines == ["a context that is being saved was saved again"])
  }
}

/// Lines from observers, which run one after the other.
final class Log: @unchecked Sendable {
  private(set) var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}
