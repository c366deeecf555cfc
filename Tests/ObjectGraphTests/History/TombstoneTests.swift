import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("What the history keeps of deleted objects")
struct TombstoneTests {
  /// A container over a store with history, for things with an attribute of each type, all of which are preserved.
  private struct World: TestGraph {
    private let folder: TemporaryFolder
    let container: PersistentContainer
    let store: any PersistentHistoryTracking
    static let types: [AttributeType] = [
      .integer64, .boolean, .double, .float, .decimal, .date, .string, .uuid, .uri, .binary,
    ]

    init(_ kind: StoreKind) throws {
      var thing = EntityDefinition("Thing")
      thing.attributes = Self.types.map { AttributeDefinition("attribute\(Self.types.firstIndex(of: $0) ?? 0)", $0) }
      var long = AttributeDefinition("long", .binary)
      long.allowsExternalBinaryDataStorage = true
      thing.attributes.append(long)
      for index in thing.attributes.indices { thing.attributes[index].preservesValueInHistoryOnDeletion = true }
      let model = try ManagedObjectModel(entities: [thing])
      folder = try TemporaryFolder()
      switch kind {
      case .inMemory: store = InMemoryStore(model: model, tracksHistory: true)
      case .sqlite:
        var options = SQLiteStore.Options()
        options.tracksHistory = true
        store = try SQLiteStore.create(path: folder.path("things.sqlite"), model: model, options: options)
      }
      container = try PersistentContainer(name: "things", model: model, store: store)
    }

    /// The tombstones of all deletions, in their order.
    func tombstones() throws -> [[String: Value]] {
      var found: [[String: Value]] = []
      try work { context in
        let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        found = history.transactions.flatMap { $0.changes ?? [] }.filter { $0.changeType == .delete }
          .map { $0.tombstoneValues ?? [:] }
      }
      return found
    }
  }

  /// By the types of `World`.
  private let values: [Value] = [
    .integer(.max), .boolean(true), .double(0.1 + 0.2), .double(Double(Float(0.1))), .decimal(Decimal(1234567) / 1000),
    .date(Date(timeIntervalSinceReferenceDate: 786_000_000.123_456_7)), .string("l'été 日本"), .uuid(UUID()),
    .uri(URL(fileURLWithPath: "/a/b")), .data(Data([0, 1, 2])),
  ]

  @Test(
    "values are kept as they were, long ones in files of their own too, however objects are deleted",
    arguments: StoreKind.allCases)
  func values(kind: StoreKind) throws {
    let world = try World(kind)
    let longs: [Data] = [Data(), Data([2, 65]), Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })]
    var expected: [[String: Value]] = []
    try world.work { context in
      let entity = try context.coordinator.model.required("Thing")
      for long in longs + longs {
        let thing = context.insert(entity)
        for (attribute, value) in zip(entity.attributes.filter { $0.name != "long" }, ordered(entity)) {
          thing[attribute.name] = value
        }
        thing["long"] = .data(long)
      }
      try context.save()
      let things = try context.fetch(FetchRequest<ManagedObject>(entity: entity)).sorted {
        ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0)
      }
      expected = things.map { thing in
        Dictionary(uniqueKeysWithValues: entity.attributes.map { ($0.name, thing[$0.name] ?? .null) })
      }
      // The first half by objects, the others in the store.
      for thing in things.prefix(longs.count) { context.delete(thing) }
      try context.save()
      #expect(
        try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest<ManagedObject>(entity: entity))).count == 3)
    }
    let found = try world.tombstones()
    #expect(found.count == expected.count)
    for (found, expected) in zip(found, expected) {
      for (name, value) in expected {
        #expect(found[name] == value, "\(name)")
      }
    }
  }

  /// The values in the order of the entity's attributes, by the types.
  private func ordered(_ entity: Entity) -> [Value] {
    entity.attributes.filter { $0.name != "long" }.compactMap { attribute in
      World.types.firstIndex(of: attribute.type).map { values[$0] }
    }
  }
}
