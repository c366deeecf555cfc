import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

@Suite("Random relationships in two contexts")
struct RandomPartnerTests {
  @Test(
    "both sides agree after every save, and a context has what is stored when it is refreshed",
    arguments: StoreKind.allCases, MergePolicy.Kind.allCases)
  func sequences(kind: StoreKind, policy: MergePolicy.Kind) throws {
    for seed in 0..<4 { try sequence(kind, policy, seed, isMerging: seed % 2 == 1) }
  }

  private func sequence(_ kind: StoreKind, _ policy: MergePolicy.Kind, _ seed: Int, isMerging: Bool) throws {
    let graph = try CoupleGraph(kind)
    var random = SeededGenerator(seed: UInt64(seed) &* 0x9E37_79B9 &+ 5)
    let contexts = ["left", "right"].map { graph.container.newBackgroundContext(name: $0) }
    try contexts[0].performAndWait {
      for number in 0..<6 { _ = graph.add(contexts[0], number) }
      try contexts[0].save()
    }
    for context in contexts { context.performAndWait { context.mergePolicy = MergePolicy(policy) } }
    let observer = NotificationTests.Observer()
    for (saver, reader) in [(contexts[0], contexts[1]), (contexts[1], contexts[0])] where isMerging {
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, saver) { notification in
        reader.performAndWait { reader.mergeChanges(fromContextDidSave: notification) }
      }
    }
    let held = Box<[ManagedObject]>()
    var history: [String] = []
    for round in 0..<20 {
      for context in contexts {
        try context.performAndWait { held.value = (held.value ?? []) + (try graph.nodes(context)) }
      }
      for step in 0..<8 {
        let context = contexts[Int(random.next() % 2)]
        var choices = random
        let change = try context.performAndWait {
          try self.change(graph, context, &choices, newNumber: 10 + round * 10 + step)
        }
        random = choices
        history.append("\(context.name ?? "") \(change)")
      }
      for context in round % 2 == 0 ? contexts : contexts.reversed() {
        history.append("\(context.name ?? "") saves")
        let here = try context.performAndWait { () throws -> [String] in
          do {
            try context.save()
          } catch {
            history.append("\(error)")
            // A relationship that was read before others changed it may lead to what is deleted here.
            if policy != .error, !(error is ValidationError) { Issue.record("\(policy) \(seed): \(error)") }
            context.rollback()
          }
          #expect(!context.hasChanges)
          context.refreshAllObjects()
          return try graph.contents(context)
        }
        if isMerging && !history.contains(where: { $0.contains("delete") }) {
          for context in contexts {
            let problems = try context.performAndWait { try graph.problems(context) }
            if problems.isEmpty { continue }
            let note = "\(policy) \(seed) \(context.name ?? ""): \(problems)"
            Issue.record("\(note), after \(history.suffix(20).joined(separator: "; "))")
            return
          }
        }
        let fresh = graph.container.newBackgroundContext(name: "fresh")
        let (stored, problems) = try fresh.performAndWait { (try graph.contents(fresh), try graph.problems(fresh)) }
        guard stored == here, problems.isEmpty else {
          let note = "\(policy) \(seed): \(problems), after \(history.suffix(20).joined(separator: "; "))"
          Issue.record("\(note): \(here) is not \(stored)")
          return
        }
      }
      held.value = nil
    }
    #expect(try graph.findings().isEmpty)
  }

  private func change(
    _ graph: CoupleGraph, _ context: ManagedObjectContext, _ random: inout SeededGenerator, newNumber: Int
  ) throws -> String {
    let nodes = try graph.nodes(context)
    func pick() -> ManagedObject? { nodes.isEmpty ? nil : nodes[Int(random.next() % UInt64(nodes.count))] }
    let operation = random.next() % 13
    guard operation > 0, let first = pick(), let second = pick() else {
      if nodes.count > 8 { return "nothing" }
      let new = graph.add(context, newNumber)
      new.setObject(pick(), for: "spouse")
      return "insert \(newNumber)"
    }
    let names = [first, second].map { "\($0.attributeValue("number").number ?? -1)" }.joined(separator: " ")
    switch operation {
    case 1:
      first["value"] = .integer(Int64(random.next() % 5))
      return "value \(names)"
    case 12:
      context.delete(first)
      context.processPendingChanges()
      return "delete \(names)"
    case 2: try first.add(second, to: "children")
    case 3: first.setObject(second, for: "parent")
    case 4: first.setObject(nil, for: "next")
    case 5: first.setObject(nil, for: "spouse")
    case 6, 7: first.setObject(second, for: "spouse")
    default: first.setObject(second, for: operation % 2 == 0 ? "next" : "previous")
    }
    return "\(operation) \(names)"
  }
}
