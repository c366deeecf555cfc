import ObjectGraph
import ObjectModel
import Testing

@Suite("Conflicts of objects that a context does not change")
struct DetectedConflictTests {
  enum Moment: CaseIterable {
    case before, after
  }

  enum Change: CaseIterable {
    case title, deletion
  }

  final class Counting: MergePolicy, @unchecked Sendable {
    var count = 0
    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
      count += conflicts.count
      try super.resolve(optimisticLockingConflicts: conflicts)
    }
  }

  private func archive(_ kind: StoreKind) throws -> Archive {
    let archive = try Archive(kind)
    try archive.work { context in
      archive.add(context, "a", title: "old")
      try context.save()
    }
    return archive
  }

  private func change(_ change: Change, _ archive: Archive, title: String = "theirs") throws {
    try archive.work { other in
      let theirs = try #require(try archive.find(other, "a"))
      if change == .title { theirs["title"] = .string(title) } else { other.delete(theirs) }
      try other.save()
    }
  }

  @Test(
    "an object that was marked is a conflict of the next save when others changed its row, before the mark or after it",
    arguments: StoreKind.allCases, Moment.allCases)
  func marked(kind: StoreKind, moment: Moment) throws {
    for (policy, kindOfChange) in MergePolicy.Kind.allCases.flatMap({ policy in Change.allCases.map { (policy, $0) } })
    {
      let archive = try archive(kind)
      let note: Comment = "\(policy) \(kindOfChange)"
      let counting = Counting(policy)
      try archive.work(counting) { context in
        let mine = try #require(try archive.find(context, "a"))
        #expect(mine["title"] == .string("old"))
        if moment == .after { context.detectConflicts(for: mine) }
        try change(kindOfChange, archive)
        if moment == .before { context.detectConflicts(for: mine) }
        // A save that writes nothing finds nothing.
        try context.save()
        archive.add(context, "n")
        if policy == .error {
          for _ in 0..<2 { #expect(throws: SaveConflictError.self, note) { try context.save() } }
          context.refresh(mine, mergeChanges: true)
        }
        try context.save()
        #expect(counting.count == (policy == .error ? 2 : 1) && !context.hasChanges, note)
        if kindOfChange == .title {
          #expect(mine["title"] == .string("theirs"), note)
          #expect(try archive.items() == ["a theirs null #1 v2", "n null null #2 v1"], note)
        } else {
          #expect(mine.isDeleted, note)
          #expect(try archive.items() == ["n null null #2 v1"], note)
        }
        // The mark is for one save.
        if kindOfChange == .title { try change(.title, archive, title: "later") }
        archive.add(context, "o")
        try context.save()
      }
    }
  }

  /// Resolves nothing, so that the values of objects are the resolution.
  final class Silent: MergePolicy, @unchecked Sendable {
    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {}
  }

  @Test("one that no policy resolves gets what others saved, as nothing was set here", arguments: StoreKind.allCases)
  func unresolved(kind: StoreKind) throws {
    let archive = try archive(kind)
    try archive.work(Silent(.mergeByPropertyObjectTrump)) { context in
      let mine = try #require(try archive.find(context, "a"))
      #expect(mine["title"] == .string("old"))
      context.detectConflicts(for: mine)
      try change(.title, archive)
      archive.add(context, "n")
      try context.save()
      #expect(mine["title"] == .string("theirs") && !context.hasChanges)
      #expect(try archive.items() == ["a theirs null #1 v2", "n null null #2 v1"])
    }
  }

  @Test("an object that nobody changed is none, and is not written", arguments: StoreKind.allCases)
  func unchanged(kind: StoreKind) throws {
    let archive = try archive(kind)
    try archive.work { context in
      let mine = try #require(try archive.find(context, "a"))
      context.detectConflicts(for: mine)
      context.detectConflicts(for: mine)
      archive.add(context, "n")
      try context.save()
      #expect(try archive.items() == ["a old null #1 v1", "n null null #2 v1"])
      // One that is changed after the mark takes part once.
      context.detectConflicts(for: mine)
      mine["title"] = .string("mine")
      try context.save()
      #expect(try archive.items().first == "a mine null #1 v2")
      context.detectConflicts(for: mine)
      try change(.title, archive)
      context.rollback()
      archive.add(context, "o")
      try context.save()
    }
  }
}
