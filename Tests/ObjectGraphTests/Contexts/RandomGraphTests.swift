import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestSupport
import Testing

/// What a node is, in a model of plain dictionaries.
struct PlainNode: Equatable {
  var value: Int?
  var parent: Int?
  var friends: Set<Int> = []
}

/// The same operations on dictionaries: the readable twin of a context.
struct PlainGraph {
  typealias Nodes = [Int: PlainNode]
  var nodes: Nodes = [:]
  var saved: Nodes = [:]
  private var undoStack: [Nodes] = []
  private var redoStack: [Nodes] = []

  mutating func change(_ body: (inout Nodes) -> Void) {
    var changed = nodes
    body(&changed)
    if changed == nodes { return }
    undoStack.append(nodes)
    redoStack = []
    nodes = changed
  }

  static func delete(_ number: Int, from nodes: inout Nodes) {
    guard nodes.removeValue(forKey: number) != nil else { return }
    for (other, node) in nodes where node.parent == number { delete(other, from: &nodes) }
    for other in nodes.keys {
      nodes[other]?.friends.remove(number)
      if nodes[other]?.parent == number { nodes[other]?.parent = nil }
    }
  }

  mutating func undo() {
    guard let state = undoStack.popLast() else { return }
    redoStack.append(nodes)
    nodes = state
  }

  mutating func redo() {
    guard let state = redoStack.popLast() else { return }
    undoStack.append(nodes)
    nodes = state
  }

  mutating func save() { saved = nodes }

  /// The nodes that the next save updates: their own values differ, or the members of their relationships, on either
  /// side.
  var updated: Set<Int> {
    func members(_ nodes: Nodes, _ number: Int) -> [Set<Int>] {
      [
        Set(nodes.filter { $0.value.parent == number }.keys),
        Set(nodes.filter { $0.value.friends.contains(number) }.keys),
      ]
    }
    return Set(
      saved.keys.filter { number in
        guard let node = nodes[number] else { return false }
        return node != saved[number] || members(nodes, number) != members(saved, number)
      })
  }

  mutating func discard() {
    nodes = saved
    undoStack = []
    redoStack = []
  }
}

@Suite("Random sequences")
struct RandomGraphTests {
  enum Operation: CaseIterable {
    case insert, setValue, setParent, clearParent, toggleFriend, delete, save, undo, redo, rollback, reset, refresh
    case refreshAll, childEdit
  }

  @Test("contexts over both stores do what plain dictionaries do", arguments: StoreKind.allCases, 0..<10)
  func sequences(kind: StoreKind, seed: Int) throws {
    let graph = try NodeGraph(kind)
    try graph.work { context in
      context.undoManager = ContextUndoManager()
      // Merges every save and keeps all objects, with their relationships loaded.
      let follower = graph.container.newBackgroundContext(name: "follower")
      let observer = NotificationTests.Observer()
      observer.on(ManagedObjectContext.didSaveObjectIDsNotification, context) { notification in
        follower.performAndWait { follower.mergeChanges(fromContextDidSave: notification) }
      }
      var held: [ManagedObject] = []
      var random = SeededGenerator(seed: UInt64(seed) &* 0x9E37_79B9 &+ 7)
      var plain = PlainGraph()
      var versions: [Int: Int64] = [:]
      var history: [String] = []
      var next = 0
      for _ in 0..<120 {
        let operation = Operation.allCases[Int(random.next() % UInt64(Operation.allCases.count))]
        let numbers = plain.nodes.keys.sorted()
        let first = numbers.isEmpty ? nil : numbers[Int(random.next() % UInt64(numbers.count))]
        let second = numbers.isEmpty ? nil : numbers[Int(random.next() % UInt64(numbers.count))]
        let value = Int(random.next() % 5)
        history.append("\(operation) \(first ?? -1) \(second ?? -1) \(value)")
        switch operation {
        case .insert:
          _ = graph.add(context, next)
          plain.change { $0[next] = PlainNode() }
          next += 1
        case .setValue:
          guard let first else { continue }
          try find(graph, context, first)["value"] = .integer(Int64(value))
          plain.change { $0[first]?.value = value }
        case .setParent:
          guard let first, let second else { continue }
          try find(graph, context, first).setObject(try find(graph, context, second), for: "parent")
          plain.change { $0[first]?.parent = second }
        case .clearParent:
          guard let first else { continue }
          try find(graph, context, first).setObject(nil, for: "parent")
          plain.change { $0[first]?.parent = nil }
        case .toggleFriend:
          guard let first, let second else { continue }
          let object = try find(graph, context, first)
          let friend = try find(graph, context, second)
          if plain.nodes[first]?.friends.contains(second) == true {
            try friend.remove(object, from: "friendOf")
            plain.change { $0[first]?.friends.remove(second) }
          } else {
            try object.add(friend, to: "friends")
            plain.change { $0[first]?.friends.insert(second) }
          }
        case .delete:
          guard let first, value < 3 else { continue }
          context.delete(try find(graph, context, first))
          plain.change { PlainGraph.delete(first, from: &$0) }
        case .save:
          context.processPendingChanges()
          let updated = plain.updated
          let told = Set(context.updatedObjects.compactMap { $0.attributeValue("number").number })
          try context.save()
          plain.save()
          // What was gone and came back is new.
          var expected: [Int: Int64] = [:]
          for number in plain.nodes.keys {
            expected[number] = (versions[number] ?? 1) + (updated.contains(number) ? 1 : 0)
          }
          versions = try graph.versions()
          guard versions == expected, told == updated else {
            Issue.record("after \(history.suffix(12)): versions \(versions) are not \(expected), updated \(told)")
            return
          }
        case .undo:
          context.undo()
          plain.undo()
        case .redo:
          context.redo()
          plain.redo()
        case .rollback:
          if value > 0 { continue }
          context.rollback()
          plain.discard()
        case .reset:
          if value > 0 { continue }
          context.reset()
          plain.discard()
        case .refresh:
          guard let first else { continue }
          context.refresh(try find(graph, context, first), mergeChanges: true)
        case .refreshAll: context.refreshAllObjects()
        case .childEdit:
          guard let first, let second else { continue }
          let child = ManagedObjectContext(parent: context, name: "child")
          let number = next
          try child.performAndWait {
            try find(graph, child, first)["value"] = .integer(Int64(value))
            graph.add(child, number).setObject(try find(graph, child, second), for: "parent")
            try child.save()
          }
          plain.change { nodes in
            nodes[first]?.value = value
            nodes[number] = PlainNode(parent: second)
          }
          next += 1
        }
        context.processPendingChanges()
        let state = try graph.contents(context)
        guard state == plain.nodes else {
          Issue.record("after \(history.suffix(12)): \(state) is not \(plain.nodes)")
          return
        }
        if operation == .save {
          let fresh = graph.container.newBackgroundContext()
          fresh.stalenessInterval = 0
          let stored = try fresh.performAndWait { try graph.contents(fresh) }
          let merged = try follower.performAndWait { () throws -> PlainGraph.Nodes in
            let objects = try follower.fetch(FetchSpecification(graph.node))
            defer { held = objects }
            return try graph.contents(follower)
          }
          guard stored == plain.saved, merged == plain.saved, held.count == merged.count else {
            Issue.record("saved after \(history.suffix(12)): \(stored), merged \(merged), is not \(plain.saved)")
            return
          }
        }
      }
    }
  }

  private func find(_ graph: NodeGraph, _ context: ManagedObjectContext, _ number: Int) throws -> ManagedObject {
    var request = FetchSpecification(graph.node)
    request.predicate = .comparison(["number"], .equal, .integer(Int64(number)))
    return try #require(try context.fetch(request).first)
  }
}
