import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// A list of posts that is fed by history, as an app does it whose store others fill.
@Suite("Fetched results, fed by history")
struct HistoryFilterTests {
  /// Posts with titles, likes and comments, and a list that shows the titles.
  private final class Feed: FetchedResultsControllerDelegate {
    let container: PersistentContainer
    let post: Entity
    let comment: Entity
    let view: ManagedObjectContext
    private let results: FetchedResultsController<ManagedObject>
    private var token: PersistentHistoryToken?
    private(set) var redrawings = 0

    init(_ kind: StoreKind, in folder: TemporaryFolder) throws {
      var post = EntityDefinition("Post")
      post.attributes = [AttributeDefinition("title", .string), AttributeDefinition("likes", .integer32)]
      post.relationships = [RelationshipDefinition("comments", toMany: "Comment", inverse: "post")]
      var comment = EntityDefinition("Comment")
      comment.attributes = [AttributeDefinition("text", .string)]
      comment.relationships = [RelationshipDefinition("post", toOne: "Post", inverse: "comments")]
      let url = kind == .inMemory ? nil : folder.file("feed.sqlite")
      let description = PersistentStoreDescription(type: .sqlite, url: url)
      description.tracksHistory = true
      container = try PersistentContainer(
        name: "feed", managedObjectModel: ManagedObjectModel(entities: [post, comment]),
        persistentStoreDescriptions: [description])
      try container.loadPersistentStores()
      self.post = try container.managedObjectModel.required("Post")
      self.comment = try container.managedObjectModel.required("Comment")
      view = container.newBackgroundContext(name: "view")
      token = container.persistentStoreCoordinator.currentPersistentHistoryToken()
      let request = FetchRequest<ManagedObject>(entityName: "Post")
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      results = FetchedResultsController(fetchRequest: request, managedObjectContext: view)
      try view.performAndWait {
        try results.performFetch()
        results.delegate = self
      }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<any FetchRequestResult>) { redrawings += 1 }

    var titles: [String] { view.performAndWait { (results.fetchedObjects ?? []).map { $0["title"] ?? "" } } }

    /// Merges what the list shows of what was saved since the last time: posts alone, and of changed posts those with
    /// another title. The store sorts out the rest.
    /// - Returns: the number of changes that were merged.
    func follow() throws -> Int {
      try view.performAndWait {
        let now = container.persistentStoreCoordinator.currentPersistentHistoryToken()
        let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
        request.fetchRequest = PersistentHistoryChange.fetchRequest
        request.fetchRequest?.predicate = try FetchPredicate(
          parsing: "changedEntity == 'Post' AND (changeType != 1 OR updatedProperties CONTAINS 'title')")
        let transactions = try view.execute(request).transactions
        for transaction in transactions {
          view.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        }
        token = now
        return transactions.reduce(0) { $0 + ($1.changes?.count ?? 0) }
      }
    }

    func save(_ work: (ManagedObjectContext, [ManagedObject]) throws -> Void) throws {
      let context = container.newBackgroundContext()
      try context.performAndWait {
        try work(context, try context.fetch(FetchRequest<ManagedObject>(entityName: "Post")))
        try context.save()
      }
    }
  }

  @Test("a list of posts skips comments, and posts of which it shows nothing new", arguments: StoreKind.allCases)
  func posts(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let feed = try Feed(kind, in: folder)
    try feed.save { context, _ in
      for title in ["b", "a"] { context.insert(feed.post)["title"] = .string(title) }
    }
    #expect(try feed.follow() == 2)
    #expect(feed.titles == ["a", "b"])
    #expect(feed.redrawings == 1)

    // By the entity: a comment that belongs to no post.
    try feed.save { context, _ in context.insert(feed.comment)["text"] = .string("?") }
    #expect(try feed.follow() == 0)
    // By the property: comments of a post change the post, too, and so do likes.
    try feed.save { context, posts in
      context.insert(feed.comment).setObject(posts[0], for: "post")
      posts[1]["likes"] = .integer(5)
    }
    let all = PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let told = try feed.view.performAndWait { try feed.view.execute(all).transactions.last?.changes ?? [] }
    #expect(told.filter { $0.changedObjectID.entity == feed.post }.count == 2)
    #expect(try feed.follow() == 0)
    #expect(feed.redrawings == 1)

    // What it shows.
    try feed.save { context, posts in
      let post = try #require(posts.first { $0["title"] == "b" })
      post["title"] = .string("0")
    }
    #expect(try feed.follow() == 1)
    #expect(feed.titles == ["0", "a"])
    #expect(feed.redrawings == 2)
    try feed.save { context, posts in
      context.delete(try #require(posts.first { $0["title"] == "a" }))
    }
    #expect(try feed.follow() == 1)
    #expect(feed.titles == ["0"])
    #expect(feed.redrawings == 3)
  }
}
