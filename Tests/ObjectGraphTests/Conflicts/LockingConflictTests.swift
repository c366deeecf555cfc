import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Optimistic locking")
struct LockingConflictTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: MergePolicy.Kind
    /// What the store has in the end.
    let rows: [String]
    var testDescription: String { "\(policy)" }
  }

  /// One context changes title and note, another has changed title and nothing else before it saves.
  static let changes: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: ["a mine mine #1 v3"]),
    Case(policy: .mergeByPropertyStoreTrump, rows: ["a theirs mine #1 v3"]),
    Case(policy: .overwrite, rows: ["a mine mine #1 v3"]),
    Case(policy: .rollback, rows: ["a theirs null #1 v2"]),
  ]

  @Test("both changed a row", arguments: StoreKind.allCases, changes)
  func bothChanged(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "a", title: "old")
      try context.save()
    }
    try archive.work(MergePolicy(example.policy)) { context in
      let mine = try #require(try archive.find(context, "a"))
      mine["title"] = .string("mine")
      mine["note"] = .string("mine")
      try archive.work { other in
        try archive.find(other, "a")?["title"] = .string("theirs")
        try other.save()
      }
      try context.save()
      #expect(!context.hasChanges)
      #expect(try archive.items() == example.rows)
      let row = try #require(try archive.store.snapshots(FetchSpecification(archive.book)).first)
      #expect(mine.entity.attributes.indices.map { mine.value(at: $0) } == row.attributes)
    }
  }

  @Test(
    "the error policy tells what was read, what is here and what is there, and changes nothing",
    arguments: StoreKind.allCases)
  func errorPolicy(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let mine = ["a", "b"].map { archive.add(context, $0, title: "old") }
      try context.save()
      try archive.work { other in
        try archive.find(other, "a")?["title"] = .string("theirs")
        if let gone = try archive.find(other, "b") { other.delete(gone) }
        try other.save()
      }
      for object in mine { object["title"] = .string("mine") }
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let conflicts = try #require(error?.optimisticLockingConflicts)
      #expect(conflicts.count == 2)
      let first = try #require(conflicts.first { $0.sourceObject["code"] == .string("a") })
      #expect(first.oldVersion == 1 && first.newVersion == 2)
      #expect(first.objectPropertyValues["title"] == .attribute(.string("mine")))
      #expect(first.cachedPropertyValues["title"] == .attribute(.string("old")))
      #expect(first.persistedPropertyValues?["title"] == .attribute(.string("theirs")))
      let second = try #require(conflicts.first { $0.sourceObject["code"] == .string("b") })
      #expect(second.newVersion == nil && second.persistedPropertyValues == nil)
      #expect(context.updatedObjects.count == 2)
      context.detectConflicts(for: first.sourceObject)
      #expect(throws: SaveConflictError.self) { _ = try archive.find(context, "a") }
    }
  }

  static let lost: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: ["a mine null #1 v1"]),
    Case(policy: .mergeByPropertyStoreTrump, rows: []),
    Case(policy: .overwrite, rows: ["a mine null #1 v1"]),
    Case(policy: .rollback, rows: []),
  ]

  @Test("changed here, deleted there", arguments: StoreKind.allCases, lost)
  func deletedThere(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let tag = context.insert(archive.tag)
      let mine = archive.add(context, "a", title: "old")
      try mine.add(tag, to: "tags")
      try context.save()
      context.mergePolicy = MergePolicy(example.policy)
      mine["title"] = .string("mine")
      #expect(try mine.objects(for: "tags") == [tag])
      try archive.work { other in
        if let gone = try archive.find(other, "a") { other.delete(gone) }
        try other.save()
      }
      try context.save()
      #expect(!context.hasChanges && mine.isDeleted == example.rows.isEmpty)
      #expect(try archive.items() == example.rows)
      #expect(try tag.objectIDs(for: "items").count >= example.rows.count)
    }
  }

  static let deletions: [Case] = [
    Case(policy: .mergeByPropertyObjectTrump, rows: []), Case(policy: .overwrite, rows: []),
    Case(policy: .mergeByPropertyStoreTrump, rows: ["a theirs null #1 v2"]),
    Case(policy: .rollback, rows: ["a theirs null #1 v2"]),
  ]

  @Test("deleted here, changed there", arguments: StoreKind.allCases, deletions)
  func deletedHere(kind: StoreKind, example: Case) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let mine = archive.add(context, "a", title: "old")
      try context.save()
      context.mergePolicy = MergePolicy(example.policy)
      context.delete(mine)
      try archive.work { other in
        try archive.find(other, "a")?["title"] = .string("theirs")
        try other.save()
      }
      try context.save()
      #expect(!context.hasChanges && (mine.managedObjectContext == nil) == example.rows.isEmpty && !mine.isDeleted)
      #expect(try archive.items() == example.rows)
    }
  }

  @Test("a deletion of what is gone is no conflict but under the error policy", arguments: StoreKind.allCases)
  func bothDeleted(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let mine = archive.add(context, "a")
      try context.save()
      context.delete(mine)
      try archive.work { other in
        if let gone = try archive.find(other, "a") { other.delete(gone) }
        try other.save()
      }
      #expect(throws: SaveConflictError.self) { try context.save() }
      context.mergePolicy = .mergeByPropertyStoreTrump
      try context.save()
      #expect(!context.hasChanges && mine.isDeleted)
    }
  }

  @Test("members that came here and there are joined", arguments: StoreKind.allCases)
  func members(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work(.mergeByPropertyObjectTrump) { context in
      let mine = archive.add(context, "a")
      let tags = ["t1", "t2", "t3"].map { name in
        let tag = context.insert(archive.tag)
        tag["name"] = .string(name)
        return tag
      }
      try mine.add(tags[0], to: "tags")
      try context.save()
      try mine.add(tags[1], to: "tags")
      try mine.remove(tags[0], from: "tags")
      let third = tags[2].objectID
      try archive.work { other in
        try archive.find(other, "a")?.add(other.object(with: third), to: "tags")
        try other.save()
      }
      try context.save()
      #expect(Set(try mine.objects(for: "tags")) == [tags[1], tags[2]])
      context.reset()
      #expect(try archive.find(context, "a")?.objectIDs(for: "tags").compactMap(\.primaryKey) == [2, 3])
    }
  }

  final class Longest: MergePolicy, @unchecked Sendable {
    struct Refusal: Error {}
    init() { super.init(.mergeByPropertyStoreTrump) }

    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
      for conflict in conflicts {
        let titles = [conflict.objectPropertyValues, conflict.persistedPropertyValues ?? [:]].compactMap {
          $0["title"]?.value?.text
        }
        if titles.contains("refuse") { throw Refusal() }
        if let longest = titles.max(by: { $0.count < $1.count }) { conflict.sourceObject["title"] = .string(longest) }
      }
    }
  }

  @Test("a policy of one's own decides by the values, or refuses", arguments: StoreKind.allCases)
  func custom(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work(Longest()) { context in
      let mine = archive.add(context, "a", title: "old")
      try context.save()
      for (here, there, result) in [("x", "longer", "longer"), ("even longer", "y", "even longer")] {
        mine["title"] = .string(here)
        try archive.work { other in
          try archive.find(other, "a")?["title"] = .string(there)
          try other.save()
        }
        try context.save()
        #expect(try archive.items().first?.hasPrefix("a \(result) ") == true)
      }
      mine["title"] = .string("refuse")
      try archive.work { other in
        try archive.find(other, "a")?["note"] = .string("n")
        try other.save()
      }
      #expect(throws: Longest.Refusal.self) { try context.save() }
      #expect(mine["title"] == .string("refuse"))
    }
  }
}
