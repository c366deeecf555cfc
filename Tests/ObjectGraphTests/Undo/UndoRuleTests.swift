import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Undo, delete rules and what others saved")
struct UndoRuleTests {
  /// Nodes 0 ← 1 ← 2 by `parent`, saved, in a context with an undo manager.
  private func chain(_ graph: NodeGraph, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    let nodes = (0..<3).map { graph.add(context, $0) }
    for (child, parent) in zip(nodes.dropFirst(), nodes) { child.setObject(parent, for: "parent") }
    try context.save()
    context.undoManager = ContextUndoManager()
    return nodes
  }

  /// What another context saves, merged into this one.
  private func elsewhere(
    _ graph: NodeGraph, _ context: ManagedObjectContext, _ change: (ManagedObjectContext) throws -> Void
  ) throws {
    let other = graph.container.newBackgroundContext(name: "other")
    let observer = NotificationTests.Observer()
    observer.on(ManagedObjectContext.didSaveObjectIDsNotification, other) { notification in
      context.performAndWait { context.mergeChanges(fromContextDidSave: notification) }
    }
    try other.performAndWait {
      try change(other)
      try other.save()
    }
  }

  private func stored(_ graph: NodeGraph) throws -> [Value] {
    var request = FetchSpecification(graph.node)
    request.sortDescriptors = [.init(["number"])]
    return try graph.store.snapshots(request).map { $0.attributes[0] }
  }

  @Test("undo of a saved insertion deletes by the rules what others have linked to it", arguments: StoreKind.allCases)
  func undoInsertion(kind: StoreKind) throws {
    let graph = try NodeGraph(kind)
    try graph.work { context in
      context.undoManager = ContextUndoManager()
      let node = graph.add(context, 1)
      try context.save()
      let id = node.objectID
      try elsewhere(graph, context) { other in
        let parent = other.object(with: id)
        let child = graph.add(other, 2)
        child.setObject(parent, for: "parent")
        graph.add(other, 3).setObject(child, for: "parent")
        try graph.add(other, 4).add(parent, to: "friends")
      }
      context.undo()
      try context.save()
      #expect(try stored(graph) == [.integer(4)])
      let friend = try #require(try context.fetch(FetchSpecification(graph.node)).first)
      #expect(try friend.objects(for: "friends") == [])
      context.redo()
      try context.save()
      #expect(try stored(graph) == [.integer(1), .integer(2), .integer(3), .integer(4)])
    }
  }

  @Test("redo of a deletion takes along what others have linked meanwhile", arguments: StoreKind.allCases)
  func redoDeletion(kind: StoreKind) throws {
    let graph = try NodeGraph(kind)
    try graph.work { context in
      let nodes = try chain(graph, context)
      context.delete(nodes[0])
      context.processPendingChanges()
      context.undo()
      #expect(!context.hasChanges && nodes.allSatisfy { !$0.isDeleted })
      let id = nodes[0].objectID
      try elsewhere(graph, context) { other in graph.add(other, 7).setObject(other.object(with: id), for: "parent") }
      context.redo()
      try context.save()
      #expect(try stored(graph) == [])
    }
  }

  @Test("where only saves apply the rules, undo does not", arguments: StoreKind.allCases)
  func lateRules(kind: StoreKind) throws {
    let graph = try NodeGraph(kind)
    try graph.work { context in
      let nodes = try chain(graph, context)
      context.propagatesDeletesAtEndOfEvent = false
      context.delete(nodes[0])
      context.processPendingChanges()
      #expect(nodes.map(\.isDeleted) == [true, false, false])
      context.undo()
      #expect(!context.hasChanges && nodes.map(\.isDeleted) == [false, false, false])
      context.redo()
      #expect(nodes.map(\.isDeleted) == [true, false, false])
      try context.save()
      #expect(try stored(graph) == [])
    }
  }

  @Test(
    "what others saved of an object that is deleted here is there when it comes back, and no conflict",
    arguments: StoreKind.allCases, ["undo", "rollback", "save"])
  func changedWhileDeleted(kind: StoreKind, end: String) throws {
    let graph = try NodeGraph(kind)
    try graph.work { context in
      let nodes = try chain(graph, context)
      context.delete(nodes[2])
      context.processPendingChanges()
      let ids = nodes.map(\.objectID)
      try elsewhere(graph, context) { other in
        other.object(with: ids[2])["value"] = .integer(9)
        other.object(with: ids[2]).setObject(other.object(with: ids[0]), for: "parent")
      }
      #expect(nodes[2].isDeleted)
      switch end {
      case "undo": context.undo()
      case "rollback": context.rollback()
      default:
        try context.save()
        #expect(try stored(graph) == [.integer(0), .integer(1)])
        return
      }
      #expect(!nodes[2].isDeleted && nodes[2]["value"] == .integer(9) && nodes[2].object(for: "parent") === nodes[0])
      #expect(Set(try nodes[0].objects(for: "children")) == [nodes[1], nodes[2]])
      #expect(try nodes[1].objects(for: "children") == [])
      #expect(!context.hasChanges)
      try context.save()
      #expect(try stored(graph) == [.integer(0), .integer(1), .integer(2)])
    }
  }
}
