import Foundation
import ObjectGraph
import Testing

@Suite("Orders that two contexts changed")
struct MemberOrderTests {
  /// The songs 1, 2, 3 as they are made here and elsewhere, and what comes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let mine: [String]
    let theirs: [String]
    /// Under the policies that resolve for the context, and where changes are merged without a policy.
    let objectWins: [String]
    /// Under the policies that resolve for the store.
    let storeWins: [String]
    let isConflict: Bool

    init(_ mine: String, _ theirs: String, _ merged: String, storeWins: String? = nil) {
      func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
      self.mine = names(mine)
      self.theirs = names(theirs)
      objectWins = names(merged)
      self.storeWins = storeWins.map(names) ?? objectWins
      isConflict = storeWins != nil
    }

    var testDescription: String { "\(mine) and \(theirs)" }
  }

  static let cases = [
    // Both arranged them.
    Case("3 2 1", "2 1 3", "3 2 1", storeWins: "2 1 3"),
    Case("2 3 1", "1 3 2", "2 3 1", storeWins: "1 3 2"),
    // Into the same order.
    Case("3 2 1", "3 2 1", "3 2 1"),
    Case("2 1", "2 1 3", "2 1"),
    // One of them did.
    Case("3 2 1", "1 2 3 t", "3 2 1 t"),
    Case("3 2 1", "1 3", "3 1"),
    Case("1 2 3 m", "3 2 1", "3 2 1 m"),
    Case("m 1 2 3", "3 2 1", "m 3 2 1"),
    // Neither.
    Case("1 2 3 m", "1 2 3 t", "1 2 3 t m"),
    Case("m 1 2 3", "1 2 3 t", "m 1 2 3 t"),
    Case("1 m n 2 3", "1 2 3 t", "1 m n 2 3 t"),
    Case("1 2 m 3", "t 1 2 3", "t 1 2 m 3"),
    Case("1 2 m 3", "1 3", "1 m 3"),
    Case("m 2 3", "1 2 t", "m 2 t"),
    Case("m", "1 2 3 t", "t m"),
    Case("2 3", "1 2", "2"),
  ]
  static let relationships = ["songs", "picks"]

  final class Counting: MergePolicy, @unchecked Sendable {
    var count = 0
    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict]) throws {
      count += conflicts.count
      #expect(conflicts.allSatisfy { $0.memberConflicts.contains(where: \.isArrangedByBoth) })
      try super.resolve(optimisticLockingConflicts: conflicts)
    }
  }

  @Test(
    "a policy decides between two orders, and is not asked where changes can be joined",
    arguments: StoreKind.allCases, cases)
  func policies(kind: StoreKind, example: Case) throws {
    for relationship in Self.relationships {
      for policy in MergePolicy.Kind.allCases where policy != .error {
        let lists = try Playlists(kind, relationship, ["1", "2", "3"])
        let counting = Counting(policy)
        try lists.work(counting) { context in
          try lists.setNames(example.mine, relationship, context)
          try lists.work { other in
            try lists.setNames(example.theirs, relationship, other)
            try other.save()
          }
          try context.save()
          let objectWins = policy == .mergeByPropertyObjectTrump || policy == .overwrite
          let note: Comment = "\(relationship) \(policy)"
          let expected = objectWins ? example.objectWins : example.storeWins
          #expect(try lists.names(relationship, context) == expected, note)
          #expect(!context.hasChanges && (counting.count > 0) == example.isConflict, note)
          #expect(try lists.stored(relationship) == expected, note)
        }
      }
    }
  }

  @Test("the error policy tells of two orders, and of joined members", arguments: StoreKind.allCases, relationships)
  func error(kind: StoreKind, relationship: String) throws {
    let lists = try Playlists(kind, relationship, ["1", "2", "3"])
    try lists.work { context in
      try lists.setNames(["3", "2", "1"], relationship, context)
      try lists.work { other in
        try lists.setNames(["2", "1", "3"], relationship, other)
        try other.save()
      }
      let error = #expect(throws: SaveConflictError.self) { try context.save() }
      let members = try #require(error?.optimisticLockingConflicts.first?.memberConflicts)
      #expect(members.map(\.relationshipName) == [relationship] && members[0].isArrangedByBoth)
      #expect("\(try #require(error))".contains("arranged here and by others"))
    }
    #expect(try lists.stored(relationship) == ["2", "1", "3"])
  }

  enum Way: CaseIterable {
    case merge, refresh, child
  }

  @Test(
    "what others changed is merged into an order that was made here, which stays",
    arguments: StoreKind.allCases, cases)
  func merging(kind: StoreKind, example: Case) throws {
    for relationship in Self.relationships {
      for way in Way.allCases {
        let lists = try Playlists(kind, relationship, ["1", "2", "3"])
        let mine = lists.container.newBackgroundContext(name: "mine")
        let child = ManagedObjectContext(parent: mine, name: "child")
        let context = way == .child ? child : mine
        let held = Box<ManagedObject>()
        try context.performAndWait {
          held.value = try lists.playlist(context)
          try lists.setNames(example.mine, relationship, context)
        }
        let note: Comment = "\(relationship) \(way)"
        if way == .child {
          try mine.performAndWait { try lists.setNames(example.theirs, relationship, mine) }
          try child.performAndWait {
            try child.save()
            child.refreshAllObjects()
            #expect(try lists.names(relationship, child) == example.objectWins, note)
          }
        } else {
          let other = lists.container.newBackgroundContext(name: "other")
          let observer = NotificationTests.Observer()
          observer.on(ManagedObjectContext.didSaveObjectsNotification, other) { notification in
            mine.performAndWait {
              if way == .merge { mine.mergeChanges(fromContextDidSave: notification) }
            }
          }
          try other.performAndWait {
            try lists.setNames(example.theirs, relationship, other)
            try other.save()
          }
        }
        try mine.performAndWait {
          if way == .refresh { held.value.map { mine.refresh($0, mergeChanges: true) } }
          #expect(try lists.names(relationship, mine) == example.objectWins, note)
          try mine.save()
        }
        #expect(try lists.stored(relationship) == example.objectWins, note)
      }
    }
  }
}
