import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Undo of changes of relationships whose lists were not loaded, and of deletions that were saved.
@Suite("Undo of links")
struct UndoLinkTests {
  /// Nodes with an ordered list of children that a deletion takes along, and many-to-many links.
  private struct Nodes {
    let container: PersistentContainer
    let node: Entity
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      var definition = EntityDefinition("Node")
      definition.attributes = [AttributeDefinition("name", .string)]
      var children = RelationshipDefinition("children", toMany: "Node", inverse: "parent", ordered: true)
      children.deleteRule = .cascade
      definition.relationships = [
        children, RelationshipDefinition("parent", toOne: "Node", inverse: "children"),
        RelationshipDefinition("likes", toMany: "Node", inverse: "likedBy"),
        RelationshipDefinition("likedBy", toMany: "Node", inverse: "likes"),
        RelationshipDefinition("friends", toMany: "Node", inverse: "friends"),
        RelationshipDefinition("fans", toMany: "Node", inverse: "idols", ordered: true),
        RelationshipDefinition("idols", toMany: "Node", inverse: "fans"),
      ]
      for (name, rule) in [("staff", DeleteRule.deny), ("crew", .noAction)] {
        var members = RelationshipDefinition(name, toMany: "Node", inverse: "\(name)Head", ordered: name == "crew")
        members.deleteRule = rule
        definition.relationships += [members, RelationshipDefinition("\(name)Head", toOne: "Node", inverse: name)]
      }
      let model = try ManagedObjectModel(entities: [definition])
      folder = try TemporaryFolder()
      container = try PersistentContainer(name: "nodes", model: model, store: try kind.makeStore(model, in: folder))
      node = try model.required("Node")
    }

    func add(_ context: ManagedObjectContext, _ name: String) -> ManagedObject {
      let object = context.insert(node)
      object["name"] = .string(name)
      return object
    }

    func find(_ context: ManagedObjectContext, _ name: String) throws -> ManagedObject {
      let all = try context.fetch(FetchSpecification(node))
      return try #require(all.first { $0["name"] == .string(name) })
    }

    func names(_ object: ManagedObject, _ list: String) throws -> [String] {
      try object.objects(for: list).map { $0["name"]?.string ?? "" }.sorted()
    }

    /// What is stored, by another context.
    func stored(_ name: String, _ list: String) throws -> [String] {
      let context = container.newBackgroundContext()
      return try context.performAndWait { try names(find(context, name), list) }
    }
  }

  @Test(
    "what a deletion takes along keeps its many-to-many links", arguments: StoreKind.allCases, ["likes", "friends"])
  func cascade(kind: StoreKind, list: String) throws {
    let nodes = try Nodes(kind)
    let context = nodes.container.newBackgroundContext()
    try context.performAndWait {
      let (parent, child) = (nodes.add(context, "parent"), nodes.add(context, "child"))
      child.setObject(parent, for: "parent")
      try parent.add(child, to: list)
      try context.save()
      context.reset()
      context.undoManager = ContextUndoManager()
      let found = try nodes.find(context, "parent")
      context.delete(found)
      context.processPendingChanges()
      #expect(try context.count(FetchSpecification(nodes.node)) == 0)
      context.undo()
      #expect(try nodes.names(found, list) == ["child"] && nodes.names(found, "children") == ["child"])
      #expect(!context.hasChanges)
      try context.save()
    }
    #expect(try nodes.stored("parent", list) == ["child"])
  }

  @Test("a member comes back to its place in a list that was loaded after it had left", arguments: StoreKind.allCases)
  func order(kind: StoreKind) throws {
    let nodes = try Nodes(kind)
    let context = nodes.container.newBackgroundContext()
    try context.performAndWait {
      let parent = nodes.add(context, "parent")
      let members = ["a", "b", "c"].map { nodes.add(context, $0) }
      try parent.setObjects(members, for: "children")
      try context.save()
      context.refreshAllObjects()
      context.undoManager = ContextUndoManager()
      members[0].setObject(nil, for: "parent")
      context.processPendingChanges()
      #expect(try parent.objects(for: "children") == [members[1], members[2]])
      context.undo()
      #expect(try parent.objects(for: "children") == members)
      try context.save()
      context.refreshAllObjects()
      #expect(try parent.objects(for: "children") == members)
    }
  }

  @Test(
    "a member of many lists comes back to its place in one that was loaded after it had left",
    arguments: StoreKind.allCases, [false, true])
  func orderInManyLists(kind: StoreKind, deletes: Bool) throws {
    let nodes = try Nodes(kind)
    let context = nodes.container.newBackgroundContext()
    try context.performAndWait {
      let owner = nodes.add(context, "owner")
      let members = ["a", "b", "c"].map { nodes.add(context, $0) }
      try owner.setObjects(members, for: "fans")
      try context.save()
      context.undoManager = ContextUndoManager()
      context.refreshAllObjects()
      if deletes { context.delete(members[0]) } else { try members[0].setObjects([], for: "idols") }
      context.processPendingChanges()
      #expect(try owner.objects(for: "fans") == [members[1], members[2]])
      context.undo()
      context.processPendingChanges()
      #expect(try owner.objects(for: "fans") == members && !context.hasChanges)
      try context.save()
      context.refreshAllObjects()
      #expect(try owner.objects(for: "fans") == members)
    }
  }

  @Test(
    "a new object that comes back has the members that its deletion left alone", arguments: StoreKind.allCases,
    ["staff", "crew", "children"])
  func newOwner(kind: StoreKind, list: String) throws {
    let nodes = try Nodes(kind)
    let context = nodes.container.newBackgroundContext()
    try context.performAndWait {
      context.undoManager = ContextUndoManager()
      let (owner, member) = (nodes.add(context, "owner"), nodes.add(context, "member"))
      member.setObject(owner, for: list == "children" ? "parent" : "\(list)Head")
      context.processPendingChanges()
      context.delete(owner)
      context.processPendingChanges()
      context.undo()
      context.processPendingChanges()
      #expect(try owner.objects(for: list) == [member])
      #expect(member.object(for: list == "children" ? "parent" : "\(list)Head") === owner)
      try context.save()
      #expect(try owner.objects(for: list) == [member])
    }
    #expect(try nodes.stored("owner", list) == ["member"])
  }

  @Test(
    "a saved deletion that is undone, redone and undone leaves what was there", arguments: StoreKind.allCases,
    ["likes", "friends", "children"])
  func savedDeletion(kind: StoreKind, list: String) throws {
    let nodes = try Nodes(kind)
    let context = nodes.container.newBackgroundContext()
    try context.performAndWait {
      let (owner, member) = (nodes.add(context, "owner"), nodes.add(context, "member"))
      try owner.add(member, to: list)
      try context.save()
      context.undoManager = ContextUndoManager()
      context.delete(member)
      try context.save()
      for step in [context.undo, context.redo, context.undo] {
        step()
        context.processPendingChanges()
      }
      #expect(try nodes.names(owner, list) == ["member"])
      try context.save()
    }
    #expect(try nodes.stored("owner", list) == ["member"])
  }

  @Test(
    "a child's insertion that is redone can be saved", arguments: StoreKind.allCases, ["likes", "friends", "children"])
  func redoneInsertion(kind: StoreKind, list: String) throws {
    let nodes = try Nodes(kind)
    let parent = nodes.container.newBackgroundContext()
    let child = ManagedObjectContext(parent: parent, name: "child")
    try child.performAndWait {
      let owner = nodes.add(child, "owner")
      child.processPendingChanges()
      child.undoManager = ContextUndoManager()
      let member = nodes.add(child, "member")
      try owner.add(member, to: list)
      child.processPendingChanges()
      child.undo()
      child.redo()
      child.processPendingChanges()
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    #expect(try nodes.stored("owner", list) == ["member"])
  }

  @Test("a child undoes a deletion that it had saved to its parent", arguments: StoreKind.allCases, [false, true])
  func deletionInParent(kind: StoreKind, savesParent: Bool) throws {
    let nodes = try Nodes(kind)
    let parent = nodes.container.newBackgroundContext()
    let child = ManagedObjectContext(parent: parent, name: "child")
    try child.performAndWait {
      let (owner, member) = (nodes.add(child, "owner"), nodes.add(child, "member"))
      try owner.add(member, to: "likes")
      member.setObject(owner, for: "parent")
      try child.save()
      try parent.performAndWait { try parent.save() }
      child.undoManager = ContextUndoManager()
      child.delete(member)
      try child.save()
      if savesParent { try parent.performAndWait { try parent.save() } }
      child.undo()
      try child.save()
      #expect(try nodes.names(owner, "likes") == ["member"])
    }
    try parent.performAndWait {
      #expect(parent.deletedObjects.isEmpty)
      #expect(try nodes.names(nodes.find(parent, "owner"), "children") == ["member"])
      try parent.save()
    }
    #expect(try nodes.stored("owner", "likes") == ["member"] && nodes.stored("owner", "children") == ["member"])
  }

  @Test("a child leaves what its parent deleted", arguments: StoreKind.allCases, ["likes", "friends", "parent"])
  func deletedInParent(kind: StoreKind, link: String) throws {
    let nodes = try Nodes(kind)
    let parent = nodes.container.newBackgroundContext()
    let child = ManagedObjectContext(parent: parent, name: "child")
    child.automaticallyMergesChangesFromParent = true
    let (one, two) = try parent.performAndWait {
      let made = (nodes.add(parent, "one"), nodes.add(parent, "two"))
      try parent.save()
      return (made.0.objectID, made.1.objectID)
    }
    try child.performAndWait {
      let (first, second) = (try child.existingObject(with: one), try child.existingObject(with: two))
      if link == "parent" { second.setObject(first, for: link) } else { try second.add(first, to: link) }
      child.processPendingChanges()
    }
    parent.performAndWait {
      parent.delete(parent.object(with: one))
      parent.processPendingChanges()
    }
    try child.performAndWait { try child.save() }
    try parent.performAndWait { try parent.save() }
    try child.performAndWait {
      let second = child.object(with: two)
      let left = link == "parent" ? second.object(for: link).map { [$0] } ?? [] : try second.objects(for: link)
      #expect(left.isEmpty)
      #expect(!child.hasChanges)
    }
  }
}
