import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// Contexts that do not merge each other's saves lose nothing of them without being told.
@Suite("What others saved meanwhile")
struct LostUpdateTests {
  enum OtherSide: CaseIterable {
    case adds, removes, deletes
  }

  @Test(
    "a list of members is written as what changed in it", arguments: StoreKind.allCases, OtherSide.allCases)
  func members(kind: StoreKind, other: OtherSide) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let book = archive.add(context, "b")
      for name in ["t0", "t1", "t2"] { context.insert(archive.tag)["name"] = .string(name) }
      try book.add(try Self.tag(archive, context, "t0"), to: "tags")
      try context.save()
    }
    // The policy that takes the most of what was changed here back leaves members alone.
    try archive.work(.rollback) { mine in
      let book = try #require(try archive.find(mine, "b"))
      _ = try book.objects(for: "tags")
      try archive.work { theirs in
        let same = try #require(try archive.find(theirs, "b"))
        switch other {
        case .adds: try Self.tag(archive, theirs, "t1").add(same, to: "items")
        case .removes: try Self.tag(archive, theirs, "t0").remove(same, from: "items")
        case .deletes: theirs.delete(try Self.tag(archive, theirs, "t0"))
        }
        try theirs.save()
      }
      try book.add(try Self.tag(archive, mine, "t2"), to: "tags")
      try mine.save()
      // What is written later starts from what this context knows.
      try book.remove(try Self.tag(archive, mine, "t2"), from: "tags")
      try mine.save()
      try book.add(try Self.tag(archive, mine, "t2"), to: "tags")
      try mine.save()
    }
    try archive.work { context in
      let book = try #require(try archive.find(context, "b"))
      let names = try book.objects(for: "tags").map { $0["name"].text }.sorted()
      #expect(names == (other == .adds ? ["t0", "t1", "t2"] : ["t2"]))
    }
  }

  @Test(
    "a member that another context deleted is a conflict, and is not linked to unless the policy brings it back",
    arguments: StoreKind.allCases, MergePolicy.Kind.allCases)
  func goneMember(kind: StoreKind, policy: MergePolicy.Kind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "b")
      context.insert(archive.tag)["name"] = .string("t0")
      try context.save()
    }
    try archive.work(MergePolicy(policy)) { mine in
      let book = try #require(try archive.find(mine, "b"))
      let tag = try Self.tag(archive, mine, "t0")
      _ = tag["name"]
      try archive.work { theirs in
        theirs.delete(try Self.tag(archive, theirs, "t0"))
        try theirs.save()
      }
      try book.add(tag, to: "tags")
      switch policy {
      case .error: #expect(throws: SaveConflictError.self) { try mine.save() }
      case .mergeByPropertyStoreTrump, .rollback:
        try mine.save()
        #expect(try book.objectIDs(for: "tags").isEmpty && !mine.hasChanges)
      case .mergeByPropertyObjectTrump, .overwrite: try mine.save()
      }
    }
    let book = try #require(try archive.store.objectIDs(FetchSpecification(archive.item)).first)
    let tags = try #require(archive.item.relationship("tags"))
    let isBack = policy == .mergeByPropertyObjectTrump || policy == .overwrite
    #expect(try archive.store.members(of: book, relationship: tags).count == (isBack ? 1 : 0))
    #expect(try archive.store.count(FetchSpecification(archive.tag)) == (isBack ? 1 : 0))
  }

  @Test("what an overwriting save did not write is no part of the next save", arguments: StoreKind.allCases)
  func overwriting(kind: StoreKind) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      let book = archive.add(context, "b")
      for name in ["t0", "t1", "t2", "t3"] { context.insert(archive.tag)["name"] = .string(name) }
      try book.add(try Self.tag(archive, context, "t0"), to: "tags")
      try context.save()
    }
    try archive.work(.overwrite) { mine in
      let book = try #require(try archive.find(mine, "b"))
      _ = try book.objects(for: "tags")
      try archive.work { theirs in
        let same = try #require(try archive.find(theirs, "b"))
        same["note"] = .string("theirs")
        try same.add(try Self.tag(archive, theirs, "t1"), to: "tags")
        try theirs.save()
      }
      book["title"] = .string("mine")
      try mine.save()
      mine.mergePolicy = .error
      try book.add(try Self.tag(archive, mine, "t2"), to: "tags")
      try mine.save()
    }
    #expect(try Self.pairs(archive).map(\.tag).sorted() == ["t0", "t1", "t2"])
  }

  @Test("a child brings back no members that its parent took away", arguments: StoreKind.allCases, [false, true])
  func childMembers(kind: StoreKind, isDeleted: Bool) throws {
    let archive = try Archive(kind)
    let root = archive.container.newBackgroundContext(name: "root")
    let child = ManagedObjectContext(parent: root, name: "child")
    try root.performAndWait {
      let book = archive.add(root, "b")
      for name in ["t0", "t1", "t2"] { root.insert(archive.tag)["name"] = .string(name) }
      for name in ["t0", "t1"] { try book.add(try Self.tag(archive, root, name), to: "tags") }
      try root.save()
    }
    let held = Box<ManagedObject>()
    try child.performAndWait {
      held.value = try archive.find(child, "b")
      #expect(try held.value?.objectIDs(for: "tags").count == 2)
    }
    try root.performAndWait {
      let tag = try Self.tag(archive, root, "t1")
      if isDeleted { root.delete(tag) } else { try archive.find(root, "b")?.remove(tag, from: "tags") }
      try root.save()
    }
    try child.performAndWait {
      try held.value?.add(try Self.tag(archive, child, "t2"), to: "tags")
      try child.save()
    }
    try root.performAndWait { try root.save() }
    #expect(try Self.pairs(archive).map(\.tag).sorted() == ["t0", "t2"])
  }

  @Test("a conflict that a policy resolves twice is resolved", arguments: StoreKind.allCases)
  func resolvedTwice(kind: StoreKind) throws {
    final class Twice: MergePolicy, @unchecked Sendable {
      override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
        try super.resolve(optimisticLockingConflicts: conflicts + conflicts)
      }
    }
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "b")
      try context.save()
    }
    try archive.work(Twice(.overwrite)) { mine in
      let book = try #require(try archive.find(mine, "b"))
      book["title"] = .string("mine")
      try archive.work { theirs in
        theirs.delete(try #require(try archive.find(theirs, "b")))
        try theirs.save()
      }
      try mine.save()
    }
    #expect(try archive.items().map { $0.prefix(6) } == ["b mine"])
  }

  private struct Pair: Hashable, Sendable {
    var book: String
    var tag: String
  }

  /// Contexts change the members of many-to-many relationships from both sides, and save in turns without merging: the
  /// store has what was there with the changes of every save.
  @Test("the saves of several contexts add up", arguments: StoreKind.allCases, 0..<20)
  func manySaves(kind: StoreKind, seed: Int) throws {
    let archive = try Archive(kind)
    let books = ["a", "b", "c"]
    let tags = ["t0", "t1", "t2", "t3"]
    try archive.work { context in
      for code in books { archive.add(context, code) }
      for name in tags { context.insert(archive.tag)["name"] = .string(name) }
      try context.save()
    }
    var random = SeededGenerator(seed: UInt64(seed))
    let contexts = (0..<3).map { archive.container.newBackgroundContext(name: "\($0)") }
    // What a context loaded stays as it is while its objects are held.
    let held = Box<[ManagedObject]>()
    for context in contexts {
      try context.performAndWait {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let objects =
          try context.fetch(FetchSpecification(archive.item)) + context.fetch(FetchSpecification(archive.tag))
        held.value = (held.value ?? []) + objects
      }
    }
    var expected: Set<Pair> = []
    var pending: [[Pair: Bool]] = Array(repeating: [:], count: contexts.count)
    for _ in 0..<80 {
      let index = Int.random(in: contexts.indices, using: &random)
      let context = contexts[index]
      if Int.random(in: 0..<4, using: &random) == 0 {
        try context.performAndWait { try context.save() }
        for (pair, isThere) in pending[index] {
          if isThere { expected.insert(pair) } else { expected.remove(pair) }
        }
        pending[index] = [:]
        #expect(try Self.pairs(archive) == expected)
        continue
      }
      let pair = Pair(
        book: try #require(books.randomElement(using: &random)), tag: try #require(tags.randomElement(using: &random)))
      if pending[index][pair] != nil { continue }
      let isAddition = Bool.random(using: &random)
      let isByTag = Bool.random(using: &random)
      let isChange = try context.performAndWait { () throws -> Bool in
        let item = try #require(try archive.find(context, pair.book))
        let tag = try Self.tag(archive, context, pair.tag)
        let (owner, member, name) = isByTag ? (tag, item, "items") : (item, tag, "tags")
        if try owner.objectIDs(for: name).contains(member.objectID) == isAddition { return false }
        if isAddition { try owner.add(member, to: name) } else { try owner.remove(member, from: name) }
        return true
      }
      if isChange { pending[index][pair] = isAddition }
    }
    withExtendedLifetime(held) {}
  }

  private static func pairs(_ archive: Archive) throws -> Set<Pair> {
    let context = archive.container.newBackgroundContext(name: "pairs")
    return try context.performAndWait {
      var result: Set<Pair> = []
      for book in try context.fetch(FetchSpecification(archive.item)) {
        for tag in try book.objects(for: "tags") { result.insert(Pair(book: book["code"].text, tag: tag["name"].text)) }
      }
      return result
    }
  }

  private static func tag(
    _ archive: Archive, _ context: ManagedObjectContext, _ name: String
  ) throws -> ManagedObject {
    var request = FetchSpecification(archive.tag)
    request.predicate = .comparison(["name"], .equal, .string(name))
    return try #require(try context.fetch(request).first)
  }

  // MARK: - Child contexts

  enum Reading: CaseIterable {
    case fetch, fault, deletion, secondEdit
  }

  @Test(
    "the parent of a context finds out that others changed what the child had read",
    arguments: StoreKind.allCases, Reading.allCases)
  func child(kind: StoreKind, reading: Reading) throws {
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "k", title: "old")
      try context.save()
    }
    let id = try #require(try archive.store.objectIDs(FetchSpecification(archive.item)).first)
    let root = archive.container.newBackgroundContext(name: "root")
    let child = ManagedObjectContext(parent: root, name: "child")
    let held = Box<ManagedObject>()
    try child.performAndWait {
      let object = reading == .fault ? child.object(with: id) : try #require(try archive.find(child, "k"))
      #expect(object["title"] == .string("old"))
      if reading == .secondEdit {
        object["note"] = .string("first")
        try child.save()
        try root.performAndWait { try root.save() }
      }
      held.value = object
    }
    try archive.work { theirs in
      try #require(try archive.find(theirs, "k"))["title"] = .string("theirs")
      try theirs.save()
    }
    let before = try archive.items()
    try child.performAndWait {
      let object = try #require(held.value)
      if reading == .deletion {
        child.delete(object)
      } else {
        object["title"] = .string("mine")
      }
      try child.save()
    }
    try root.performAndWait {
      let error = #expect(throws: SaveConflictError.self) { try root.save() }
      #expect(error?.optimisticLockingConflicts.count == 1)
      #expect(try archive.items() == before)
      root.mergePolicy = .mergeByPropertyStoreTrump
      try root.save()
      #expect(try archive.items() == before)
    }
  }

  @Test("a child that edits and saves again and again has no conflict with itself", arguments: StoreKind.allCases)
  func sameChild(kind: StoreKind) throws {
    let archive = try Archive(kind)
    let root = archive.container.newBackgroundContext(name: "root")
    let child = ManagedObjectContext(parent: root, name: "child")
    try child.performAndWait {
      let object = archive.add(child, "k")
      for number in 0..<4 {
        object["title"] = .string("\(number)")
        try child.save()
        try root.performAndWait { try root.save() }
      }
    }
    #expect(try archive.items().map { $0.prefix(3) } == ["k 3"])
  }

  // MARK: - Constraints

  @Test(
    "a key that another context gave up while the save was refused is free", arguments: StoreKind.allCases,
    [MergePolicy.Kind.error, .mergeByPropertyObjectTrump])
  func freedKey(kind: StoreKind, policy: MergePolicy.Kind) throws {
    let archive = try Archive(kind)
    try archive.work { theirs in
      archive.add(theirs, "k", title: "theirs")
      try theirs.save()
    }
    let store = InterruptedStore(archive.store)
    let container = try PersistentContainer(name: "racing", model: archive.item.model, store: store)
    let mine = container.newBackgroundContext()
    try mine.performAndWait {
      mine.mergePolicy = MergePolicy(policy)
      archive.add(mine, "k", title: "mine")
      store.interruptNext {
        try archive.work { theirs in
          theirs.delete(try #require(try archive.find(theirs, "k")))
          try theirs.save()
        }
      }
      try mine.save()
    }
    #expect(try archive.items().map { $0.prefix(6) } == ["k mine"])
  }
}
