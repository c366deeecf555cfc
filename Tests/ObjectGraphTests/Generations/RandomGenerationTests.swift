import CoreDataLayout
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import Testing

/// The same work with the SQLite store and with the in-memory store, whose generations are copies.
@Suite("Random query generations")
struct RandomGenerationTests {
  @Test("generations of a file stay what they were, whatever is written and checkpointed", arguments: UInt64(1)...4)
  func stores(seed: UInt64) throws {
    var world = try BatchWorld(seed: seed, hasRules: false)
    try world.fill(nodes: 30)
    let store = world.stores[Int(seed % 2)]
    let other = try Connection(path: store.path)
    var open: [(expected: [String], memory: any StoreGeneration, file: any StoreGeneration)] = []
    var changed = 0
    for round in 0..<40 {
      switch world.number(8) {
      case 0, 1:
        let memory = try world.oracle.openGeneration()
        open.append((try world.contents(memory), memory, try store.openGeneration()))
      case 2 where !open.isEmpty:
        open.remove(at: world.number(open.count)).file.close()
      case 3:
        let batch = StoreBatch(.delete(BatchDeletion(try world.selection())))
        let outcomes = [batchOutcome { try world.oracle.perform(batch) }, batchOutcome { try store.perform(batch) }]
        #expect(outcomes[0] == outcomes[1])
        if !outcomes[0].contains("deleted 0") { changed += 1 }
      case 4, 5:
        let selection = try world.selection()
        let hasRank = selection.entity.attributes.contains { $0.name == "rank" }
        let assignments: [String: FetchExpression] =
          hasRank
          ? ["rank": .constant(.integer(Int64(round)))] : ["name": .constant(.string("name \(round)"))]
        let batch = StoreBatch(.update(BatchUpdate(selection, assignments: assignments)))
        let outcomes = [batchOutcome { try world.oracle.perform(batch) }, batchOutcome { try store.perform(batch) }]
        #expect(outcomes[0] == outcomes[1])
        if !outcomes[0].contains("updated 0") { changed += 1 }
      case 6:
        let modes: [Connection.CheckpointMode] = [.passive, .full, .restart, .truncate]
        // Busy where a generation is in the way.
        try other.execute("PRAGMA busy_timeout = 0")
        _ = try? other.checkpoint(modes[world.number(4)])
      default:
        let rows = try world.oracle.snapshots(try world.selection())
        var request = SaveRequest()
        for row in rows.prefix(3) {
          guard let index = row.objectID.entity.attributes.firstIndex(where: { $0.name == "name" }) else { continue }
          var row = row
          row.attributes[index] = .string("saved \(round)")
          request.updated.append(row)
        }
        try world.oracle.save(request)
        try store.save(request)
        changed += request.updated.count
      }
      let now = try world.contents(world.oracle)
      #expect(try world.contents(store) == now, "round \(round)")
      let selection = try world.selection()
      for (expected, memory, file) in open {
        #expect(try world.contents(memory) == expected, "round \(round)")
        #expect(try world.contents(file) == expected, "round \(round)")
        #expect(try file.snapshots(selection) == memory.snapshots(selection))
        #expect(try file.objectIDs(selection) == memory.objectIDs(selection))
        #expect(try file.count(selection) == memory.count(selection))
        #expect(try file.snapshotBlocks(selection).flatMap(\.snapshots) == memory.snapshots(selection))
      }
    }
    #expect(changed > 0)
    for generation in open { generation.file.close() }
    try other.close()
    // Nothing keeps the log any more.
    try store.checkpoint()
    try store.close()
  }

  /// The contexts of one container, and what they are told to do.
  private struct Readers {
    let container: PersistentContainer
    let contexts: [ManagedObjectContext]
    /// Objects that are held, by context: they keep what they have loaded.
    var held: [[ManagedObject]]

    init(_ container: PersistentContainer, count: Int) {
      self.container = container
      contexts = (0..<count).map { container.newBackgroundContext(name: "\($0)") }
      held = Array(repeating: [], count: count)
    }

    private static func line(_ object: ManagedObject) throws -> String {
      var parts = ["\(object.entity.name)\(object.objectID.primaryKey ?? 0)"]
      for attribute in object.entity.attributes { parts.append("\(object[attribute.name] ?? .null)") }
      for relationship in object.entity.relationships {
        if !relationship.isToMany {
          parts.append("\(object.object(for: relationship.name)?.objectID.primaryKey ?? 0)")
          continue
        }
        let ids = try object.objectIDs(for: relationship.name).map { $0.primaryKey ?? 0 }
        parts.append("\(relationship.isOrdered ? ids : ids.sorted())")
      }
      return parts.joined(separator: " ")
    }

    /// Does one thing in one context, and says what came of it.
    mutating func act(_ action: Int, _ index: Int, _ other: Int, _ selection: FetchSpecification, _ round: Int)
      -> String
    {
      let context = contexts[index]
      let token = contexts[other].performAndWait { contexts[other].queryGenerationToken }
      var kept = held[index]
      defer { held[index] = kept }
      return context.performAndWait {
        do {
          switch action {
          case 0: try context.setQueryGenerationFrom(.current)
          case 1: try context.setQueryGenerationFrom(token)
          case 2: try context.setQueryGenerationFrom(nil)
          case 3: context.refreshAllObjects()
          case 4:
            kept = []
            context.reset()
          case 5, 6:
            for object in try context.fetch(selection).prefix(4)
            where object.entity.attributes.contains(where: { $0.name == "name" }) {
              object["name"] = .string("round \(round)")
              if action == 6 { context.delete(object) }
            }
            context.mergePolicy = round % 3 == 0 ? .error : .mergeByPropertyObjectTrump
            do {
              try context.save()
            } catch {
              context.rollback()
              return "\(type(of: error))"
            }
          case 7:
            let request = FetchRequest<ManagedObject>(entityName: selection.entity.name)
            request.predicate = selection.predicate
            request.includesSubentities = selection.includesSubentities
            let deletion = BatchDeleteRequest(fetchRequest: request)
            deletion.resultType = .resultTypeObjectIDs
            let result = try context.execute(deletion)
            if round % 2 == 0 {
              ManagedObjectContext.mergeChanges(fromRemoteContextSave: result.changes, into: [context])
            }
          default:
            let found = try context.fetch(selection)
            kept = Array(found.prefix(5))
            let lines = try found.map { try Self.line($0) }
            return
              "\(lines) \(try context.count(selection)) \(try context.objectIDs(selection).map { $0.primaryKey ?? 0 })"
          }
          return "\(context.queryGenerationToken == nil) \(context.queryGenerationToken == .current)"
        } catch {
          return "\(error)"
        }
      }
    }
  }

  @Test("contexts, pinned and not, see the same in both stores", arguments: UInt64(1)...8)
  func contexts(seed: UInt64) throws {
    var world = try BatchWorld(seed: seed, hasRules: false)
    try world.fill(nodes: 30)
    let memory = try PersistentContainer(name: "memory", model: world.model, store: world.oracle)
    var readers = [Readers(memory, count: 4), Readers(world.container, count: 4)]
    let other = try Connection(path: world.contextStore.path)
    try other.execute("PRAGMA busy_timeout = 0")
    for round in 0..<80 {
      let (action, index, second) = (world.number(14), world.number(4), world.number(4))
      let selection = try world.selection()
      let outcomes = readers.indices.map { readers[$0].act(action, index, second, selection, round) }
      #expect(outcomes[0] == outcomes[1], "round \(round): action \(action) of \(index), \(selection.predicate)")
      if outcomes[0] != outcomes[1] { return }
      if world.number(5) == 0 { _ = try? other.checkpoint(.restart) }
    }
    let (found, expected) = (
      try world.contents(world.contextStore, inOrder: false), try world.contents(world.oracle, inOrder: false)
    )
    let differences = zip(found, expected).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
    #expect(found == expected, "\(differences)")
  }
}
