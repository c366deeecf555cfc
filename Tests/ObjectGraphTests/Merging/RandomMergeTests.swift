import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

@Suite("Random sequences in contexts that merge each other's saves")
struct RandomMergeTests {
  @Test(
    "whatever two contexts change, undo and save, both end with what the store has", arguments: StoreKind.allCases,
    0..<20)
  func sequences(kind: StoreKind, seed: Int) throws {
    let graph = try NodeGraph(kind)
    let contexts = ["left", "right"].map { graph.container.newBackgroundContext(name: $0) }
    let policies = [
      MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .error, .overwrite, .rollback,
    ]
    let observer = NotificationTests.Observer()
    for (saver, reader) in [(contexts[0], contexts[1]), (contexts[1], contexts[0])] {
      saver.performAndWait {
        saver.undoManager = ContextUndoManager()
        saver.mergePolicy = policies[seed % policies.count]
      }
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, saver) { notification in
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: notification) }
      }
    }
    var random = SeededGenerator(seed: UInt64(seed) &* 0x9E37_79B9 &+ 11)
    var history: [String] = []
    do {
      for round in 0..<25 {
        for step in 0..<6 {
          let context = contexts[Int(random.next() % 2)]
          var choices = random
          let change = try context.performAndWait {
            try self.change(graph, context, &choices, newNumber: round * 10 + step)
          }
          random = choices
          history.append("\(context.name ?? "") \(change)")
          _ = try context.performAndWait { try graph.contents(context) }
        }
        for context in contexts + contexts {
          let failure = context.performAndWait { saveOrRollBack(context) }
          history.append("\(context.name ?? "") saved \(failure ?? "")")
        }
        let fresh = graph.container.newBackgroundContext(name: "fresh")
        let stored = try fresh.performAndWait { try graph.contents(fresh) }
        for context in contexts {
          let (here, hasChanges) = try context.performAndWait { (try graph.contents(context), context.hasChanges) }
          guard here == stored, !hasChanges else {
            Issue.record("\(context.name) after \(history.suffix(24)): \(here) is not \(stored)")
            return
          }
        }
      }
    } catch let error as NodeGraph.OneSided {
      Issue.record("\(error.text), after \(history.suffix(24))")
    }
  }

  /// What cannot be saved beside what the other context saved is taken back.
  private func saveOrRollBack(_ context: ManagedObjectContext) -> String? {
    do {
      try context.save()
      return nil
    } catch {
      context.rollback()
      return "\(error)"
    }
  }

  /// One random change, processed.
  private func change(
    _ graph: NodeGraph, _ context: ManagedObjectContext, _ random: inout SeededGenerator, newNumber: Int
  ) throws -> String {
    defer { context.processPendingChanges() }
    var request = FetchSpecification(graph.node)
    request.sortDescriptors = [.init(["number"])]
    let nodes = try context.fetch(request)
    func pick() -> ManagedObject? { nodes.isEmpty ? nil : nodes[Int(random.next() % UInt64(nodes.count))] }
    let operation = random.next() % 11
    guard operation > 1, let first = pick(), let second = pick() else {
      let new = graph.add(context, newNumber)
      if let parent = pick() { new.setObject(parent, for: "parent") }
      return "insert \(newNumber)"
    }
    let names = [first, second].map { "\($0.attributeValue("number"))" }.joined(separator: " ")
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
