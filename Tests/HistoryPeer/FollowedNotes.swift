package import Foundation
package import Seedbed

/// Notes in a store that several processes have open. The view context has all of them loaded, and follows what others
/// save by history alone: after each notification of a remote change it merges the transactions behind the last that it
/// has.
@MainActor
package final class FollowedNotes {
  /// The container, whose view context follows.
  package let container: PersistentContainer
  private let results: FetchedResultsController<ManagedObject>
  private var token: PersistentHistoryToken?
  /// Called after every merge.
  package var merged: (() throws -> Void)?
  /// The first error of a merge.
  package private(set) var failure: (any Error)?

  /// Opens the store, or makes it.
  package init(storeURL: URL) throws {
    var note = EntityDefinition("Note")
    note.attributes = [AttributeDefinition("text", .string), AttributeDefinition("readings", .integer32)]
    let description = PersistentStoreDescription(type: .sqlite, url: storeURL)
    description.tracksHistory = true
    description.postsRemoteChanges = true
    container = try PersistentContainer(
      name: "notes", managedObjectModel: ManagedObjectModel(entities: [note]),
      persistentStoreDescriptions: [description])
    let request = FetchRequest<ManagedObject>(entityName: "Note")
    request.sortDescriptors = [FetchSortDescriptor(key: "text", ascending: true)]
    results = FetchedResultsController(fetchRequest: request, managedObjectContext: container.viewContext)
    // Before the stores are loaded, so that nothing that is written from then on is missed. It stays as long as the
    // process.
    _ = NotificationCenter.default.addObserver(
      forName: PersistentStoreCoordinator.remoteChangeNotification, object: container.persistentStoreCoordinator,
      queue: nil
    ) { [weak self] _ in
      Task { @MainActor in self?.follow() }
    }
    try container.loadPersistentStores()
    token = container.persistentStoreCoordinator.currentPersistentHistoryToken()
    try results.performFetch()
  }

  /// Each note that the view context shows, with how often it was read.
  package var shown: [String] {
    (results.fetchedObjects ?? []).map { note in
      "\(note["text"] as String? ?? "") \(note["readings"] as Int? ?? 0)"
    }
  }

  private func follow() {
    do {
      let context = container.viewContext
      let transactions = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token)).transactions
      for transaction in transactions {
        context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        token = transaction.token
      }
      try merged?()
    } catch {
      failure = failure ?? error
    }
  }

  /// Saves in a context of its own, of which the view context learns by history.
  package func write(author: String, _ work: (ManagedObjectContext, [String: ManagedObject]) throws -> Void) throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
      context.transactionAuthor = author
      let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
      try work(context, Dictionary(uniqueKeysWithValues: notes.map { ($0["text"] ?? "", $0) }))
      try context.save()
    }
  }
}
