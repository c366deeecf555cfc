import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import SQLMigration
import TestSupport
import Testing

/// The same inferred mapping by SQL in place and by objects: both must give the same graph.
@Suite("Inferred mappings, in place and through objects")
struct InferredTwinTests {
  @Test("random models and edits give the same graph both ways", arguments: 0..<40)
  func twin(seed: UInt64) throws {
    let random = try RandomModels(seed: seed)
    let folder = try TemporaryFolder()
    let (source, result) = (folder.file("source.sqlite"), folder.file("result.sqlite"))
    try random.fill(source)
    let mapping = try random.older.inferredMappingModel(to: random.newer)
    let manager = MigrationManager(sourceModel: random.older, destinationModel: random.newer)
    manager.batchSize = 4
    try manager.migrateStore(from: source, type: .sqlite, mapping: mapping, to: result, type: .sqlite)
    _ = try StoreMigration.run(storeAt: source.path, from: random.older, to: random.newer, mapping: mapping)
    #expect(try Stores.problems(result, random.newer) == [])
    #expect(try Stores.problems(source, random.newer) == [])
    let graphs = try [source, result].map { try Stores.open($0, random.newer, RandomModels.graph) }
    #expect(graphs[0] == graphs[1], "seed \(seed)")
  }
}

/// Two random models, the newer one made from the older by edits that a mapping can be inferred for.
private struct RandomModels {
  let older: ManagedObjectModel
  let newer: ManagedObjectModel
  private var random: SeededGenerator

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var entities = ["A", "B", "C"].map { name in
      var entity = EntityDefinition(name)
      // By which objects are told apart in both results.
      entity.attributes = [AttributeDefinition("key", .string)]
      for number in 0..<Int.random(in: 0...3, using: &random) {
        let types: [AttributeType] = [.string, .integer32, .double, .boolean, .date]
        entity.attributes.append(
          AttributeDefinition("a\(number)", types.randomElement(using: &random) ?? .string))
      }
      return entity
    }
    for (index, target) in [(0, 1), (1, 2), (0, 2)].map({ ($0.0, $0.1) }) {
      let (name, inverse) = ("to\(entities[target].name)", "of\(entities[index].name)")
      let other = entities[target].name
      entities[index].relationships.append(
        Bool.random(using: &random)
          ? RelationshipDefinition(name, toOne: other, inverse: inverse)
          : RelationshipDefinition(name, toMany: other, inverse: inverse))
      let own = entities[index].name
      entities[target].relationships.append(
        Bool.random(using: &random)
          ? RelationshipDefinition(inverse, toOne: own, inverse: name)
          : RelationshipDefinition(inverse, toMany: own, inverse: name))
    }
    older = try ManagedObjectModel(entities: entities)
    newer = try ManagedObjectModel(entities: Self.edited(entities, &random))
    self.random = random
  }

  private static func edited(
    _ entities: [EntityDefinition], _ random: inout SeededGenerator
  ) -> [EntityDefinition] {
    var entities = entities
    for index in entities.indices {
      entities[index].attributes = entities[index].attributes.compactMap { attribute in
        if attribute.name == "key" { return attribute }
        var attribute = attribute
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return nil
        case 1:
          attribute.renamingIdentifier = attribute.name
          attribute.name = "new" + attribute.name
        default: break
        }
        return attribute
      }
      if Bool.random(using: &random) {
        var added = AttributeDefinition("added", .integer16)
        added.isOptional = Bool.random(using: &random)
        added.defaultValue = .integer(7)
        entities[index].attributes.append(added)
      }
      for position in entities[index].relationships.indices
      where !entities[index].relationships[position].isToMany && Bool.random(using: &random) {
        entities[index].relationships[position].isToMany = true
        entities[index].relationships[position].maximumCount = 0
      }
    }
    if Bool.random(using: &random) {
      var added = EntityDefinition("AB")
      added.attributes = [AttributeDefinition("key", .string)]
      entities.append(added)
    }
    return entities
  }

  func fill(_ url: URL) throws {
    var random = random
    try Stores.write(url, older) { context in
      var objects: [String: [ManagedObject]] = [:]
      for entity in older.entities {
        for number in 0..<Int.random(in: 0...9, using: &random) {
          let object = try context.insert(entity.name, ["key": "\(entity.name)\(number)"])
          for attribute in entity.attributes where attribute.name != "key" {
            object[attribute.name] = Self.value(attribute.type, &random)
          }
          objects[entity.name, default: []].append(object)
        }
      }
      for entity in older.entities {
        for object in objects[entity.name] ?? [] {
          for relationship in entity.relationships where relationship.name.hasPrefix("to") {
            let targets = (objects[relationship.destination.name] ?? []).filter { _ in
              Int.random(in: 0..<4, using: &random) == 0
            }
            if relationship.isToMany {
              try object.setObjects(targets, for: relationship.name)
            } else {
              object.setObject(targets.first, for: relationship.name)
            }
          }
        }
      }
    }
  }

  private static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> Value? {
    let number = Int64.random(in: -1_000...1_000, using: &random)
    if number % 4 == 0 { return nil }
    return switch type {
    case .integer32: .integer(number)
    case .double: .double(Double(number) / 8)
    case .boolean: .boolean(number > 0)
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    default: .string("text \(number)")
    }
  }

  /// Every object by its key, with its values and the keys that its relationships lead to.
  static func graph(_ context: ManagedObjectContext) throws -> [String: [String]] {
    var graph: [String: [String]] = [:]
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
      for object in try context.all(entity.name) {
        var lines = entity.attributes.map { "\($0.name) \((object[$0.name] as Value?) ?? .null)" }
        for relationship in entity.relationships {
          let targets =
            relationship.isToMany
            ? try object.objects(for: relationship.name) : [object.object(for: relationship.name)].compactMap(\.self)
          lines.append("\(relationship.name) \(targets.compactMap { $0["key"] as String? }.sorted())")
        }
        graph[(object["key"] as String?) ?? "?"] = lines
      }
    }
    return graph
  }
}
