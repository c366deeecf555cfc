package import CoreDataLayout
package import Foundation
package import MemoryStore
package import ObjectModel
import StoreInterface
import TestMigrations
package import TestSupport

/// The same random objects of a random model in a SQLite store and in one in memory.
package struct RandomStores {
  package let folder: TemporaryFolder
  package let model: ManagedObjectModel
  package let sqlite: SQLiteStore
  package let memory: InMemoryStore
  private var random: SeededGenerator
  private var objects: [Object] = []

  private struct Object {
    var entity: Entity
    var key: Int64
    var version: Int64 = 0
  }

  /// - Parameters:
  ///   - tracksHistory: whether the stores keep a history.
  ///   - isUnderConstruction: whether the SQLite store is one that is being built.
  ///   - change: what the random model is made into first.
  package init(
    _ generator: inout SeededGenerator, tracksHistory: Bool = false, isUnderConstruction: Bool = true,
    change: (inout [EntityDefinition], inout SeededGenerator) -> Void = { _, _ in }
  ) throws {
    folder = try TemporaryFolder()
    var entities = try RandomModel.make(&generator).definitions
    change(&entities, &generator)
    model = try ManagedObjectModel(entities: entities)
    var options = SQLiteStore.Options()
    options.isUnderConstruction = isUnderConstruction
    options.tracksHistory = tracksHistory
    sqlite = try SQLiteStore.create(path: folder.path("random.sqlite"), model: model, options: options)
    guard let identifier = UUID(uuidString: sqlite.identifier) else {
      throw StoreError.failure("the store's identifier is \(sqlite.identifier)")
    }
    memory = InMemoryStore(model: model, identifier: identifier, tracksHistory: tracksHistory)
    random = SeededGenerator(seed: generator.next())
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// One save, the same in both stores: new objects, new values and links for all that are there, and some deletions.
  package mutating func change() throws {
    let deleted = objects.filter { _ in below(5) == 0 }
    let gone = Set(deleted.map { Place(entity: $0.entity.root.index, key: $0.key) })
    objects.removeAll { gone.contains(Place(entity: $0.entity.root.index, key: $0.key)) }
    for entity in model.entities where !entity.isAbstract {
      for _ in 0..<below(7) {
        let key = try sqlite.reservePrimaryKeys(1, for: entity)
        _ = try memory.reservePrimaryKeys(1, for: entity)
        objects.append(Object(entity: entity, key: key))
      }
    }
    let values = objects.map { object in object.entity.attributes.map { value($0) } }
    let links = RandomLinks(model, objects.map { ($0.entity, $0.key) }, &random)
    for store in [sqlite, memory] as [any PersistentStore] {
      func id(_ end: RandomLinks.End) -> ObjectID {
        ObjectID(entity: end.entity, reference: .permanent(store: store.identifier, primaryKey: end.key))
      }
      var request = SaveRequest()
      request.deleted = deleted.map { (id(RandomLinks.End(entity: $0.entity, key: $0.key)), $0.version) }
      for (object, attributes) in zip(objects, values) {
        let end = RandomLinks.End(entity: object.entity, key: object.key)
        let snapshot = Snapshot(
          objectID: id(end), version: max(object.version, 1), attributes: attributes,
          toOne: object.entity.relationships.map {
            links.toOne[RandomLinks.Side(owner: end, name: $0.name)].map { id($0) }
          })
        if object.version == 0 { request.inserted.append(snapshot) } else { request.updated.append(snapshot) }
      }
      request.toMany = links.toMany.map { change in
        SaveRequest.ToManyChange(
          owner: id(change.side.owner), relationshipName: change.side.name, members: change.members.map { id($0) })
      }
      try store.save(request)
    }
    for index in objects.indices { objects[index].version += 1 }
  }

  private struct Place: Hashable {
    var entity: Int
    var key: Int64
  }

  package mutating func value(_ attribute: AttributeDefinition) -> Value {
    if below(5) == 0 { return .null }
    if let composite = attribute.composite {
      var elements: [String: Value] = [:]
      for element in composite.elements where below(4) > 0 { elements[element.name] = value(element) }
      return .composite(elements)
    }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(Int64(below(12)) - 3)
    // Quarters add up exactly in any order.
    case .double, .float: return .double(Double(below(48)) / 4 - 2)
    case .decimal: return .decimal(Decimal(below(48)) / 4 - 2)
    case .boolean: return .boolean(below(2) == 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(below(800) - 400) * 43_200))
    case .binary: return .data(Data((0..<below(3)).map { _ in UInt8(below(3)) }))
    case .uuid: return .uuid(Self.uuid(below(4)))
    case .uri: return URL(string: "https://example.org/\(below(4))").map { .uri($0) } ?? .null
    default: return .string(Self.texts[below(Self.texts.count)])
    }
  }

  package static func uuid(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }

  /// Some of the texts are equal but for case, accents, or normalisation.
  package static let texts = [
    "", "a", "A", "ä", "Ä", "a\u{308}", "b%", "Straße", "strasse", "ab", "stop 9", "stop 10", "aXb",
  ]
}
