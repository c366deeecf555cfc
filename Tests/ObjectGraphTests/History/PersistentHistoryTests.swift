import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

@Suite("Persistent history")
struct PersistentHistoryTests {
  /// Three saves: a book with an author and a tag; other values and a chapter; the book deleted.
  private func lived(_ library: HistoryLibrary) throws {
    try library.work("import", author: "sync") { context in
      let author = context.insert(library.author)
      author["name"] = .string("Ada")
      let tag = context.insert(library.tag)
      let book = context.insert(library.book)
      book["title"] = .string("Numbers")
      book["isbn"] = .string("978")
      book["printed"] = .date(Date(timeIntervalSinceReferenceDate: 12.5))
      book.setObject(author, for: "author")
      try book.setObjects([tag], for: "tags")
      try context.save()
    }
    try library.work("edit", author: "user") { context in
      let book = try #require(try context.fetch(FetchSpecification(library.book)).first)
      book["title"] = .string("Figures")
      book["price"] = .double(9)
      let chapter = context.insert(library.chapter)
      chapter.setObject(book, for: "book")
      try context.save()
    }
    try library.work { context in
      let book = try #require(try context.fetch(FetchSpecification(library.book)).first)
      context.delete(book)
      try context.save()
    }
  }

  @Test("every save is told with its author, and each object with what became of it", arguments: StoreKind.allCases)
  func saves(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    try lived(library)
    #expect(
      try library.told() == [
        "sync: insert Author/1; insert Book/1; insert Tag/1",
        "user: insert Chapter/1; update Book/1 chapters,price,title",
        "–: delete Book/1 isbn=string(\"978\") printed=date(2001-01-01 00:00:12 +0000); update Author/1 books; "
          + "update Chapter/1 book; update Tag/1 books",
      ])
    let transactions = try library.history(.fetchHistory(after: Date.distantPast)).transactions
    #expect(transactions.map(\.transactionNumber) == [1, 2, 3])
    #expect(transactions.map(\.contextName) == ["import", "edit", nil] || transactions[2].contextName == "")
    #expect(transactions.allSatisfy { $0.processID == ProcessInfo.processInfo.processName && !$0.bundleID.isEmpty })
    #expect(transactions.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 600 })
    #expect(try library.store.lastTransactionNumber() == 3)
  }

  @Test("history is told from a token, a transaction or a date on", arguments: StoreKind.allCases)
  func places(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    let coordinator = library.container.persistentStoreCoordinator
    let start = try #require(coordinator.currentPersistentHistoryToken())
    try lived(library)
    let all = try library.history(.fetchHistory(after: start)).transactions
    #expect(all.count == 3)
    func numbers(_ request: PersistentHistoryChangeRequest) throws -> [Int64] {
      try library.history(request).transactions.map(\.transactionNumber)
    }
    let none: PersistentHistoryToken? = nil
    #expect(try numbers(.fetchHistory(after: none)) == [1, 2, 3])
    #expect(try numbers(.fetchHistory(after: all[0].token)) == [2, 3])
    #expect(try numbers(.fetchHistory(after: all[1])) == [3])
    #expect(try numbers(.fetchHistory(after: all[0].timestamp)).last == 3)
    #expect(try numbers(.fetchHistory(after: all[2].timestamp)) == [])
    #expect(try numbers(.fetchHistory(after: coordinator.currentPersistentHistoryToken())) == [])
    let other = PersistentHistoryToken(store: "another store", transactionNumber: 99)
    #expect(try numbers(.fetchHistory(after: other)) == [1, 2, 3])
    let future = PersistentHistoryToken(store: all[0].storeID, transactionNumber: 4)
    #expect(throws: StoreError.self) { try numbers(.fetchHistory(after: future)) }
  }

  @Test("a deleted part of the history is missed by those that ask from before it", arguments: StoreKind.allCases)
  func deletion(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    try lived(library)
    let all = try library.history(.fetchHistory(after: Date.distantPast)).transactions
    let none: PersistentHistoryToken? = nil
    #expect(try library.history(.deleteHistory(before: none)).count == 0)
    #expect(try library.history(.deleteHistory(before: all[2])).count == 2)
    #expect(try library.history(.fetchHistory(after: none)).transactions == [all[2]])
    #expect(try library.history(.fetchHistory(after: all[1])).transactions == [all[2]])
    let expired = #expect(throws: StoreError.self) { try library.history(.fetchHistory(after: all[0])) }
    guard case .historyTokenExpired(let store, 1, 3)? = expired else {
      Issue.record("\(String(describing: expired))")
      return
    }
    #expect(store == all[0].storeID)
    #expect(expired?.errorCode == 134_301)
    // Numbers go on, and a history of which nothing is left still knows how far it was.
    #expect(try library.history(.deleteHistory(before: Date.distantFuture)).count == 1)
    #expect(try library.history(.fetchHistory(after: all[2])).transactions == [])
    #expect(throws: StoreError.self) { try library.history(.fetchHistory(after: all[1])) }
    try library.work { context in
      context.insert(library.tag)
      try context.save()
    }
    #expect(try library.history(.fetchHistory(after: none)).transactions.map(\.transactionNumber) == [4])
  }

  @Test("results have the form that was asked for")
  func resultTypes() throws {
    let library = try HistoryLibrary()
    try lived(library)
    func ask(_ type: PersistentHistoryResultType) throws -> any HistoryResult {
      let request = PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      request.resultType = type
      return try library.history(request)
    }
    #expect(try ask(.statusOnly).result as? Bool == true)
    #expect(try ask(.count).result as? Int == 3)
    let ids = try #require(try ask(.objectIDs).result as? [ObjectID])
    #expect(Set(ids).count == ids.count && ids.count == 4)
    let alone = try #require(try ask(.transactionsOnly).result as? [PersistentHistoryTransaction])
    #expect(alone.count == 3 && alone.allSatisfy { $0.changes == nil })
    let changes = try #require(try ask(.changesOnly).result as? [PersistentHistoryChange])
    #expect(changes.count == 9 && changes.map(\.changeID) == Array(1...9))
    let whole = try #require(try ask(.transactionsAndChanges).result as? [PersistentHistoryTransaction])
    #expect(whole.flatMap { $0.changes ?? [] } == changes)
  }

  private static let transactionPredicates: [(String, @Sendable (PersistentHistoryTransaction) -> Bool)] = [
    ("author == 'user'", { $0.author == "user" }),
    ("author != 'user'", { $0.author != "user" }),
    ("author == nil", { $0.author == nil }),
    ("author IN {'sync', 'user'} AND contextName BEGINSWITH 'e'", { $0.contextName == "edit" }),
    ("transactionNumber > 1", { $0.transactionNumber > 1 }),
    ("timestamp > 0 AND processID != nil", { _ in true }),
    (
      "ANY changes.changedEntity == 'Chapter'",
      { transaction in
        transaction.changes?.contains { $0.changedObjectID.entity.name == "Chapter" } ?? false
      }
    ),
  ]

  @Test("predicates choose transactions", arguments: StoreKind.allCases)
  func transactionPredicates(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    try lived(library)
    let all = try library.history(.fetchHistory(after: Date.distantPast)).transactions
    for (format, isWanted) in Self.transactionPredicates {
      let fetch = try #require(PersistentHistoryTransaction.fetchRequest)
      fetch.predicate = try FetchPredicate(parsing: format)
      #expect(try library.history(.fetchHistory(withFetch: fetch)).transactions == all.filter(isWanted), "\(format)")
    }
  }

  private static let changePredicates: [(String, @Sendable (PersistentHistoryChange) -> Bool)] = [
    ("changeType == 0", { $0.changeType == .insert }),
    (
      "changedEntity == 'Book' AND changeType == 2",
      { $0.tombstoneValues != nil && $0.changedObjectID.entity.name == "Book" }
    ),
    ("changedEntity IN {'Tag', 'Author'}", { ["Tag", "Author"].contains($0.changedObjectID.entity.name) }),
    ("updatedProperties CONTAINS 'price'", { $0.updatedPropertyNames?.contains("price") ?? false }),
    ("updatedProperties CONTAINS 'pric'", { _ in false }),
    ("'books' IN updatedProperties", { $0.updatedPropertyNames?.contains("books") ?? false }),
    ("ANY updatedProperties == 'title'", { $0.updatedPropertyNames?.contains("title") ?? false }),
    (
      "ANY updatedProperties IN {'title', 'books'}",
      { !($0.updatedPropertyNames?.isDisjoint(with: ["title", "books"]) ?? true) }
    ),
    (
      "NOT (updatedProperties CONTAINS 'books') AND changeType == 1",
      {
        $0.changeType == .update && $0.updatedPropertyNames?.contains("books") == false
      }
    ),
    ("transaction.author == 'sync'", { $0.transactionNumber == 1 }),
    ("transactionNumber BETWEEN {2, 3} AND changeID < 8", { $0.transactionNumber >= 2 && $0.changeID < 8 }),
  ]

  @Test("predicates choose changes", arguments: StoreKind.allCases)
  func changePredicates(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    try lived(library)
    let all = try library.history(.fetchHistory(after: Date.distantPast)).transactions.flatMap { $0.changes ?? [] }
    for (format, isWanted) in Self.changePredicates {
      let fetch = try #require(PersistentHistoryChange.fetchRequest)
      fetch.predicate = try FetchPredicate(parsing: format)
      let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
      request.resultType = .changesOnly
      #expect(try library.history(request).changes == all.filter(isWanted), "\(format)")
    }
    for id in Set(all.map(\.changedObjectID)) {
      let fetch = try #require(PersistentHistoryChange.fetchRequest)
      fetch.predicate = try FetchPredicate(parsing: "changedObjectID == %@", arguments: [id])
      let request = PersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
      request.resultType = .changesOnly
      #expect(try library.history(request).changes == all.filter { $0.changedObjectID == id })
      fetch.predicate = try FetchPredicate(parsing: "changedObjectID != %@", arguments: [id])
      #expect(try library.history(request).changes == all.filter { $0.changedObjectID != id })
      fetch.predicate = try FetchPredicate(parsing: "changedObjectID IN %@", arguments: [[id]])
      #expect(try library.history(request).changes == all.filter { $0.changedObjectID == id })
    }
  }

  @Test(
    "what no store can tell of changes is refused with what it can",
    arguments: [
      "changedObjectID BEGINSWITH 'x'", "updatedProperties LIKE 'a*'", "updatedProperties == 'title'",
      "transaction.changes.updatedProperties CONTAINS 'title'",
    ])
  func refused(format: String) throws {
    let library = try HistoryLibrary()
    let fetch = try #require(PersistentHistoryChange.fetchRequest)
    fetch.predicate = try FetchPredicate(parsing: format)
    let error = #expect(throws: StoreError.self) { try library.history(.fetchHistory(withFetch: fetch)) }
    guard case .unsupported(let words)? = error, words.contains(" can be ") else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a limit and an order are those of the request")
  func limits() throws {
    let library = try HistoryLibrary()
    try lived(library)
    let fetch = try #require(PersistentHistoryTransaction.fetchRequest)
    fetch.sortDescriptors = [FetchSortDescriptor(["transactionNumber"], ascending: false)]
    fetch.fetchLimit = 2
    let found = try library.history(.fetchHistory(withFetch: fetch)).transactions
    #expect(found.map(\.transactionNumber) == [3, 2])
    #expect(found.map { $0.changes?.count } == [4, 2])
  }

  @Test("a store without history says so")
  func none() throws {
    let school = try School(.sqlite)
    let error = #expect(throws: StoreError.self) {
      try school.work { try $0.execute(.fetchHistory(after: Date.distantPast)) }
    }
    guard case .unsupported? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(school.container.persistentStoreCoordinator.currentPersistentHistoryToken() == nil)
    let store = try #require(school.container.persistentStoreCoordinator.persistentStores.first as? SQLiteStore)
    #expect(!store.tracksHistory)
    #expect(throws: StoreError.self) { try store.lastTransactionNumber() }
  }

  @Test("the notification of a transaction brings a context of another container up to date")
  func merging() throws {
    let library = try HistoryLibrary()
    try lived(library)
    let path = library.folder.path("library.sqlite")
    let model = library.container.managedObjectModel
    let other = try PersistentContainer(name: "other", model: model, store: SQLiteStore.open(path: path, model: model))
    let reading = other.newBackgroundContext()
    let token = other.persistentStoreCoordinator.currentPersistentHistoryToken()
    let authors = try reading.performAndWait {
      let authors = try reading.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
      #expect(authors.map { $0["name"] } == [.string("Ada")])
      return authors
    }
    try library.work { context in
      let author = try #require(try context.fetch(FetchSpecification(library.author)).first)
      author["name"] = .string("Grace")
      context.insert(library.author)["name"] = .string("Mary")
      try context.save()
    }
    try reading.performAndWait {
      #expect(authors.map { $0["name"] } == [.string("Ada")])
      let found = try reading.execute(.fetchHistory(after: token)).transactions
      #expect(found.count == 1)
      for transaction in found { reading.mergeChanges(fromContextDidSave: transaction.objectIDNotification()) }
      #expect(authors.map { $0["name"] } == [.string("Grace")])
    }
    try other.persistentStoreCoordinator.remove(other.persistentStoreCoordinator.persistentStores[0])
  }

  @Test("a child's changes are told of the context that saves to the store")
  func children() throws {
    let library = try HistoryLibrary()
    let parent = library.container.newBackgroundContext()
    parent.name = "parent"
    try parent.performAndWait {
      parent.transactionAuthor = "P"
      let child = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      try child.performAndWait {
        child.transactionAuthor = "C"
        child.insert(library.tag)
        try child.save()
      }
      try parent.save()
    }
    #expect(try library.told() == ["P: insert Tag/1"])
  }

  @Test("a batch is told with the author of its context", arguments: StoreKind.allCases)
  func batches(kind: StoreKind) throws {
    let library = try HistoryLibrary(kind)
    try library.work("shelf", author: "batch") { context in
      var titles = ["A", "B"][...]
      try context.execute(
        BatchInsertRequest(entityName: "Book") { (row: inout [String: Any]) in
          guard let title = titles.popFirst() else { return true }
          row["title"] = title
          return false
        })
    }
    #expect(try library.told() == ["batch: insert Book/1; insert Book/2"])
    let none: PersistentHistoryToken? = nil
    #expect(try library.history(.fetchHistory(after: none)).transactions.map(\.contextName) == ["shelf"])
  }

  @Test("a token is the same as text", arguments: ["", "A:1", "A:1,B:0"])
  func tokens(text: String) throws {
    let token = try #require(PersistentHistoryToken(text.isEmpty ? "X:1" : text))
    #expect(PersistentHistoryToken(token.description) == token)
    let coded = try JSONDecoder().decode(PersistentHistoryToken.self, from: JSONEncoder().encode(token))
    #expect(coded == token)
    for wrong in ["", "A", "A:", ":1", "A:-1", "A:x", "A:1,,B:2", "A:1,A:2"] {
      #expect(PersistentHistoryToken(wrong) == nil, "\(wrong)")
    }
  }
}
