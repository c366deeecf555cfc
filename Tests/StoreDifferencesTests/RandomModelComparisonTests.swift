import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreDifferences
import StoreInterface
import TestMigrations
import TestStores
import TestSupport
import Testing

/// Two stores of a random model, and what a slow comparison of all their objects in memory says of them.
///
/// `SEEDBED_RANDOM_COMPARISONS` says how many models to try, `SEEDBED_RANDOM_SEED` which one comes first.
@Suite("Comparisons over random models")
struct RandomModelComparisonTests {
  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_COMPARISONS", count: 60, size: 20)

  @Test("differences are those of all objects", arguments: parts)
  func comparisons(seeds: ClosedRange<UInt64>) throws {
    var count = 0
    for seed in seeds { count += try compare(seed) }
    #expect(count > 0)
  }

  /// - Returns: how many objects differ.
  private func compare(_ seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let model = try Self.model(&random)
    var objects: [RandomObjects.Object] = []
    let entities = model.entities.filter { !$0.isAbstract }
    if entities.isEmpty { return 0 }
    for number in 1...Int.random(in: 2...30, using: &random) {
      objects.append(RandomObjects.Object(entities.randomElement(using: &random) ?? entities[0], number, &random))
    }
    let links = RandomLinks(model, objects.map { ($0.entity, Int64($0.number)) }, &random)
    let content = RandomObjects(objects: objects, links: links)
    let paths = ["a", "b"].map { folder.path("\($0).sqlite") }
    let stores = try paths.map { try SQLiteStore.create(path: $0, model: model) }
    try content.write(to: stores[0], order: objects)
    try content.write(to: stores[1], order: seed % 2 == 0 ? objects : objects.shuffled(using: &random))
    if seed % 5 != 0 { try change(stores[1], &random) }
    let (first, second) = (try StoreContents(stores[0]), try StoreContents(stores[1]))
    for store in stores { try store.close(keepsLog: seed % 3 == 0) }
    let comparison = StoreComparison(leftPath: paths[0], model, rightPath: paths[1], model)
    var found = StoreContents.Differences()
    let summary = try comparison.run { difference in
      let name = StoreContents.name(difference.object)
      switch difference.change {
      case .inserted: found.inserted.insert(name)
      case .deleted: found.deleted.insert(name)
      case .updated: for property in difference.properties { found.updated.insert("\(name).\(property.name)") }
      }
      if difference.change == .updated { #expect(!difference.properties.isEmpty, "seed \(seed): \(name)") }
    }
    let expected = first.differences(to: second)
    let text = "seed \(seed)"
    #expect(found.inserted == expected.inserted && found.deleted == expected.deleted, "\(text)")
    #expect(found.updated.subtracting(expected.updated).isEmpty, "\(text): told without a difference")
    // A pair of members is told at one of its sides.
    let missing = expected.updated.subtracting(found.updated).filter { !expected.isToldElsewhere($0, found.updated) }
    #expect(missing.isEmpty, "\(text): not told")
    #expect(summary.hasDifferences == !expected.isEmpty, "\(text)")
    return expected.count
  }

  /// A random model, with keys of one or two attributes in most entities that are below none.
  private static func model(_ random: inout SeededGenerator) throws -> ManagedObjectModel {
    var entities = try RandomModel.make(&random).definitions
    let types: [AttributeType] = [.integer64, .string, .date, .uuid, .double, .decimal, .uri]
    for index in entities.indices
    where entities[index].superentityName == nil && Int.random(in: 0..<3, using: &random) > 0 {
      entities[index].attributes.append(.init("key", types.randomElement(using: &random) ?? .string))
      entities[index].uniquenessConstraints = [["key"]]
      if Bool.random(using: &random) {
        entities[index].attributes.append(.init("part", .boolean))
        entities[index].uniquenessConstraints = [["part", "key"]]
      }
    }
    return try ManagedObjectModel(entities: entities)
  }

  /// Removes some objects and gives others new values.
  private func change(_ store: SQLiteStore, _ random: inout SeededGenerator) throws {
    for root in store.model.entities where root.superentity == nil {
      let ids = try store.objectIDs(FetchSpecification(root))
      var gone = FetchSpecification(root)
      gone.predicate = .selfIsIn(ids.filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
      try store.perform(StoreBatch(.delete(BatchDeletion(gone))))
    }
    for entity in store.model.entities {
      let key = Set(entity.uniquenessConstraints.joined())
      for leaf in entity.storedLeaves where !key.contains(leaf.path) && Int.random(in: 0..<3, using: &random) == 0 {
        var some = FetchSpecification(entity)
        let ids = try store.objectIDs(some)
        some.predicate = .selfIsIn(ids.filter { _ in Int.random(in: 0..<3, using: &random) == 0 })
        let value = RandomObjects.value(leaf.attribute, Int.random(in: 0..<4, using: &random), &random)
        try store.perform(StoreBatch(.update(BatchUpdate(some, assignments: [leaf.path: .constant(value)]))))
      }
    }
  }
}

/// Objects with random values, which are written to stores in any order.
struct RandomObjects {
  struct Object {
    let entity: Entity
    let number: Int
    let values: [Value]

    init(_ entity: Entity, _ number: Int, _ random: inout SeededGenerator) {
      self.entity = entity
      self.number = number
      var generator = random
      values = entity.attributes.map { attribute in
        let isMissing = Int.random(in: 0..<8, using: &generator) == 0
        if isMissing { return .null }
        return RandomObjects.value(attribute, attribute.name == "key" ? number : number % 4, &generator)
      }
      random = generator
    }
  }

  let objects: [Object]
  let links: RandomLinks

  /// A value of an attribute's type that a number stands for.
  static func value(_ attribute: AttributeDefinition, _ number: Int, _ random: inout SeededGenerator) -> Value {
    if let composite = attribute.composite {
      var elements: [String: Value] = [:]
      for element in composite.elements where Bool.random(using: &random) {
        elements[element.name] = value(element, number, &random)
      }
      return .composite(elements)
    }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(Int64(number))
    case .double, .float: return .double(number == 0 ? -0.0 : Double(number) / 4)
    case .decimal: return .decimal(Decimal(number) / 4)
    case .boolean: return .boolean(number % 2 == 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1_000))
    case .binary:
      return .data(Data(repeating: UInt8(truncatingIfNeeded: number), count: number == 3 ? 150_000 : number))
    case .uuid: return .uuid(UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
    case .uri: return URL(string: "https://example.org/\(number)").map { .uri($0) } ?? .null
    default:
      // The same to a reader, but not byte by byte.
      return .string((Bool.random(using: &random) && attribute.name != "key" ? "e\u{301} " : "é ") + "\(number)")
    }
  }

  func write(to store: SQLiteStore, order: [Object]) throws {
    var ids: [Int: ObjectID] = [:]
    for object in order {
      let key = try store.reservePrimaryKeys(1, for: object.entity)
      ids[object.number] = store.id(of: object.entity, key)
    }
    func id(_ end: RandomLinks.End) -> ObjectID? { ids[Int(end.key)] }
    var request = SaveRequest()
    for object in order {
      guard let objectID = ids[object.number] else { continue }
      let end = RandomLinks.End(entity: object.entity, key: Int64(object.number))
      request.inserted.append(
        Snapshot(
          objectID: objectID, version: 1, attributes: object.values,
          toOne: object.entity.relationships.map { relationship in
            links.toOne[RandomLinks.Side(owner: end, name: relationship.name)].flatMap { id($0) }
          }))
    }
    request.toMany = links.toMany.compactMap { change in
      id(change.side.owner).map {
        SaveRequest.ToManyChange(
          owner: $0, relationshipName: change.side.name, members: change.members.compactMap { id($0) })
      }
    }
    try store.save(request)
  }
}
