import Foundation
import Seedbed
import SeedbedTesting
import Testing

@Suite("Generated objects")
struct GeneratorTests {
  /// All values and links, in words that do not depend on the store.
  private static func text(_ objects: [String: [ManagedObject]]) throws -> [String] {
    var places: [ObjectIdentifier: String] = [:]
    for (name, list) in objects {
      for (index, object) in list.enumerated() { places[ObjectIdentifier(object)] = "\(name) \(index)" }
    }
    var texts: [String] = []
    for (name, list) in objects {
      for object in list {
        let values = object.entity.handle.attributes.indices.map { "\(object.value(at: $0))" }
        let links = try object.entity.handle.relationships.map { relationship in
          let members =
            relationship.isToMany
            ? try object.objects(for: relationship.name) : object.object(for: relationship.name).map { [$0] } ?? []
          return members.compactMap { places[ObjectIdentifier($0)] }.sorted().joined(separator: ",")
        }
        texts.append("\(name) \(values) \(links)")
      }
    }
    return texts.sorted()
  }

  private static func generated(seed: UInt64) throws -> [String] {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext()
    return try context.performAndWait {
      var generator = ObjectGenerator(seed: seed)
      return try text(generator.insert(["Author": 6, "Entry": 40, "Tag": 5], into: context))
    }
  }

  @Test("one seed gives the same objects again, another others")
  func repeatable() throws {
    let first = try Self.generated(seed: 3)
    #expect(first.count == 57)
    #expect(try Self.generated(seed: 3) == first)
    #expect(try Self.generated(seed: 4) != first)
  }

  @Test("what is generated meets every rule of the model and is saved", arguments: 1...8 as ClosedRange<UInt64>)
  func rules(seed: UInt64) throws {
    let container = try PersistentContainer.inMemory(Journal.model())
    let context = container.newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator(seed: seed)
      let objects = try generator.insert(["Entry": 60, "Photo": 20, "Tag": 10], into: context)
      // Each entry needs an author, and each author a profile.
      #expect(objects["Author"]?.count == 1 && objects["Profile"]?.count == 1)
      let more = try generator.insert(["Author": 20, "Entry": 30], into: context)
      #expect(more["Profile"]?.count == 20)
      try context.save()
      let entries = (objects["Entry"] ?? []) + (objects["Photo"] ?? []) + (more["Entry"] ?? [])
      #expect(Set(entries.compactMap { $0["rating"]?.integer }) == [1, 2, 3, 4, 5])
      #expect(entries.contains { $0["height"] == nil as Value? } && entries.contains { $0["height"] != nil as Value? })
      #expect(try (objects["Entry"] ?? []).contains { try !$0.objects(for: "tags").isEmpty })
      #expect(try (objects["Entry"] ?? []).allSatisfy { try $0.objects(for: "tags").count <= 4 })
      #expect(entries.contains { $0.object(for: "reply") != nil })
      // No entry answers itself, by any way.
      for entry in entries {
        var seen: Set<ObjectID> = []
        var current: ManagedObject? = entry
        while let object = current {
          guard seen.insert(object.objectID).inserted else {
            Issue.record("a circle of replies")
            break
          }
          current = object.object(for: "reply")
        }
      }
      #expect(try (more["Author"] ?? []).contains { try !$0.objects(for: "friends").isEmpty })
      #expect(try (more["Author"] ?? []).allSatisfy { author in try !author.objects(for: "friends").contains(author) })
    }
  }

  @Test("counts of to-many relationships are kept to, and objects that they need are made")
  func counts() throws {
    var team = EntityDefinition("Team")
    var players = RelationshipDefinition("players", toMany: "Player", inverse: "team")
    players.isOptional = false
    players.minimumCount = 3
    players.maximumCount = 5
    var fans = RelationshipDefinition("fans", toMany: "Fan", inverse: "teams")
    fans.minimumCount = 2
    team.relationships = [players, fans]
    var player = EntityDefinition("Player")
    player.relationships = [RelationshipDefinition("team", toOne: "Team", inverse: "players")]
    var fan = EntityDefinition("Fan")
    var teams = RelationshipDefinition("teams", toMany: "Team", inverse: "fans")
    teams.isOptional = false
    teams.minimumCount = 1
    teams.maximumCount = 2
    fan.relationships = [teams]
    let container = try PersistentContainer.inMemory(ManagedObjectModel(entities: [team, player, fan]))
    let context = container.newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator(seed: 5)
      let objects = try generator.insert(["Team": 10, "Fan": 40], into: context)
      #expect(objects["Player"]?.count == 30)
      try context.save()
      for team in objects["Team"] ?? [] { #expect(try team.objects(for: "players").count == 3) }
      let more = try generator.insert(["Team": 4, "Player": 40, "Fan": 9], into: context)
      try context.save()
      for team in more["Team"] ?? [] { #expect(try (3...5).contains(team.objects(for: "players").count)) }
      for fan in more["Fan"] ?? [] { #expect(try (1...2).contains(fan.objects(for: "teams").count)) }
    }
  }

  @Test("values can be stated, and a wrong name, an unknown pattern and unmet rules are errors")
  func errors() throws {
    var item = EntityDefinition("Item")
    var code = AttributeDefinition("code", .string)
    code.isOptional = false
    code.regularExpression = "[A-Z]{2}[0-9]+"
    item.attributes = [code]
    item.uniquenessConstraints = [["code"]]
    let context = try PersistentContainer.inMemory(ManagedObjectModel(entities: [item])).newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator()
      let unknown = #expect(throws: GenerationError.self) { try generator.insert(1, of: "Item", into: context) }
      #expect(unknown?.description.contains("Item.code: no value is known that meets \"[A-Z]{2}[0-9]+\"") == true)
      context.rollback()
      generator.setValues(of: "Item", "code") { .string("AB\($0)") }
      let items = try generator.insert(2, of: "Item", into: context)
      #expect(items.map { $0["code"] ?? "" } == ["AB2", "AB3"])
      try context.save()
      #expect(throws: GenerationError.self) { try generator.insert(1, of: "Nothing", into: context) }
      #expect(throws: GenerationError.self) { try generator.insert(-1, of: "Item", into: context) }
      generator.setValues(of: "Item", "cod") { _ in .null }
      #expect(throws: GenerationError.self) { try generator.insert(1, of: "Item", into: context) }
    }
  }

  @Test(
    "unique integers use the whole range that the model allows, from its lower limit or below its upper one",
    arguments: [
      (1, 5, [1, 2, 3, 4, 5]), (-9, -7, [-9, -8, -7]), (nil, -3, [-3, -4, -5]), (nil, 2, [2, 1, 0]), (7, nil, [7, 8]),
    ]
      as [(Int64?, Int64?, [Int64])])
  func uniqueIntegers(least: Int64?, most: Int64?, wanted: [Int64]) throws {
    var item = EntityDefinition("Item")
    var code = AttributeDefinition("code", .integer16)
    code.minimumValue = least.map { .integer($0) } ?? .null
    code.maximumValue = most.map { .integer($0) } ?? .null
    item.attributes = [code]
    item.uniquenessConstraints = [["code"]]
    let context = try PersistentContainer.inMemory(ManagedObjectModel(entities: [item])).newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator()
      let items = try generator.insert(wanted.count, of: "Item", into: context)
      #expect(items.map { $0["code"] } == wanted.map { Value.integer($0) })
      try context.save()
      if least != nil, most != nil {
        #expect(throws: GenerationError.self) { try generator.insert(1, of: "Item", into: context) }
      }
    }
  }

  @Test("generators of one store make values of their own where their numbers are")
  func numbers() throws {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext()
    try context.performAndWait {
      for first in [1, 101] {
        var generator = ObjectGenerator(firstNumber: first)
        try generator.insert(100, of: "Tag", into: context)
        try context.save()
      }
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Tag")) == 200)
    }
  }

  @Test("a hundred thousand objects take seven lines")
  func sevenLines() throws {
    #expect(try hundredThousandObjects(Journal.model()) == 100_000)
  }

  @Test("flags that are unique together have each combination once, and then one of them is missing")
  func flags() throws {
    var toggle = EntityDefinition("Toggle")
    toggle.attributes = [.init("left", .boolean), .init("right", .boolean), .init("name", .string)]
    toggle.uniquenessConstraints = [["left", "right"]]
    var choice = EntityDefinition("Choice")
    var chosen = AttributeDefinition("chosen", .boolean)
    chosen.isOptional = false
    choice.attributes = [chosen, .init("sure", .boolean)]
    choice.uniquenessConstraints = [["chosen", "sure"], ["chosen"]]
    let container = try PersistentContainer.inMemory(ManagedObjectModel(entities: [toggle, choice]))
    let context = container.newBackgroundContext()
    try context.performAndWait {
      var generator = ObjectGenerator()
      let objects = try generator.insert(["Toggle": 50, "Choice": 2], into: context)
      try context.save()
      let pairs = try #require(objects["Toggle"]).map { "\($0["left"] ?? .null) \($0["right"] ?? .null)" }
      #expect(Set(pairs.prefix(4)).count == 4)
      let error = #expect(throws: GenerationError.self) { try generator.insert(1, of: "Choice", into: context) }
      #expect(
        error?.description.contains("there is no combination 3 of chosen") == true, "\(String(describing: error))")
    }
  }
}
