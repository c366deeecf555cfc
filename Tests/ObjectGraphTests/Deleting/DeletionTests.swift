import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Testing

@Suite("Deletion")
struct DeletionTests {
  @Test("cascades go around cycles once", arguments: StoreKind.allCases)
  func cycle(kind: StoreKind) throws {
    let tree = try NodeGraph(kind)
    try tree.work { context in
      let nodes = (0..<5).map { tree.add(context, $0) }
      for index in 0..<4 { nodes[index].setObject(nodes[(index + 1) % 4], for: "parent") }
      nodes[4].setObject(nodes[0], for: "parent")
      try context.save()
      context.delete(nodes[2])
      context.processPendingChanges()
      #expect(Set(context.deletedObjects) == Set(nodes))
      try context.save()
      #expect(try context.fetch(FetchSpecification(tree.node)).isEmpty)
    }
  }

  @Test(
    "rules are applied at the end of the event, or by the save alone", arguments: StoreKind.allCases, [true, false])
  func timing(kind: StoreKind, atEndOfEvent: Bool) throws {
    let tree = try NodeGraph(kind)
    try tree.work { context in
      context.propagatesDeletesAtEndOfEvent = atEndOfEvent
      let top = tree.add(context, 0)
      let below = tree.add(context, 1)
      below.setObject(top, for: "parent")
      try context.save()
      context.delete(top)
      #expect(!below.isDeleted)
      context.processPendingChanges()
      #expect(below.isDeleted == atEndOfEvent)
      try context.save()
      #expect(!below.isDeleted && below.managedObjectContext == nil && !context.hasChanges)
    }
    #expect(try tree.store.snapshots(FetchSpecification(tree.node)).isEmpty)
  }

  @Test("a new tree that is deleted is forgotten wholly")
  func newObjects() throws {
    let tree = try NodeGraph(.inMemory)
    try tree.work { context in
      let top = tree.add(context, 0)
      let below = tree.add(context, 1)
      let friend = tree.add(context, 2)
      below.setObject(top, for: "parent")
      try below.add(friend, to: "friends")
      context.delete(top)
      context.processPendingChanges()
      #expect(context.insertedObjects == [friend] && below.managedObjectContext == nil && !top.hasChanges)
      #expect(try friend.objects(for: "friendOf").isEmpty)
    }
  }

  final class Refusing: ManagedObject {
    override func validateValue(_ value: inout Value, forKey key: String) throws {
      if key == "value", case .integer(let number) = value, number > 100 { value = .integer(100) }
      try super.validateValue(&value, forKey: key)
      struct Odd: Error {}
      if key == "value", value == .integer(13) { throw Odd() }
    }
  }

  @Test("a class may replace or refuse values when they are validated")
  func values() throws {
    let tree = try NodeGraph(.inMemory, classes: ["Node": Refusing.self])
    try tree.work { context in
      let nodes = [500, 13].map { value in
        let node = tree.add(context, value)
        node["value"] = .integer(Int64(value))
        return node
      }
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.custom] && error?.problems.first?.property == "value")
      nodes[1]["value"] = .integer(1)
      try context.save()
      #expect(nodes[0]["value"] == .integer(100))
    }
  }
}
