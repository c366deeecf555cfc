import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("What it costs to resolve conflicts about uniqueness")
struct UpsertCostTests {
  /// How often the store is asked for rows, for members and to save while books with a chapter each meet as many stored
  /// ones.
  private func requests(_ count: Int, _ kind: StoreKind, _ policy: MergePolicy.Kind) throws -> [Int] {
    let archive = try Archive(kind)
    try archive.work { context in
      for index in 0..<count { archive.add(context, "c\(index)", title: "old") }
      try context.save()
    }
    let store = CountingStore(archive.store)
    let container = try PersistentContainer(name: "counting", model: archive.item.model, store: store)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      context.mergePolicy = MergePolicy(policy)
      for index in 0..<count {
        let chapter = context.insert(archive.chapter)
        chapter["number"] = .integer(1)
        chapter.setObject(archive.add(context, "c\(index)", title: "new"), for: "book")
      }
      try context.save()
      #expect(!context.hasChanges && context.insertedObjects.isEmpty)
    }
    let titles = try archive.items().count { $0.contains(" new ") }
    let isTaken = policy == .mergeByPropertyObjectTrump || policy == .overwrite
    #expect(titles == (isTaken ? count : 0))
    #expect(try archive.store.count(FetchSpecification(archive.item)) == count)
    return [store.fetchCount, store.memberCount, store.saveCount]
  }

  @Test(
    "the store is asked as often for many objects as for few", arguments: StoreKind.allCases,
    [MergePolicy.Kind.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback])
  func requests(kind: StoreKind, policy: MergePolicy.Kind) throws {
    #expect(try requests(5, kind, policy) == requests(150, kind, policy))
  }
}
