import ObjectModel
import Testing

@Suite("Whether a lightweight migration would do")
struct LightweightMigrationTests {
  typealias Change = @Sendable (inout [String: EntityDefinition]) -> Void

  /// One rule: what changes between the versions, and what is said of it.
  struct Rule: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: Change
    var obstacles: [String] = []
    var conditions: [String] = []
    var losses: [String] = []

    init(
      _ name: String, obstacles: [String] = [], conditions: [String] = [], losses: [String] = [],
      _ change: @escaping Change
    ) {
      testDescription = name
      self.change = change
      self.obstacles = obstacles
      self.conditions = conditions
      self.losses = losses
    }
  }

  static func older() -> [String: EntityDefinition] {
    var place = EntityDefinition("Place")
    place.attributes = [.init("name", .string), .init("rank", .integer16)]
    place.relationships = [
      .init("owner", toOne: "Owner", inverse: "places"), .init("guests", toMany: "Owner", inverse: "visited"),
    ]
    var hall = EntityDefinition("Hall")
    hall.superentityName = "Place"
    hall.attributes = [.init("seats", .integer32)]
    var owner = EntityDefinition("Owner")
    owner.attributes = [.init("email", .string)]
    owner.relationships = [
      .init("places", toMany: "Place", inverse: "owner"), .init("visited", toMany: "Place", inverse: "guests"),
    ]
    let lone = EntityDefinition("Lone")
    return ["Place": place, "Hall": hall, "Owner": owner, "Lone": lone]
  }

  static func mandatory(_ name: String, _ type: AttributeType = .string) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = false
    return attribute
  }

  static let rules = [
    Rule("nothing changes") { _ in },
    Rule("an optional attribute is added") { $0["Place"]?.attributes.append(.init("note", .string)) },
    Rule("a mandatory attribute with a default value is added") {
      var attribute = mandatory("note")
      attribute.defaultValue = .string("")
      $0["Place"]?.attributes.append(attribute)
    },
    Rule(
      "a mandatory attribute without a default value is added",
      obstacles: ["Place.note: new and mandatory, without a default value"]
    ) { $0["Place"]?.attributes.append(mandatory("note")) },
    Rule("a mandatory derived attribute is added") {
      var attribute = mandatory("guestCount", .integer64)
      attribute.derivation = .init(expression: "count:(guests)")
      $0["Place"]?.attributes.append(attribute)
    },
    Rule("an attribute is removed", losses: ["Hall.seats: removed, its values go"]) { $0["Hall"]?.attributes = [] },
    Rule("an attribute is renamed") {
      $0["Hall"]?.attributes[0].name = "chairs"
      $0["Hall"]?.attributes[0].renamingIdentifier = "seats"
    },
    Rule("a renaming identifier is missing", losses: ["Hall.seats: removed, its values go"]) {
      $0["Hall"]?.attributes[0].name = "chairs"
    },
    Rule("an attribute changes its type", obstacles: ["Place.rank: changes its type from integer16 to string"]) {
      $0["Place"]?.attributes[1].type = .string
    },
    Rule("an attribute becomes mandatory", obstacles: ["Place.rank: becomes mandatory, without a default value"]) {
      $0["Place"]?.attributes[1].isOptional = false
    },
    Rule("an attribute becomes mandatory with a default value") {
      $0["Place"]?.attributes[1].isOptional = false
      $0["Place"]?.attributes[1].defaultValue = .integer(0)
    },
    Rule("an attribute becomes transient", losses: ["Place.rank: removed, its values go"]) {
      $0["Place"]?.attributes[1].isTransient = true
    },
    Rule("a mandatory attribute moves up the hierarchy, which other entities then have too") {
      $0["Hall"]?.attributes = []
      $0["Place"]?.attributes.append(.init("seats", .integer32))
    },
    Rule("an attribute moves down the hierarchy", losses: ["Place.rank: removed, its values go"]) {
      $0["Place"]?.attributes.removeLast()
      $0["Hall"]?.attributes.append(.init("rank", .integer16))
    },
    Rule("a to-one relationship becomes to-many") {
      $0["Place"]?.relationships[0] = .init("owner", toMany: "Owner", inverse: "places")
    },
    Rule("a to-many relationship becomes to-one", obstacles: ["Place.guests: changes from to-many to to-one"]) {
      $0["Place"]?.relationships[1] = .init("guests", toOne: "Owner", inverse: "visited")
    },
    Rule("a to-many relationship becomes ordered") { $0["Place"]?.relationships[1].isOrdered = true },
    Rule(
      "a relationship becomes mandatory", conditions: ["Place.owner: becomes mandatory, so every object must have one"]
    ) { $0["Place"]?.relationships[0].isOptional = false },
    Rule("a to-many relationship becomes mandatory without a minimum") {
      $0["Place"]?.relationships[1].isOptional = false
    },
    Rule(
      "a relationship gets a limit",
      conditions: ["Place.guests: has tighter limits of its number of objects, which every object must meet"]
    ) { $0["Place"]?.relationships[1].maximumCount = 5 },
    Rule(
      "a mandatory relationship is added",
      conditions: ["Lone.place: new and mandatory, so the store must have no Lone, or the app must fill it"]
    ) {
      $0["Lone"]?.relationships = [.init("place", toOne: "Place", inverse: "lones")]
      $0["Lone"]?.relationships[0].isOptional = false
      $0["Place"]?.relationships.append(.init("lones", toMany: "Lone", inverse: "place"))
    },
    Rule(
      "a relationship is removed",
      losses: ["Owner.visited: removed, its references go", "Place.guests: removed, its references go"]
    ) {
      $0["Place"]?.relationships.removeLast()
      $0["Owner"]?.relationships.removeLast()
    },
    Rule("a relationship leads to a renamed entity") {
      for (entity, index) in [("Place", 0), ("Place", 1)] {
        $0[entity]?.relationships[index].destinationEntityName = "Person"
      }
      $0["Owner"]?.name = "Person"
      $0["Owner"]?.renamingIdentifier = "Owner"
    },
    Rule(
      "a relationship leads elsewhere",
      obstacles: ["Place.owner: leads to Lone instead of Owner"], losses: ["Owner.places: removed, its references go"]
    ) {
      $0["Owner"]?.relationships.removeFirst()
      $0["Place"]?.relationships[0] = .init("owner", toOne: "Lone", inverse: "places")
      $0["Lone"]?.relationships = [.init("places", toMany: "Place", inverse: "owner")]
    },
    Rule("an entity is added") { $0["New"] = EntityDefinition("New") },
    Rule("an entity is removed", losses: ["Lone: removed, its objects go"]) { $0["Lone"] = nil },
    Rule("a parent is put in") {
      $0["Base"] = EntityDefinition("Base")
      $0["Place"]?.superentityName = "Base"
    },
    Rule(
      "an entity leaves its hierarchy, which keeps what it inherited",
      losses: [
        "Hall.guests: removed, its references go", "Hall.name: removed, its values go",
        "Hall.owner: removed, its references go", "Hall.rank: removed, its values go",
      ]
    ) { $0["Hall"]?.superentityName = nil },
    Rule(
      "two hierarchies are merged",
      obstacles: [
        "Lone: shares the ancestor Base with Hall now, and had none in common before: Core Data does not merge hierarchies"
      ]
    ) {
      $0["Base"] = EntityDefinition("Base")
      $0["Place"]?.superentityName = "Base"
      $0["Lone"]?.superentityName = "Base"
    },
    Rule(
      "an entity becomes abstract",
      conditions: ["Place: abstract now, so the store must have no objects of this very entity"]
    ) { $0["Place"]?.isAbstract = true },
    Rule(
      "a constraint is added", conditions: ["Owner: no two objects may have the same email, which must be unique now"]
    ) { $0["Owner"]?.uniquenessConstraints = [["email"]] },
    Rule("what no store depends on changes") {
      $0["Place"]?.attributes[0].defaultValue = .string("x")
      $0["Place"]?.relationships[0].deleteRule = .cascade
      $0["Owner"]?.managedObjectClassName = "Person"
    },
  ]

  @Test("each rule, by itself", arguments: rules)
  func rule(_ rule: Rule) throws {
    let older = try ManagedObjectModel(entities: Array(Self.older().values))
    var changed = Self.older()
    rule.change(&changed)
    let newer = try ManagedObjectModel(entities: Array(changed.values))
    let migration = older.lightweightMigration(to: newer)
    #expect(migration.obstacles.map(\.description) == rule.obstacles)
    #expect(migration.conditions.map(\.description) == rule.conditions)
    #expect(migration.losses.map(\.description).sorted() == rule.losses)
    #expect(migration.isPossible == rule.obstacles.isEmpty)
  }

  @Test("entities that are as they were need no comparing, and how much is lost is told early", arguments: rules)
  func shortcuts(_ rule: Rule) throws {
    var former = Self.older()
    let older = try ManagedObjectModel(entities: Array(former.values))
    var changed = former
    rule.change(&changed)
    let newer = try ManagedObjectModel(entities: Array(changed.values))
    // A class matters to no store; with another one in each entity everything is compared.
    for name in former.keys { former[name]?.managedObjectClassName = "Former" + name }
    let other = try ManagedObjectModel(entities: Array(former.values))
    let (fast, slow) = (older.lightweightMigration(to: newer), other.lightweightMigration(to: newer))
    #expect(fast == slow)
    #expect(
      (try? older.inferredMappingModel(to: newer, mergesHierarchies: true))
        == (try? other.inferredMappingModel(to: newer, mergesHierarchies: true)))
    for limit in 0...slow.losses.count + 1 {
      let wanted = slow.isPossibleWithMerging && slow.losses.count <= limit ? slow.losses.count : nil
      #expect(older.inferredLossCount(to: newer, atMost: limit) == wanted)
    }
  }

  @Test("an element of a composite that becomes mandatory is an obstacle without a default value, and none with one")
  func compositeElements() throws {
    func model(_ change: (inout AttributeDefinition) -> Void) throws -> ManagedObjectModel {
      var city = AttributeDefinition("city", .string)
      change(&city)
      var home = AttributeDefinition("home", .composite)
      home.composite = .init(name: "Address", elements: [city, AttributeDefinition("number", .integer16)])
      var person = EntityDefinition("Person")
      person.attributes = [home]
      return try ManagedObjectModel(entities: [person])
    }
    let older = try model { _ in }
    let mandatory = older.lightweightMigration(to: try model { $0.isOptional = false })
    #expect(mandatory.obstacles.map(\.description) == ["Person.home.city: becomes mandatory, without a default value"])
    let filled = older.lightweightMigration(
      to: try model {
        $0.isOptional = false
        $0.defaultValue = .string("Rome")
      })
    #expect(filled.isPossible)
  }

  @Test(
    "a new composite whose defaults leave out a mandatory element is an obstacle, also where it is optional",
    arguments: [
      (isOptional: true, hasDefault: true, isObstacle: true), (true, false, false), (false, true, true),
      (false, false, true),
    ])
  func newComposites(isOptional: Bool, hasDefault: Bool, isObstacle: Bool) throws {
    var x = AttributeDefinition("x", .integer32)
    if hasDefault { x.defaultValue = .integer(7) }
    var y = AttributeDefinition("y", .integer32)
    y.isOptional = false
    var composite = AttributeDefinition("c", .composite)
    composite.composite = .init(name: "P", elements: [x, y])
    composite.isOptional = isOptional
    func model(_ attributes: [AttributeDefinition]) throws -> ManagedObjectModel {
      var thing = EntityDefinition("Thing")
      thing.attributes = [AttributeDefinition("k", .string)] + attributes
      return try ManagedObjectModel(entities: [thing])
    }
    let migration = try model([]).lightweightMigration(to: try model([composite]))
    #expect(
      migration.obstacles.map(\.description)
        == (isObstacle ? ["Thing.c: new and mandatory, without a default value"] : []))
  }
}
