import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// A save writes the properties that differ from what was read, and nothing for objects of which none does.
@Suite("What a save finds changed")
struct ChangedPropertiesTests {
  private static func container(
    _ count: Int, isUnique: Bool = false, _ kind: StoreKind, _ folder: TemporaryFolder
  ) throws -> PersistentContainer {
    var item = EntityDefinition("Item")
    // Entities have their attributes in the order of their names: the last one stays the last.
    item.attributes = (0..<count).map { AttributeDefinition("n\(1_000 + $0)", .integer64) }
    item.attributes[count - 1].isTransient = true
    item.relationships = [
      RelationshipDefinition("next", toOne: "Item", inverse: "previous"),
      RelationshipDefinition("previous", toOne: "Item", inverse: "next"),
    ]
    if isUnique { item.uniquenessConstraints = [["n1000"]] }
    let model = try ManagedObjectModel(entities: [item])
    return try PersistentContainer(name: "items", model: model, store: try kind.makeStore(model, in: folder))
  }

  private static func rows(_ container: PersistentContainer) throws -> [Snapshot] {
    try container.persistentStoreCoordinator.store.snapshots(
      FetchSpecification(try container.managedObjectModel.required("Item")))
  }

  private static func fill(_ container: PersistentContainer, count: Int) throws {
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for number in 0..<count {
        let item = context.insert(try container.managedObjectModel.required("Item"))
        item.setValue(.integer(Int64(number)), at: 0)
      }
      try context.save()
    }
  }

  @Test(
    "few or many attributes: those set to other values are written, those set back are not",
    arguments: StoreKind.allCases, [2, 3, 64, 65, 130])
  func changes(kind: StoreKind, attributeCount: Int) throws {
    let folder = try TemporaryFolder()
    let container = try Self.container(attributeCount, kind, folder)
    try Self.fill(container, count: 60)
    var random = SeededGenerator(seed: UInt64(attributeCount))
    var updatedCount = 0
    for _ in 0..<12 {
      let before = try Self.rows(container)
      var expected = before
      // Neighbours with the same change are written together.
      let only = Bool.random(using: &random) ? Int.random(in: 0..<attributeCount, using: &random) : nil
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let items = try context.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
        #expect(items.count == before.count)
        for (row, item) in items.enumerated() where only != nil || Int.random(in: 0..<3, using: &random) == 0 {
          var isChanged = false
          for index in 0..<attributeCount
          where only.map({ $0 == index }) ?? (Int.random(in: 0..<8, using: &random) == 0) {
            let (old, new) = (item.value(at: index), Value.integer(Int64.random(in: 0..<4, using: &random)))
            item.setValue(new, at: index)
            if Int.random(in: 0..<4, using: &random) == 0 {
              item.setValue(old, at: index)
            } else if index < attributeCount - 1, old != new {
              expected[row].attributes[index] = new
              isChanged = true
            }
          }
          #expect(item.isUpdated == isChanged)
          if isChanged {
            expected[row].version += 1
            updatedCount += 1
          }
        }
        try context.save()
        // What was saved is what the next changes are compared with.
        for item in items { item.setValue(item.value(at: 0), at: 0) }
        #expect(!context.hasChanges)
      }
      #expect(try Self.rows(container) == expected)
    }
    #expect(updatedCount > 20)
  }

  /// A hundred objects of unique numbers from 0, and what they are once all got others.
  private func renumber(
    _ kind: StoreKind, _ number: (Int) -> Int, save: (ManagedObjectContext) throws -> Void
  ) throws -> [Snapshot] {
    let folder = try TemporaryFolder()
    let container = try Self.container(3, isUnique: true, kind, folder)
    try Self.fill(container, count: 100)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let items = try context.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
      for (row, item) in items.enumerated() { item.setValue(.integer(Int64(number(row))), at: 0) }
      try save(context)
    }
    return try Self.rows(container)
  }

  @Test("objects that pass a unique value on, each to the next, are saved", arguments: StoreKind.allCases)
  func exchange(kind: StoreKind) throws {
    let rows = try renumber(kind, { ($0 + 1) % 100 }, save: { try $0.save() })
    #expect(rows.map { $0.attributes[0] } == (0..<100).map { .integer(Int64(($0 + 1) % 100)) })
    #expect(rows.allSatisfy { $0.version == 2 })
  }

  @Test(
    "a save that breaks a constraint in the middle of many rows leaves all as they were", arguments: StoreKind.allCases)
  func conflict(kind: StoreKind) throws {
    let rows = try renumber(kind, { $0 == 60 ? 1_050 : 1_000 + $0 }) { context in
      #expect(throws: SaveConflictError.self) { try context.save() }
    }
    #expect(rows.map { $0.attributes[0] } == (0..<100).map { .integer(Int64($0)) })
    #expect(rows.allSatisfy { $0.version == 1 })
  }
}
