import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Gives new objects other codes; refuses the code "no"; leaves "idle" alone.
private final class Renaming: MergePolicy, @unchecked Sendable {
  struct Refusal: Error {}

  init() { super.init(.error) }

  override func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
    for conflict in conflicts {
      let code = conflict.constraintPropertyValues["code"]
      if code == .attribute(.string("no")) { throw Refusal() }
      if code == .attribute(.string("idle")) { continue }
      if code == .attribute(.string("super")) { try super.resolve(constraintConflicts: [conflict]) }
      let losers = conflict.conflictingObjects.dropFirst(conflict.databaseObjectID == nil ? 1 : 0)
      for (number, object) in losers.enumerated() where object.isInserted {
        object["code"] = .string("\(object["code"].text)-\(number + 2)")
      }
    }
  }
}

/// Lets the trump of objects resolve one conflict after the other.
private final class OneByOne: MergePolicy, @unchecked Sendable {
  init() { super.init(.mergeByPropertyObjectTrump) }

  override func resolve(constraintConflicts conflicts: [ConstraintConflict]) throws {
    for conflict in conflicts { try super.resolve(constraintConflicts: [conflict]) }
  }
}

@Suite("Resolving conflicts about uniqueness")
struct ConstraintResolutionTests {
  @Test("a policy of one's own renames, refuses, passes on or does nothing", arguments: StoreKind.allCases)
  func custom(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work(Renaming()) { context in
      for code in ["a", "no", "idle", "super"] { archive.add(context, code) }
      try context.save()
      for _ in 1...2 { archive.add(context, "a") }
      for _ in 1...2 { archive.add(context, "b") }
      try context.save()
      #expect(
        try archive.items().map { String($0.prefix { $0 != " " }) }
          == ["a", "no", "idle", "super", "a-2", "a-3", "b", "b-2"])
      let new = archive.add(context, "no")
      #expect(throws: Renaming.Refusal.self) { try context.save() }
      #expect(new.isInserted && new["code"] == .string("no"))
      new["code"] = .string("super")
      #expect(throws: SaveConflictError.self) { try context.save() }
      new["code"] = .string("idle")
      #expect {
        try context.save()
      } throws: { error in
        if case ContextError.endlessConflicts = error { true } else { false }
      }
      #expect(try archive.items().count == 8)
    }
  }

  @Test("a policy of one's own may resolve conflicts one by one", arguments: StoreKind.allCases)
  func oneByOne(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      for code in ["a", "b", "c"] { archive.add(context, code, title: "old") }
      try context.save()
    }
    try archive.work(OneByOne()) { context in
      let new = ["a", "b", "c", "c"].map { archive.add(context, $0, title: "new") }
      try context.save()
      #expect(!context.hasChanges && new.map(\.objectID.primaryKey) == [1, 2, 3, 3])
    }
    #expect(try archive.items() == ["a new null #1 v2", "b new null #2 v2", "c new null #3 v2"])
  }

  @Test("some thousand objects meet as many rows by inherited and compound constraints", arguments: StoreKind.allCases)
  func thousands(kind: StoreKind) throws {
    let archive = try Archive(kind)
    // The store in memory looks for rows with compound keys one by one.
    let count = kind == .sqlite ? 2_000 : 400
    let record = try archive.item.model.required("Record")
    @Sendable func add(_ context: ManagedObjectContext, _ text: String, _ range: Range<Int>) throws {
      for index in range {
        // Each is of another entity of the hierarchy than the stored one every other time.
        let isBook = index % 4 < 2 || (text == "new" && index % 2 == 0)
        let item = context.insert(isBook ? archive.book : record)
        item["code"] = .string("c\(index)")
        item["title"] = .string(text)
      }
      let shelf = context.insert(archive.book)
      shelf["code"] = .string("shelf")
      for index in range {
        let chapter = context.insert(archive.chapter)
        chapter["number"] = .integer(Int64(index))
        chapter["text"] = .string(text)
        chapter.setObject(shelf, for: "book")
      }
      try context.save()
    }
    try archive.work { try add($0, "old", 0..<count) }
    try archive.work(.mergeByPropertyObjectTrump) { context in
      try add(context, "new", count / 2..<count * 3 / 2)
      #expect(!context.hasChanges)
    }
    let titles = try archive.items().filter { !$0.hasPrefix("shelf") }.map { $0.split(separator: " ")[1] }
    #expect(titles.count == count * 3 / 2 && titles.count { $0 == "new" } == count)
    let chapters = try archive.store.snapshots(FetchSpecification(archive.chapter))
    #expect(chapters.count == count * 3 / 2 && chapters.count { $0.attributes.contains(.string("new")) } == count)
    #expect(Set(chapters.map { $0.toOne[0] }).count == 1)
  }

  @Test("results follow when objects become one", arguments: StoreKind.allCases, [false, true])
  func results(kind: StoreKind, isRegistered: Bool) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      for code in ["a", "b"] { archive.add(context, code, title: "old " + code) }
      try context.save()
    }
    try archive.work(.mergeByPropertyObjectTrump) { context in
      let known = isRegistered ? try context.fetch(FetchSpecification(archive.item)) : []
      var request = FetchSpecification(archive.item)
      request.predicate = .comparison(["title"], .notEqual, .string("old b"))
      request.sortDescriptors = [.init(["title"])]
      let results = FetchedResultsController<ManagedObject>(fetchRequest: request, managedObjectContext: context)
      try results.performFetch()
      let new = ["b", "c", "a"].map { archive.add(context, $0, title: "new " + $0) }
      context.processPendingChanges()
      #expect(results.fetchedObjects?.count == 4)
      try context.save()
      context.processPendingChanges()
      let now = try #require(results.fetchedObjects)
      #expect(now.map { $0["title"].text } == ["new a", "new b", "new c"])
      #expect(now.allSatisfy { $0.managedObjectContext === context && !$0.hasChanges })
      #expect(now.map(\.objectID) == [new[2], new[0], new[1]].map(\.objectID))
      #expect(known.isEmpty || now[1] === known[1])
    }
  }

  /// Goods with two keys, and labels that lead to goods without an inverse.
  private struct Depot {
    private let folder: TemporaryFolder
    let container: PersistentContainer
    let good: Entity
    let label: Entity

    init(_ kind: StoreKind) throws {
      var good = EntityDefinition("Good")
      good.attributes = [
        AttributeDefinition("code", .string), AttributeDefinition("serial", .integer64),
        AttributeDefinition("title", .string),
      ]
      good.uniquenessConstraints = [["code"], ["serial"]]
      good.relationships = [RelationshipDefinition("substitute", toOne: "Good")]
      var label = EntityDefinition("Label")
      label.attributes = [AttributeDefinition("text", .string)]
      label.relationships = [
        RelationshipDefinition("good", toOne: "Good"), RelationshipDefinition("others", toMany: "Good"),
      ]
      let model = try ManagedObjectModel(entities: [good, label])
      folder = try TemporaryFolder()
      container = try PersistentContainer(name: "depot", model: model, store: try kind.makeStore(model, in: folder))
      self.good = try model.required("Good")
      self.label = try model.required("Label")
    }

    func add(_ context: ManagedObjectContext, _ code: String, _ serial: Int64, _ title: String) -> ManagedObject {
      let object = context.insert(good)
      object["code"] = .string(code)
      object["serial"] = .integer(serial)
      object["title"] = .string(title)
      return object
    }
  }

  @Test("a new object with two keys of one row takes it over once", arguments: StoreKind.allCases, [false, true])
  func twoKeys(kind: StoreKind, isRegistered: Bool) throws {
    let depot = try Depot(kind)
    let writer = depot.container.newBackgroundContext()
    let old = try writer.performAndWait {
      let old = depot.add(writer, "a", 1, "old")
      try writer.save()
      return old.objectID
    }
    let context = depot.container.newBackgroundContext()
    try context.performAndWait {
      context.mergePolicy = .mergeByPropertyObjectTrump
      let known = isRegistered ? try context.existingObject(with: old) : nil
      let new = depot.add(context, "a", 1, "new")
      try context.save()
      #expect(new.objectID == old && known?["title"] ?? .string("new") == .string("new") && !context.hasChanges)
    }
    let rows = try depot.container.persistentStoreCoordinator.store.snapshots(FetchSpecification(depot.good))
    #expect(rows.map(\.objectID) == [old] && rows.allSatisfy { $0.attributes.contains(.string("new")) })
  }

  @Test("what leads to an object without inverse follows when it becomes another", arguments: StoreKind.allCases)
  func withoutInverse(kind: StoreKind) throws {
    let depot = try Depot(kind)
    let context = depot.container.newBackgroundContext()
    try context.performAndWait {
      let stored = ["a", "b"].enumerated().map { depot.add(context, $1, Int64($0), "old") }
      try context.save()
      context.mergePolicy = .mergeByPropertyObjectTrump
      let new = ["a", "b"].enumerated().map { depot.add(context, $1, Int64($0), "new") }
      new[0].setObject(new[1], for: "substitute")
      let label = context.insert(depot.label)
      label.setObject(new[0], for: "good")
      try label.setObjects(new, for: "others")
      try context.save()
      #expect(stored[0].object(for: "substitute") === stored[1])
      #expect(label.object(for: "good") === stored[0])
      #expect(try Set(label.objects(for: "others")) == Set(stored))
      let labelID = label.objectID
      let reader = depot.container.newBackgroundContext()
      try reader.performAndWait {
        let read = try reader.existingObject(with: labelID)
        #expect(read.objectID(for: "good") == stored[0].objectID)
        #expect(try Set(read.objectIDs(for: "others")) == Set(stored.map(\.objectID)))
        #expect(read.object(for: "good")?.objectID(for: "substitute") == stored[1].objectID)
      }
    }
  }
}
