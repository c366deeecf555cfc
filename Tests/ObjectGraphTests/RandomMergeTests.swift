import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Random sequences in contexts that merge each other's saves")
struct RandomMergeTests {
  @Test(
    "whatever two contexts change, undo and save, both end with what the store has", arguments: StoreKind.allCases,
    0..<12)
  func sequences(kind: StoreKind, seed: Int) throws {
    let graph = try NodeGraph(kind)
    let contexts = ["left", "right"].map { graph.container.newBackgroundContext(name: $0) }
    let observer = NotificationTests.Observer()
    for (saver, reader) in [(contexts[0], contexts[1]), (contexts[1], contexts[0])] {
      saver.performAndWait {
        saver.undoManager = UndoManager()
        saver.mergePolicy = .mergeByPropertyObjectTrump
      }
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, saver) { notification in
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: notification) }
      }
    }
    var random = SplitMix(state: UInt64(seed) &* 0x9E37_79B9 &+ 11)
    var history: [String] = []
    for round in 0..<25 {
      for _ in 0..<6 {
        let index = Int(random.next() % 2)
        let context = contexts[index]
        var choices = random
        let entry = try context.performAndWait { () throws -> String in
          let entry = try change(graph, context, &choices, newNumber: round * 10 + history.count % 10)
          context.processPendingChanges()
          do { _ = try graph.contents(context) } catch let error as NodeGraph.OneSided { return entry + " BROKEN: " + error.text }
          return entry
        }
        random = choices
        history.append("\(context.name) \(entry)")
        if entry.contains("BROKEN") {
          Issue.record("round \(round), \(history.suffix(24))")
          return
        }
      }
      // Each takes what the other saves; what cannot be saved after that is taken back.
      for context in contexts + contexts {
        context.performAndWait {
          do {
            try context.save()
          } catch {
            context.rollback()
            history.append("\(context.name) rolled back: \(error)")
          }
        }
      }
      let fresh = graph.container.newBackgroundContext(name: "fresh")
      let stored = try fresh.performAndWait {
        fresh.stalenessInterval = 0
        do { return try graph.contents(fresh) } catch let error as NodeGraph.OneSided {
          Issue.record("round \(round), in the store \(error.text), \(history.suffix(24))")
          throw error
        }
      }
      for context in contexts {
        history.append("saved")
        let here: PlainGraph.Nodes
        do {
          here = try context.performAndWait { try graph.contents(context) }
        } catch let error as NodeGraph.OneSided {
          Issue.record("round \(round), in \(context.name) \(error.text), \(history.suffix(24))")
          return
        }
        let hasChanges = context.performAndWait { context.hasChanges }
        guard here == stored, !hasChanges else {
          Issue.record("round \(round), \(context.name) after \(history.suffix(14)): \(here) is not \(stored)")
          return
        }
      }
    }
  }

  private func change(
    _ graph: NodeGraph, _ context: ManagedObjectContext, _ random: inout SplitMix, newNumber: Int
  ) throws -> String {
    var request = FetchRequest(graph.node)
    request.sortDescriptors = [.init(["number"])]
    let nodes = try context.fetch(request)
    func pick() -> ManagedObject? { nodes.isEmpty ? nil : nodes[Int(random.next() % UInt64(nodes.count))] }
    let operation = random.next() % 11
    guard operation > 1, let first = pick(), let second = pick() else {
      let new = graph.add(context, newNumber)
      if let parent = pick() { new.setObject(parent, for: "parent") }
      return "insert \(newNumber)"
    }
    let names = [first, second].map { "\($0["number"])" }.joined(separator: " ")
    switch operation {
    case 2, 3:
      first["value"] = .integer(Int64(random.next() % 5))
      return "value \(names)"
    case 4:
      first.setObject(second, for: "parent")
      return "parent \(names)"
    case 5:
      try first.add(second, to: "friends")
      return "add \(names)"
    case 6:
      try second.remove(first, from: "friendOf")
      return "remove \(names)"
    case 7:
      context.delete(first)
      return "delete \(names)"
    case 8, 9:
      context.undo()
      return "undo"
    default:
      context.redo()
      return "redo"
    }
  }
}
