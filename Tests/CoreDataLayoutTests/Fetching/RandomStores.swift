import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestMigrations
import TestSupport
import Testing

/// The same random objects of a random model in a SQLite store and in one in memory.
struct RandomStores {
  let folder: TemporaryFolder
  let model: ManagedObjectModel
  let sqlite: SQLiteStore
  let memory: InMemoryStore
  private var random: SeededGenerator
  private var objects: [Object] = []

  private struct Object {
    var entity: Entity
    var key: Int64
    var version: Int64 = 0
  }

  /// - Parameters:
  ///   - tracksHistory: whether the SQLite store keeps a history.
  ///   - isUnderConstruction: whether the SQLite store is one that is being built.
  ///   - change: what the random model is made into first.
  init(
    _ generator: inout SeededGenerator, tracksHistory: Bool = false, isUnderConstruction: Bool = true,
    change: (inout [EntityDescription], inout SeededGenerator) -> Void = { _, _ in }
  ) throws {
    folder = try TemporaryFolder()
    var entities = try RandomModel.make(&generator).descriptions
    change(&entities, &generator)
    model = try ManagedObjectModel(entities: entities)
    var options = SQLiteStore.Options()
    options.isUnderConstruction = isUnderConstruction
    options.tracksHistory = tracksHistory
    sqlite = try SQLiteStore.create(path: folder.path("random.sqlite"), model: model, options: options)
    memory = InMemoryStore(model: model, identifier: try #require(UUID(uuidString: sqlite.identifier)))
    random = SeededGenerator(seed: generator.next())
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// One save, the same in both stores: new objects, new values and links for all that are there, and some deletions.
  mutating func change() throws {
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
    let links = Links(model, objects.map { ($0.entity, $0.key) }, &random)
    for store in [sqlite, memory] as [any PersistentStore] {
      func id(_ end: Links.End) -> ObjectID {
        ObjectID(entity: end.entity, reference: .permanent(store: store.identifier, primaryKey: end.key))
      }
      var request = SaveRequest()
      request.deleted = deleted.map { (id(Links.End(entity: $0.entity, key: $0.key)), $0.version) }
      for (object, attributes) in zip(objects, values) {
        let end = Links.End(entity: object.entity, key: object.key)
        let snapshot = Snapshot(
          objectID: id(end), version: max(object.version, 1), attributes: attributes,
          toOne: object.entity.relationships.map { links.toOne[Links.Side(owner: end, name: $0.name)].map { id($0) } })
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

  mutating func value(_ attribute: AttributeDescription) -> Value {
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
    default: return .string(Academy.texts[below(Academy.texts.count)])
    }
  }

  static func uuid(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }
}

/// Random links among objects, both sides of each in agreement.
struct Links {
  struct End: Hashable {
    var entity: Entity
    var key: Int64
  }

  struct Side: Hashable {
    var owner: End
    var name: String
  }

  private(set) var toOne: [Side: End] = [:]
  /// What to-one relationships do not say.
  private(set) var toMany: [(side: Side, members: [End])] = []

  init(_ model: ManagedObjectModel, _ objects: [(entity: Entity, key: Int64)], _ random: inout SeededGenerator) {
    var generator = random
    defer { random = generator }
    let ends = objects.map { End(entity: $0.entity, key: $0.key) }
    func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    for entity in model.entities {
      for relationship in entity.relationships where relationship.declaringEntity == entity {
        // One of two sides makes the links of both.
        if relationship.name.hasPrefix("s") { continue }
        let sources = ends.filter { $0.entity.isKind(of: entity) }
        if relationship.inverse?.name == relationship.name {
          linkAmongThemselves(sources, relationship, &generator)
          continue
        }
        var free = ends.filter { $0.entity.isKind(of: relationship.destination) }.shuffled(using: &generator)
        let destinations = free
        var members: [Side: [End]] = [:]
        for source in sources {
          let side = Side(owner: source, name: relationship.name)
          let inverse = relationship.inverse
          switch (relationship.isToMany, inverse) {
          case (false, let inverse):
            if isOneOf(3) { continue }
            let isTaken = inverse.map { !$0.isToMany } == true
            guard let end = isTaken ? free.popLast() : destinations.randomElement(using: &generator) else { continue }
            toOne[side] = end
            guard let inverse else { continue }
            let back = Side(owner: end, name: inverse.name)
            if inverse.isToMany { members[back, default: []].append(source) } else { toOne[back] = source }
          case (true, nil):
            // An object is in one such list at most.
            let count = Int.random(in: 0...min(free.count, 3), using: &generator)
            toMany.append((side, Array(free.suffix(count))))
            free.removeLast(count)
          case (true, let inverse?):
            let chosen = destinations.filter { _ in isOneOf(3) }.shuffled(using: &generator)
            toMany.append((side, chosen))
            for end in chosen { members[Side(owner: end, name: inverse.name), default: []].append(source) }
            // Owners without members lose theirs too.
            for end in destinations { members[Side(owner: end, name: inverse.name), default: []] += [] }
          }
        }
        guard let inverse = relationship.inverse, inverse.isToMany else { continue }
        if !relationship.isToMany && !inverse.isOrdered { continue }
        for (side, list) in members.sorted(by: { ($0.key.owner.key, $0.key.name) < ($1.key.owner.key, $1.key.name) }) {
          toMany.append((side, list.shuffled(using: &generator)))
        }
      }
    }
  }

  private mutating func linkAmongThemselves(
    _ sources: [End], _ relationship: Relationship, _ random: inout SeededGenerator
  ) {
    func side(_ end: End) -> Side { Side(owner: end, name: relationship.name) }
    if !relationship.isToMany {
      var free = sources.shuffled(using: &random)
      while let first = free.popLast(), let second = free.popLast() {
        toOne[side(first)] = second
        toOne[side(second)] = first
      }
      return
    }
    var members: [End: [End]] = [:]
    for (position, first) in sources.enumerated() {
      for second in sources[position...] where Int.random(in: 0..<3, using: &random) == 0 {
        members[first, default: []].append(second)
        if first != second { members[second, default: []].append(first) }
      }
    }
    for source in sources { toMany.append((side(source), members[source, default: []].shuffled(using: &random))) }
  }
}
