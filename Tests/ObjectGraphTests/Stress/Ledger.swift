import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import TestSupport

/// Accounts with entries, over one store. A SQLite store is open twice, as in two processes.
struct Ledger: Sendable {
  let container: PersistentContainer
  /// Over the same store: of another coordinator where the store is a file.
  let otherContainer: PersistentContainer
  let path: String?
  private let folder: TemporaryFolder

  init(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    let model = try Self.model()
    container = try PersistentContainer(name: "ledger", model: model, store: try kind.makeStore(model, in: folder))
    switch kind {
    case .inMemory:
      otherContainer = container
      path = nil
    case .sqlite:
      let path = folder.path + "/School.sqlite"
      let otherModel = try Self.model()
      otherContainer = try PersistentContainer(
        name: "other", model: otherModel, store: try SQLiteStore.open(path: path, model: otherModel))
      self.path = path
    }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for name in Set(StressWorker.allCases.map(\.accountName)) { try addAccount(name, in: context) }
      try context.save()
    }
  }

  private static func model() throws -> ManagedObjectModel {
    var account = EntityDefinition("Account")
    account.attributes = [AttributeDefinition("name", .string), AttributeDefinition("total", .integer64)]
    account.uniquenessConstraints = [["name"]]
    var entries = RelationshipDefinition("entries", toMany: "Entry", inverse: "account")
    entries.deleteRule = .cascade
    account.relationships = [entries]
    var entry = EntityDefinition("Entry")
    entry.attributes = [AttributeDefinition("number", .integer64)]
    entry.relationships = [RelationshipDefinition("account", toOne: "Account", inverse: "entries")]
    return try ManagedObjectModel(entities: [account, entry])
  }

  @discardableResult
  func addAccount(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
    let account = EntityDescription.insertNewObject(forEntityName: "Account", into: context)
    account["name"] = name
    account["total"] = 0
    return account
  }

  /// The one of that name. Workers that are not about missing accounts stop without it.
  func account(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
    let request = FetchRequest<ManagedObject>(entityName: "Account")
    request.predicate = FetchPredicate(format: "name == %@", name)
    guard let account = try context.fetch(request).first else { throw Missing(name: name) }
    return account
  }

  struct Missing: Error { let name: String }
}
