import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface

/// How long a controller of many results in sections takes to tell of a few changes, on a store of its own making.
struct ResultsUpdates {
  static let rows = 50_000
  private static let sections = 100
  private static let rounds = 9

  /// What one kind of change took.
  struct Outcome {
    var name: String
    var milliseconds: Double
    var limit: Double
  }

  private final class Listener: FetchedResultsControllerDelegate {
    var count = 0
    func controller(
      _ controller: FetchedResultsController<any FetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { count += 1 }
  }

  func run() throws -> [Outcome] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var item = EntityDefinition("Item")
    item.attributes = [
      AttributeDefinition("group", .integer32), AttributeDefinition("rank", .integer32),
      AttributeDefinition("note", .string),
    ]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("name", .string)]
    let model = try ManagedObjectModel(entities: [item, tag])
    guard let item = model["Item"], let tag = model["Tag"] else { throw TransitQueries.MissingEntity() }
    let store = try SQLiteStore.create(path: folder.appendingPathComponent("Items.sqlite").path, model: model)
    let container = try PersistentContainer(name: "results", model: model, store: store)
    let other = container.newBackgroundContext(name: "other")
    try other.performAndWait {
      for index in 0..<Self.rows {
        let object = other.insert(item)
        object["group"] = .integer(Int64(index % Self.sections))
        object["rank"] = .integer(Int64(index))
      }
      try other.save()
    }
    let context = container.newBackgroundContext(name: "list")
    return try context.performAndWait { try measure(context, other, item, tag) }
  }

  private func measure(
    _ context: ManagedObjectContext, _ other: ManagedObjectContext, _ item: Entity, _ tag: Entity
  ) throws -> [Outcome] {
    var request = FetchSpecification(item)
    request.sortDescriptors = [.init(["group"]), .init(["rank"])]
    let controller = FetchedResultsController<ManagedObject>(
      fetchRequest: FetchRequest(request), managedObjectContext: context, sectionNameKeyPath: "group")
    let listener = Listener()
    controller.delegate = listener
    try controller.performFetch()
    let unrelated = context.insert(tag)
    context.processPendingChanges()
    var one: [Double] = []
    var none: [Double] = []
    var many: [Double] = []
    for round in 0..<Self.rounds {
      let object = controller.object(at: [round, 250])
      one.append(
        time {
          object["rank"] = .integer(Int64(round))
          context.processPendingChanges()
        })
      none.append(
        time {
          unrelated["name"] = .string("\(round)")
          context.processPendingChanges()
        })
      let changed = try save(round, of: controller.fetchedObjects?.map(\.objectID) ?? [], in: other)
      many.append(time { ManagedObjectContext.mergeChanges(fromRemoteContextSave: changed, into: [context]) })
    }
    guard listener.count >= Self.rounds * 1_001 else {
      throw WrongAnswer(
        name: "results", expected: Answer(rows: Self.rounds * 1_001), found: Answer(rows: listener.count))
    }
    return [
      Outcome(name: "one changed attribute", milliseconds: Pair.median(one), limit: 5),
      Outcome(name: "an object that is not among the results", milliseconds: Pair.median(none), limit: 0.2),
      Outcome(name: "1,000 changes in one merge", milliseconds: Pair.median(many), limit: 40),
    ]
  }

  /// Has another context change 1,000 objects.
  private func save(_ round: Int, of ids: [ObjectID], in other: ManagedObjectContext) throws -> ContextChangeIDs {
    let wanted = stride(from: round, to: ids.count, by: ids.count / 1_000).map { ids[$0] }.prefix(1_000)
    return try other.performAndWait {
      for (index, object) in try other.objects(with: Array(wanted)).enumerated() {
        object["rank"] = .integer(Int64((index * 7_919 + round) % Self.rows))
      }
      try other.save()
      return ContextChangeIDs(updated: Array(wanted), relationshipOwners: [])
    }
  }

  /// Milliseconds of wall time.
  private func time(_ work: () -> Void) -> Double {
    let start = ContinuousClock.now
    work()
    let elapsed = start.duration(to: .now).components
    return Double(elapsed.seconds) * 1e3 + Double(elapsed.attoseconds) / 1e15
  }
}
