import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import Testing

@Suite("Uniqueness constraints and merge policies")
struct ConstraintConflictTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: MergePolicy.Kind
    let rows: [String]
    var testDescription: String { "\(policy)" }
  }

  static let newAgainstStored: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: ["a new old #1 v2", "b null null #3 v1"]),
    Case(policy: .overwrite, rows: ["a new null #1 v2", "b null null #3 v1"]),
    Case(policy: .mergeByPropertyStoreTrump, rows: ["a old old #1 v1", "b null null #3 v1"]),
    Case(policy: .rollback, rows: ["a old old #1 v1", "b null null #3 v1"]),
  ]

  @Test("a new object with the key of a stored row", arguments: StoreKind.allCases, newAgainstStored)
  func upsert(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "a", title: "old", note: "old")
      try context.save()
    }
    try archive.work(MergePolicy(example.policy)) { context in
      let new = archive.add(context, "a", title: "new")
      let tag = context.insert(archive.tag)
      let chapter = context.insert(archive.chapter)
      try new.add(tag, to: "tags")
      chapter.setObject(new, for: "book")
      archive.add(context, "b")
      try context.save()
      #expect(try archive.items() == example.rows)
      #expect(!context.hasChanges)
      let objectWins = example.policy == .mergeByPropertyObjectTrump || example.policy == .overwrite
      if objectWins {
        #expect(new.objectID.primaryKey == 1 && new["title"] == .string("new") && new.managedObjectContext === context)
        #expect(context.registeredObject(for: new.objectID) === new)
        #expect(chapter.object(for: "book") === new)
        #expect(try tag.objects(for: "items") == [new])
        #expect(try new.objects(for: "chapters") == [chapter])
      } else {
        #expect(new.managedObjectContext == nil)
        #expect(try tag.objects(for: "items").isEmpty)
      }
      new.managedObjectContext?.delete(new)
      try context.save()
    }
    let left = try archive.items()
    #expect(left.count == (example.rows[0].contains("new") ? 1 : 2))
  }

  @Test("a stored object that the context has already gets the values", arguments: StoreKind.allCases)
  func registered(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work(.mergeByPropertyObjectTrump) { context in
      let old = archive.add(context, "a", title: "old", note: "old")
      try context.save()
      let new = archive.add(context, "a", title: "new")
      try context.save()
      #expect(old["title"] == .string("new") && old["note"] == .string("old") && !old.hasChanges)
      #expect(new.objectID == old.objectID && new.managedObjectContext == nil)
      #expect(try archive.items() == ["a new old #1 v2"])
    }
  }

  static let twoNew: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: ["a two one #1 v1"]),
    Case(policy: .overwrite, rows: ["a two null #1 v1"]),
    Case(policy: .mergeByPropertyStoreTrump, rows: ["a one one #1 v1"]),
    Case(policy: .rollback, rows: ["a one one #1 v1"]),
  ]

  @Test("two new objects with one key", arguments: StoreKind.allCases, twoNew)
  func twoNewObjects(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work(MergePolicy(example.policy)) { context in
      archive.add(context, "a", title: "one", note: "one")
      archive.add(context, "a", title: "two")
      try context.save()
      #expect(try archive.items() == example.rows && !context.hasChanges)
      #expect(try context.fetch(FetchSpecification(archive.item)).count == 1)
    }
  }

  static let changedAgainstStored: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: ["a mine null #2 v2"]),
    Case(policy: .overwrite, rows: ["a mine null #2 v2"]),
    Case(policy: .mergeByPropertyStoreTrump, rows: ["a old null #1 v1", "b mine null #2 v2"]),
    Case(policy: .rollback, rows: ["a old null #1 v1", "b old null #2 v1"]),
  ]

  @Test("a changed object takes the key of another row", arguments: StoreKind.allCases, changedAgainstStored)
  func takenKey(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      for code in ["a", "b"] { archive.add(context, code, title: "old") }
      try context.save()
    }
    try archive.work(MergePolicy(example.policy)) { context in
      let mine = try #require(try archive.find(context, "b"))
      mine["code"] = .string("a")
      mine["title"] = .string("mine")
      try context.save()
      #expect(try archive.items() == example.rows && !context.hasChanges)
    }
  }

  @Test(
    "a constraint of an ancestor holds between its descendants, a compound one with a relationship too",
    arguments: StoreKind.allCases)
  func inheritedAndCompound(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let book = archive.add(context, "a", title: "book")
      let chapter = context.insert(archive.chapter)
      chapter["number"] = .integer(1)
      chapter["text"] = .string("old")
      chapter.setObject(book, for: "book")
      try context.save()
      let record = context.insert(try archive.item.model.required("Record"))
      record["code"] = .string("a")
      let second = context.insert(archive.chapter)
      second["number"] = .integer(1)
      second.setObject(book, for: "book")
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let conflicts = try #require(error?.constraintConflicts)
      #expect(Set(conflicts.map(\.constraint)) == [["code"], ["book", "number"]])
      let compound = try #require(conflicts.first { $0.constraint.count == 2 })
      #expect(compound.databaseObjectID == chapter.objectID && compound.conflictingObjects == [second])
      #expect(compound.constraintPropertyValues == ["book": .toOne(book.objectID), "number": .attribute(.integer(1))])
      #expect(compound.databasePropertyValues?["text"] == .attribute(.string("old")))
      let lines = try #require(error).description.split(separator: "\n").sorted()
      #expect(
        lines == [
          "several objects of Chapter have the same book, number: <Book/p1>, 1",
          "several objects of Item have the same code: \"a\"",
        ])

      context.mergePolicy = .mergeByPropertyObjectTrump
      second["text"] = .string("new")
      record["note"] = .string("from the record")
      try context.save()
      #expect(chapter["text"] == .string("new") && book["note"] == .string("from the record"))
      #expect(try archive.items() == ["a book from the record #1 v2"])
      #expect(try archive.store.snapshots(FetchSpecification(archive.chapter)).count == 1)
    }
  }

  @Test("lock and constraint conflicts in one save are resolved one after the other", arguments: StoreKind.allCases)
  func both(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work(.mergeByPropertyObjectTrump) { context in
      let mine = archive.add(context, "a", title: "old")
      try context.save()
      mine["note"] = .string("mine")
      archive.add(context, "b", title: "mine")
      try archive.work { other in
        try archive.find(other, "a")?["title"] = .string("theirs")
        archive.add(other, "b", note: "theirs")
        try other.save()
      }
      try context.save()
      #expect(try archive.items().map { $0.prefix { $0 != "#" } } == ["a theirs mine ", "b mine theirs "])
    }
  }

  @Test("many objects of one save meet many stored rows", arguments: StoreKind.allCases)
  func many(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      for index in 0..<300 { archive.add(context, "c\(index)", note: "old") }
      try context.save()
    }
    try archive.work(.mergeByPropertyObjectTrump) { context in
      for index in 150..<450 { archive.add(context, "c\(index)", title: "new") }
      try context.save()
    }
    let items = try archive.items()
    #expect(items.count == 450 && items.count { $0.contains("new old") } == 150)
  }
}
