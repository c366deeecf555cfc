import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport

/// Books with authors (to-one), tags (many-to-many) and chapters (ordered) in a store that keeps history.
struct HistoryLibrary {
  let folder: TemporaryFolder
  let container: PersistentContainer
  let book: Entity
  let author: Entity
  let tag: Entity
  let chapter: Entity

  init(_ kind: StoreKind = .sqlite) throws {
    var printed = AttributeDefinition("printed", .date)
    printed.preservesValueInHistoryOnDeletion = true
    var library = LibraryModel()
    library.book.attributes += [AttributeDefinition("title", .string), AttributeDefinition("price", .double), printed]
    let model = try library.model()
    folder = try TemporaryFolder()
    let store: any PersistentStore
    switch kind {
    case .inMemory: store = InMemoryStore(model: model, tracksHistory: true)
    case .sqlite:
      var options = SQLiteStore.Options()
      options.tracksHistory = true
      store = try SQLiteStore.create(path: folder.path("library.sqlite"), model: model, options: options)
    }
    container = try PersistentContainer(name: "library", model: model, store: store)
    self.book = try model.required("Book")
    self.author = try model.required("Author")
    self.tag = try model.required("Tag")
    self.chapter = try model.required("Chapter")
  }

  var store: any PersistentHistoryTracking {
    get throws {
      guard let store = container.persistentStoreCoordinator.persistentStores.first as? any PersistentHistoryTracking
      else { throw StoreError.failure("the store keeps no history") }
      return store
    }
  }

  /// Runs work in a context of that name and author.
  func work<Result>(
    _ name: String? = nil, author: String? = nil, _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let context = container.newBackgroundContext()
    context.name = name
    return try context.performAndWait {
      context.transactionAuthor = author
      return try body(context)
    }
  }

  func history(_ request: PersistentHistoryChangeRequest) throws -> any HistoryResult {
    try work { try $0.execute(request) }
  }

  /// All transactions: author, and `type Entity/key properties` of each change, sorted.
  func told(after token: PersistentHistoryToken? = nil) throws -> [String] {
    try history(.fetchHistory(after: token)).transactions.map { transaction in
      let changes = (transaction.changes ?? []).map(Self.text).sorted()
      return "\(transaction.author ?? "–"): \(changes.joined(separator: "; "))"
    }
  }

  static func text(_ change: PersistentHistoryChange) -> String {
    var text = "\(change.changeType) \(change.changedObjectID.entity.name)/\(change.changedObjectID.primaryKey ?? 0)"
    if let properties = change.updatedPropertyNames { text += " " + properties.sorted().joined(separator: ",") }
    if let tombstone = change.tombstoneValues {
      text += tombstone.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    }
    return text
  }
}
