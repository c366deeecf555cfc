import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Notifications of stores that come and go")
struct StoreNotificationTests {
  private let model: ManagedObjectModel

  init() throws {
    var note = EntityDefinition("Note")
    note.attributes = [AttributeDefinition("text", .string)]
    model = try ManagedObjectModel(entities: [note])
  }

  /// What a coordinator posts, each with the stores that it had at the time and whether the store could be asked.
  private final class Log: @unchecked Sendable {
    private(set) var lines: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ coordinator: PersistentStoreCoordinator, _ names: [String: String]) {
      let kinds = [
        ("will", PersistentStoreCoordinator.storesWillChangeNotification),
        ("did", PersistentStoreCoordinator.storesDidChangeNotification),
      ]
      for (kind, name) in kinds {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) {
            [weak self, weak coordinator] notification in
            guard let coordinator, let changes = notification.persistentStoreChanges else { return }
            func told(_ stores: [any PersistentStore]) -> String {
              stores.map { names[$0.identifier] ?? "?" }.joined(separator: ",")
            }
            self?.lines.append(
              "\(kind) +\(told(changes.addedStores)) -\(told(changes.removedStores)) "
                + "[\(told(coordinator.persistentStores))]")
          })
      }
    }

    deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
  }

  @Test("they come before and after a store is added or taken away, with the stores")
  func order() throws {
    let stores = (0..<2).map { _ in InMemoryStore(model: model) }
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let log = Log(coordinator, [stores[0].identifier: "a", stores[1].identifier: "b"])
    for store in stores { try coordinator.add(store) }
    try coordinator.remove(stores[0])
    #expect(
      log.lines == [
        "will +a - []", "did +a - [a]", "will +b - [a]", "did +b - [a,b]", "will + -a [a,b]", "did + -a [b]",
      ])
  }

  @Test("what is refused posts none")
  func refusals() throws {
    let store = InMemoryStore(model: model)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model, store: store)
    let log = Log(coordinator, [:])
    #expect(throws: StoreError.self) { try coordinator.add(store) }
    #expect(throws: StoreError.self) { try coordinator.add(InMemoryStore(model: model), configuration: "none") }
    #expect(throws: StoreError.self) { try coordinator.remove(InMemoryStore(model: model)) }
    #expect(log.lines.isEmpty)
  }

  @Test("user info has the stores by Core Data's keys")
  func keys() throws {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let store = InMemoryStore(model: model)
    nonisolated(unsafe) var keys: [String] = []
    let token = NotificationCenter.default.addObserver(
      forName: PersistentStoreCoordinator.storesDidChangeNotification, object: coordinator, queue: nil
    ) { notification in
      unsafe keys += notification.userInfo?.keys.compactMap { $0 as? String } ?? []
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try coordinator.add(store)
    try coordinator.remove(store)
    #expect(unsafe keys == ["added", "removed"])
  }
}
