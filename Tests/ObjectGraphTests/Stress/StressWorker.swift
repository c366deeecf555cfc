import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface

/// One of eight threads, and what it does over and over.
enum StressWorker: String, CaseIterable, Sendable {
  /// Adds to an account that another thread adds to as well, each with a coordinator of its own: conflicts are certain.
  case contender, otherContender
  /// Adds to an account of its own, in turn with a context of its own and the one of the main queue, under fetched
  /// results there.
  case owner
  /// The same in a new child context of one context each time.
  case child
  /// Adds entries to the account of the contenders, with a merge policy.
  case contributor
  /// Inserts accounts whose names are there already.
  case upserter
  /// Inserts an account with entries, and deletes it.
  case deleter
  /// Adds to an account of its own in a context that merges all others' saves, under three lists of fetched results,
  /// and takes every other change back and does it again before it is saved.
  case watcher

  /// The account that it adds to.
  var accountName: String {
    switch self {
    case .contender, .otherContender, .contributor: "shared"
    default: rawValue
    }
  }

  static let upsertedNames = (0..<10).map { "upserted \($0)" }

  /// Saves so many times.
  /// - Returns: how many saves were repeated because of a conflict.
  func work(_ ledger: Ledger, saves: Int, _ progress: StressProgress) throws -> Int {
    switch self {
    case .contender: return try contend(ledger, ledger.container, saves, progress)
    case .otherContender: return try contend(ledger, ledger.otherContainer, saves, progress)
    case .child: try saveInChildren(ledger, saves, progress)
    case .watcher: try watch(ledger, saves, progress)
    case .owner: try own(ledger, saves, progress)
    case .contributor, .upserter, .deleter:
      let context = ledger.container.newBackgroundContext(name: rawValue)
      for number in 0..<saves {
        try context.performAndWait { try step(ledger, context, number) }
        progress.advance()
      }
    }
    return 0
  }

  private func step(_ ledger: Ledger, _ context: ManagedObjectContext, _ number: Int) throws {
    switch self {
    case .contributor:
      context.mergePolicy = .mergeByPropertyObjectTrump
      let entry = EntityDescription.insertNewObject(forEntityName: "Entry", into: context)
      entry["number"] = number
      entry.setObject(try ledger.account(accountName, in: context), for: "account")
    case .upserter:
      context.mergePolicy = .mergeByPropertyObjectTrump
      let name = Self.upsertedNames[number % Self.upsertedNames.count]
      try ledger.addAccount(name, in: context)["total"] = number
    case .deleter:
      let account = try ledger.addAccount("temporary", in: context)
      for number in 0..<3 {
        let entry = EntityDescription.insertNewObject(forEntityName: "Entry", into: context)
        entry["number"] = -number
        entry.setObject(account, for: "account")
      }
      try context.save()
      context.delete(account)
    default: try Self.add(to: try ledger.account(accountName, in: context))
    }
    try context.save()
  }

  private static func add(to account: ManagedObject) throws {
    let total: Int64? = account["total"]
    account["total"] = (total ?? 0) + 1
  }

  /// Under the error policy: what fails for a conflict is done again with what the store has by then.
  private func contend(
    _ ledger: Ledger, _ container: PersistentContainer, _ saves: Int, _ progress: StressProgress
  ) throws -> Int {
    let context = container.newBackgroundContext(name: rawValue)
    var (done, conflicts) = (0, 0)
    while done < saves {
      let isSaved = try context.performAndWait {
        context.stalenessInterval = 0
        let account = try ledger.account(accountName, in: context)
        context.refresh(account, mergeChanges: false)
        try Self.add(to: account)
        do {
          try context.save()
          return true
        } catch is SaveConflictError {
          context.rollback()
          return false
        }
      }
      if isSaved { done += 1 } else { conflicts += 1 }
      progress.advance()
    }
    return conflicts
  }

  private func saveInChildren(_ ledger: Ledger, _ saves: Int, _ progress: StressProgress) throws {
    let parent = ledger.container.newBackgroundContext(name: "parent")
    for _ in 0..<saves {
      let child = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = parent
      try child.performAndWait {
        try Self.add(to: try ledger.account(accountName, in: child))
        try child.save()
      }
      try parent.performAndWait { try parent.save() }
      progress.advance()
    }
  }

  private func own(_ ledger: Ledger, _ saves: Int, _ progress: StressProgress) throws {
    let (context, main) = (ledger.container.newBackgroundContext(name: rawValue), ledger.container.viewContext)
    let list = try main.performAndWait {
      main.automaticallyMergesChangesFromParent = true
      return try WatchedList(by: ["name"], of: "Account", in: main)
    }
    for number in 0..<saves {
      let context = number % 2 == 0 ? context : main
      try context.performAndWait {
        let account = try ledger.account(accountName, in: context)
        // The other context has saved since.
        context.refresh(account, mergeChanges: false)
        try Self.add(to: account)
        try context.save()
      }
      try main.performAndWait { try list.check() }
      progress.advance()
    }
    main.performAndWait { list.stop() }
  }

  private func watch(_ ledger: Ledger, _ saves: Int, _ progress: StressProgress) throws {
    let context = ledger.container.newBackgroundContext(name: rawValue)
    context.automaticallyMergesChangesFromParent = true
    let lists = try context.performAndWait {
      context.undoManager = ContextUndoManager()
      return [
        try WatchedList(by: ["name"], of: "Account", in: context),
        try WatchedList(by: ["total", "name"], of: "Account", where: "total > 3", in: context),
        try WatchedList(by: ["account.name", "number"], of: "Entry", inSections: true, in: context),
      ]
    }
    for number in 0..<saves {
      try context.performAndWait {
        try Self.add(to: try ledger.account(accountName, in: context))
        context.processPendingChanges()
        if number % 2 == 0, let manager = context.undoManager, manager.canUndo {
          manager.undo()
          manager.redo()
        }
        try context.save()
        for list in lists { try list.check() }
      }
      progress.advance()
    }
    try context.performAndWait { for list in lists { try list.check() } }
  }
}

/// Ids that follow a controller by its differences alone.
final class WatchedList: FetchedResultsControllerDelegate, @unchecked Sendable {
  struct Wrong: Error { let message: String }

  private let controller: FetchedResultsController<ManagedObject>
  private var rows: [ObjectID] = []
  private var problem: Wrong?

  init(
    by keys: [String], of entity: String, where format: String? = nil, inSections: Bool = false,
    in context: ManagedObjectContext
  ) throws {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = keys.map { FetchSortDescriptor(key: $0, ascending: true) }
    request.predicate = format.map { FetchPredicate(format: $0) }
    controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: inSections ? keys[0] : nil)
    controller.delegate = self
    try controller.performFetch()
    rows = controller.fetchedObjects?.map(\.objectID) ?? []
  }

  func controller(
    _ controller: FetchedResultsController<any FetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<ObjectID>
  ) {
    guard let changed = rows.applying(difference) else {
      problem = problem ?? Wrong(message: "a difference does not fit the list")
      return
    }
    rows = changed
  }

  func controller(_ controller: FetchedResultsController<any FetchRequestResult>, didFailWith error: any Error) {
    problem = problem ?? Wrong(message: "the controller failed: \(error)")
  }

  /// The context lives on, the list does not.
  func stop() { controller.delegate = nil }

  /// - Throws: what is not as it must be after every event.
  func check() throws {
    if let problem { throw problem }
    let ids = controller.fetchedObjects?.map(\.objectID) ?? []
    if ids != rows { throw Wrong(message: "the list has \(rows), where the results are \(ids)") }
    if Set(ids).count != ids.count { throw Wrong(message: "an object is twice among the results") }
    let sections = (controller.sections ?? []).flatMap { ($0.objects as? [ManagedObject] ?? []).map(\.objectID) }
    if sections != ids { throw Wrong(message: "the sections have \(sections), where the results are \(ids)") }
  }
}
