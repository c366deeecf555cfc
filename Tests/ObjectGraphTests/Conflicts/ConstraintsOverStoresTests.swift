import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

/// The archive with a second store for all of its entities.
private struct TwoArchives {
  private let folder: TemporaryFolder
  let archive: Archive
  let stores: [any PersistentStore]

  init(_ kind: StoreKind) throws {
    archive = try Archive(kind)
    folder = try TemporaryFolder()
    let second = try kind.makeStore(archive.item.model, in: folder)
    stores = [archive.store, second]
    try archive.container.persistentStoreCoordinator.add(second)
  }

  /// A book in each of the stores.
  func addBooks(_ context: ManagedObjectContext, _ code: String, title: String) -> [ManagedObject] {
    stores.map { store in
      let book = archive.add(context, code, title: title)
      context.assign(book, to: store)
      return book
    }
  }
}

@Suite("Conflicts over several stores")
struct ConstraintsOverStoresTests {
  static let policies: [MergePolicy.Kind] = [
    .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
  ]

  @Test("a new object meets the rows of its own store alone", arguments: StoreKind.allCases, policies)
  func upsert(kind: StoreKind, policy: MergePolicy.Kind) throws {
    let two = try TwoArchives(kind)
    try two.archive.work { context in
      _ = two.addBooks(context, "a", title: "old")
      try context.save()
    }
    try two.archive.work(MergePolicy(policy)) { context in
      let new = two.archive.add(context, "a", title: "new")
      context.assign(new, to: two.stores[0])
      try context.save()
      #expect(!context.hasChanges)
    }
    let isTaken = policy == .mergeByPropertyObjectTrump || policy == .overwrite
    #expect(
      try two.archive.items() == [isTaken ? "a new null #1 v2" : "a old null #1 v1", "a old null #1 v1"])
  }

  @Test("objects of several stores with one key stay apart beside a conflict", arguments: StoreKind.allCases, policies)
  func apart(kind: StoreKind, policy: MergePolicy.Kind) throws {
    let two = try TwoArchives(kind)
    try two.archive.work { context in
      context.assign(two.archive.add(context, "a", title: "old"), to: two.stores[1])
      try context.save()
    }
    try two.archive.work(MergePolicy(policy)) { context in
      let new = two.addBooks(context, "z", title: "new")
      context.assign(two.archive.add(context, "a", title: "new"), to: two.stores[1])
      try context.save()
      #expect(new.allSatisfy { $0.managedObjectContext === context })
    }
    #expect(try two.archive.items().map { $0.prefix(1) } == ["z", "a", "z"])
  }

  @Test(
    "the error lists the objects of one store, a compound constraint with a relationship too",
    arguments: StoreKind.allCases)
  func compound(kind: StoreKind) throws {
    let two = try TwoArchives(kind)
    try two.archive.work { context in
      let books = two.addBooks(context, "a", title: "old")
      let chapters = zip(books, two.stores).map { book, store in
        let chapter = context.insert(two.archive.chapter)
        context.assign(chapter, to: store)
        chapter["number"] = .integer(1)
        chapter.setObject(book, for: "book")
        return chapter
      }
      try context.save()
      let second = context.insert(two.archive.chapter)
      context.assign(second, to: two.stores[1])
      second["number"] = .integer(1)
      second.setObject(books[1], for: "book")
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      #expect(error?.constraintConflicts.map(\.databaseObjectID) == [chapters[1].objectID])
      #expect(error?.constraintConflicts.map(\.conflictingObjects) == [[second]])
    }
  }

  @Test("the error lists what others changed in every store", arguments: StoreKind.allCases)
  func lockingConflicts(kind: StoreKind) throws {
    let two = try TwoArchives(kind)
    try two.archive.work { context in
      let books = two.addBooks(context, "a", title: "old") + two.addBooks(context, "b", title: "old")
      try context.save()
      try two.archive.work { other in
        let rows = try other.fetch(FetchSpecification(two.archive.item))
        for object in rows where object["code"] == .string("a") { object["title"] = .string("theirs") }
        rows.filter { $0["code"] == .string("b") }.suffix(1).forEach { other.delete($0) }
        try other.save()
      }
      let before = try two.archive.items()
      for book in books { book["note"] = .string("mine") }
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let conflicts = try #require(error?.optimisticLockingConflicts)
      #expect(Set(conflicts.map(\.sourceObject)) == [books[0], books[1], books[3]])
      #expect(conflicts.first { $0.sourceObject == books[3] }?.newVersion == nil)
      #expect(try two.archive.items() == before)
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
    }
    #expect(
      try two.archive.items() == [
        "a theirs mine #1 v3", "b old mine #2 v2", "a theirs mine #1 v3",
      ])
  }
}
