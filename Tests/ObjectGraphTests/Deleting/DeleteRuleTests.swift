import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// One entity with a ring of links; the rule is that of `next`.
private struct Ring {
  private let folder: TemporaryFolder
  let container: PersistentContainer
  let link: Entity

  init(_ kind: StoreKind, _ rule: DeleteRule) throws {
    var link = EntityDefinition("Link")
    link.attributes = [AttributeDefinition("number", .integer64)]
    var next = RelationshipDefinition("next", toOne: "Link", inverse: "previous")
    next.deleteRule = rule
    var previous = RelationshipDefinition("previous", toOne: "Link", inverse: "next")
    previous.deleteRule = rule == .noAction ? .noAction : .nullify
    link.relationships = [next, previous]
    let model = try ManagedObjectModel(entities: [link])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "ring", model: model, store: try kind.makeStore(model, in: folder))
    self.link = try model.required("Link")
  }

  /// Three saved links, each leading to the one behind it and the last to the first.
  func make(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    let links = (0..<3).map { number in
      let object = context.insert(link)
      object["number"] = .integer(Int64(number))
      return object
    }
    for index in links.indices { links[index].setObject(links[(index + 1) % 3], for: "next") }
    try context.save()
    return links
  }
}

@Suite("Delete rules around cycles")
struct DeleteRuleTests {
  @Test("nullify opens a ring and lets all of it go", arguments: StoreKind.allCases)
  func nullify(kind: StoreKind) throws {
    let ring = try Ring(kind, .nullify)
    let context = ring.container.newBackgroundContext()
    try context.performAndWait {
      let links = try ring.make(context)
      context.delete(links[0])
      try context.save()
      #expect(links[1].object(for: "previous") == nil && links[1].object(for: "next") === links[2])
      #expect(links[2].object(for: "next") == nil && links[2].object(for: "previous") === links[1])
      #expect(try ring.container.persistentStoreCoordinator.store.snapshots(FetchSpecification(ring.link)).count == 2)
      let others = try ring.make(context)
      for link in links.dropFirst() + others { context.delete(link) }
      try context.save()
      #expect(try ring.container.persistentStoreCoordinator.store.count(FetchSpecification(ring.link)) == 0)
    }
  }

  @Test("deny keeps a ring as long as one of it stays", arguments: StoreKind.allCases)
  func deny(kind: StoreKind) throws {
    let ring = try Ring(kind, .deny)
    let context = ring.container.newBackgroundContext()
    try context.performAndWait {
      let links = try ring.make(context)
      context.delete(links[0])
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.deniedDelete] && error?.problems.first?.objectID == links[0].objectID)
      #expect(try ring.container.persistentStoreCoordinator.store.count(FetchSpecification(ring.link)) == 3)
      context.delete(links[1])
      #expect(throws: ValidationError.self) { try context.save() }
      context.delete(links[2])
      try context.save()
      #expect(
        try ring.container.persistentStoreCoordinator.store.count(FetchSpecification(ring.link)) == 0
          && !context.hasChanges)
    }
  }

  @Test("no action leaves what leads to a deleted object as it is", arguments: StoreKind.allCases)
  func noAction(kind: StoreKind) throws {
    let ring = try Ring(kind, .noAction)
    let context = ring.container.newBackgroundContext()
    try context.performAndWait {
      let links = try ring.make(context)
      let gone = links[0].objectID
      context.delete(links[0])
      context.processPendingChanges()
      #expect(context.deletedObjects == [links[0]] && context.updatedObjects.isEmpty)
      #expect(links[2].objectID(for: "next") == gone && links[1].objectID(for: "previous") == gone)
      try context.save()
      let rows = try ring.container.persistentStoreCoordinator.store.snapshots(FetchSpecification(ring.link))
      #expect(rows.map(\.version) == [1, 1] && rows.flatMap(\.toOne).count { $0 == gone } == 2)
      let reader = ring.container.newBackgroundContext()
      try reader.performAndWait {
        let last = try reader.existingObject(with: links[2].objectID)
        let lost = try #require(last.object(for: "next"))
        #expect(lost.objectID == gone && !last.hasChanges)
        #expect(throws: ContextError.self) { try reader.existingObject(with: gone) }
        // Setting the relationship mends it.
        last.setObject(nil, for: "next")
        try reader.save()
        #expect(try reader.fetch(FetchSpecification(ring.link)).count { $0.objectID(for: "next") == gone } == 0)
      }
    }
  }
}
