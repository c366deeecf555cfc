import Foundation
import ObjectModel
import Testing

@testable import Pipelines

@Suite("Linting pipelines against a model")
struct PipelineLinterTests {
  /// Stops with an abstract parent, trips, and venues with a nested location.
  private static func model() throws -> ManagedObjectModel {
    var place = EntityDefinition("Place")
    place.isAbstract = true
    var identifier = AttributeDefinition("identifier", .string)
    identifier.isOptional = false
    place.attributes = [identifier]
    place.uniquenessConstraints = [["identifier"]]
    var stop = EntityDefinition("Stop")
    stop.superentityName = "Place"
    var shortCode = AttributeDefinition("code", .integer16)
    shortCode.isOptional = false
    shortCode.defaultValue = .integer(0)
    var cache = AttributeDefinition("cache", .string)
    cache.isTransient = true
    var count = AttributeDefinition("tripCount", .integer64)
    count.derivation = .init(expression: "trips.@count")
    stop.attributes = [
      shortCode, cache, count, AttributeDefinition("name", .string), AttributeDefinition("opened", .date),
      AttributeDefinition("isOpen", .boolean), AttributeDefinition("key", .uuid),
      AttributeDefinition("height", .double),
    ]
    stop.relationships = [
      RelationshipDefinition("parent", toOne: "Stop", inverse: "children"),
      RelationshipDefinition("children", toMany: "Stop", inverse: "parent"),
      RelationshipDefinition("trips", toMany: "Trip", inverse: "stops"),
      RelationshipDefinition("location", toOne: "Location", inverse: "stop"),
    ]
    var trip = EntityDefinition("Trip")
    trip.attributes = [AttributeDefinition("number", .string)]
    trip.relationships = [RelationshipDefinition("stops", toMany: "Stop", inverse: "trips")]
    var location = EntityDefinition("Location")
    var latitude = AttributeDefinition("latitude", .double)
    latitude.isOptional = false
    location.attributes = [latitude]
    var owner = RelationshipDefinition("stop", toOne: "Stop", inverse: "location")
    owner.isOptional = false
    location.relationships = [owner]
    return try ManagedObjectModel(entities: [place, stop, trip, location])
  }

  private static let start = "model: M.xcdatamodel\nstore: { path: S.sqlite }\n"

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var yaml: String
    var problems: [String]
    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(
      name: "a good pipeline",
      yaml: """
        import:
          - from: stops.json
            entity: Stop
            match: [identifier]
            strategy: upsert
            map:
              identifier: id
              code: 32767
              isOpen: true
              opened: { value: "2020-02-29" }
              height: 1
              parent: { match: identifier, from: parent }
              trips: { match: number, from: trips }
              location: { from: place, map: { latitude: lat } }
          - { from: trips.csv, entity: Trip, match: number, map: { number: n } }
        export:
          - { entity: Place, to: p.csv, columns: [identifier] }
          - { entity: Stop, to: s.csv, columns: [parent.parent.name], order: [-location.latitude] }
        """, problems: []),
    Case(
      name: "nothing to do", yaml: "",
      problems: ["2:8 warning: the pipeline neither imports nor exports anything (add import: with at least one step)"]),
    Case(
      name: "entities that are unknown or abstract",
      yaml: """
        import:
          - { from: a.csv, entity: Stopp, map: { a: b } }
          - { from: a.csv, entity: Place, map: { identifier: b } }
        export:
          - { entity: Bus, to: a.csv }
        """,
      problems: [
        "4:28 error: the model has no entity \"Stopp\" (did you mean \"Stop\"?)",
        "5:28 error: Place is abstract: it has no objects of its own (name one of its sub-entities: Stop)",
        "7:15 error: the model has no entity \"Bus\" (entities: Location, Place, Stop, Trip)",
      ]),
    Case(
      name: "match keys and strategies",
      yaml: """
        import:
          - { from: a.csv, entity: Stop, match: [identifer, name, children], map: { identifier: id } }
          - { from: a.csv, entity: Stop, match: name, strategy: upsert, map: { identifier: id, name: n } }
          - { from: a.csv, entity: Trip, match: number, strategy: bulk, on-match: keep, map: { number: n } }
          - { from: a.csv, entity: Trip, on-match: keep, duplicates: first, map: { number: n } }
        """,
      problems: [
        "4:41 error: Stop has no property \"identifer\" (did you mean \"identifier\"?)",
        "4:41 error: \"name\" is a match key but not in the map (add name: to the map)",
        "4:41 error: Stop.children is to-many and cannot identify an object",
        "5:57 error: upsert needs a uniqueness constraint of Stop over exactly its match keys (match one of [identifier])",
        "6:75 warning: on-match: keep has no effect: bulk writes to empty entities only (remove it, or use find-or-create)",
        "7:44 warning: \"on-match\" has no effect without match keys (add match: [...])",
        "7:62 warning: \"duplicates\" has no effect without match keys (add match: [...])",
      ]),
    Case(
      name: "both sides of a relationship",
      yaml: """
        import:
          - from: stops.json
            entity: Stop
            match: [identifier]
            map:
              identifier: id
              trips: { match: number, from: trips }
              parent: { match: identifier, from: parent }
          - from: trips.json
            entity: Trip
            match: number
            map:
              number: n
              stops: { match: identifier, from: stops }
        """,
      problems: [
        "16:7 warning: Trip.stops and Stop.trips are the two sides of one relationship: what the records of this step do not have is taken from those of the earlier one (map one side only; the other follows from it)"
      ]),
    Case(
      name: "properties and their forms",
      yaml: """
        import:
          - from: a.csv
            entity: Stop
            map:
              nmae: n
              tripCount: 1
              cache: n
              parent: parent_id
              trips: trip_ids
              name: { match: identifier, from: n }
              location: { from: l, map: { latitude: lat } }
              children: { match: [identifire], from: c }
              height: { from: h, date: yyyy-MM-dd }
        """,
      problems: [
        "4:5 error: Stop.identifier is required, has no default, and is not in the map (add identifier: to the map, or give it a default in the model)",
        "7:7 error: Stop has no property \"nmae\" (did you mean \"name\"?)",
        "8:7 error: Stop.tripCount is derived: the store computes it (remove the line)",
        "9:7 warning: Stop.cache is transient: it is not stored (remove the line)",
        "10:7 error: Stop.parent is a relationship: say how to find its objects (write { match: identifier, from: parent_id }, or { from: ..., map: { ... } } for nested objects)",
        "11:7 error: Stop.trips is a to-many relationship: say how to find its objects (write { match: number, from: trip_ids }, or { from: ..., map: { ... } } for nested objects)",
        "12:7 error: Stop.name is an attribute, not a relationship (map it to an expression)",
        "13:7 error: Stop.location: CSV fields hold no nested objects (write { match: ..., from: ... }, or make a list with split() or words())",
        "14:7 error: Stop has no property \"identifire\" (did you mean \"identifier\"?)",
        "15:7 warning: Stop.height is no Date: \"date\" and \"time-zone\" have no effect",
      ]),
    Case(
      name: "constants that do not fit",
      yaml: """
        import:
          - from: a.json
            entity: Stop
            map:
              identifier: null
              code: 32768
              isOpen: 2
              opened: { from: o, default: "2023-02-30" }
              key: '"abc"'
              height: '"tall"'
              parent: null
        """,
      problems: [
        "7:7 error: Stop.identifier is required and cannot be null",
        "8:7 error: the constant 32768 is no Integer 16 (Stop.code)",
        "9:7 error: the constant 2 is no Boolean (Stop.isOpen)",
        "10:7 error: the constant \"2023-02-30\" is no Date (Stop.opened)",
        "11:7 error: the constant \"abc\" is no UUID (Stop.key)",
        "12:7 error: the constant \"tall\" is no Double (Stop.height)",
      ]),
    Case(
      name: "nested objects and references",
      yaml: """
        import:
          - from: a.json
            entity: Stop
            map:
              identifier: id
              location: { from: l, map: { altitude: a } }
              parent: { match: name, from: p, separator: ";" }
              children: { from: c, entity: Trip, map: { number: n } }
              trips: { from: t, match: number, map: { stops: null } }
        """,
      problems: [
        "8:7 warning: Location.latitude is required, has no default, and is not in the map (add latitude: to the map, or give it a default in the model)",
        "8:35 error: Location has no property \"altitude\" (did you mean \"latitude\"?)",
        "9:7 warning: Stop.parent is to-one: \"separator\" has no effect",
        "9:7 warning: nothing makes [name] unique among Stop (add a uniqueness constraint to the model)",
        "10:36 error: Stop.children leads to Stop, and Trip is none",
        "11:32 error: \"number\" is a match key but not in the map (add number: to the map)",
      ]),
    Case(
      name: "an update of objects that another step nests, and constants in the run's own words for booleans",
      yaml: """
        import:
          - from: a.json
            entity: Trip
            map: { number: n, stops: { from: stops, match: [name], map: { identifier: id, name: name } } }
          - from: b.json
            entity: Stop
            match: [name]
            map: { name: name, isOpen: '"Yes"' }
        """,
      problems: [
        "7:5 warning: Stop.identifier is required, has no default, and is not in the map (add identifier: to the map, or give it a default in the model)"
      ]),
    Case(
      name: "columns and order of exports",
      yaml: """
        export:
          - entity: Stop
            to: a.csv
            columns: [nam, parent, trips.number, cache, { name: x, value: parent.nome }]
            order: [-lenght, location.latitude]
        """,
      problems: [
        "6:15 error: Stop has no property \"nam\" (did you mean \"name\"?)",
        "6:20 error: parent is a relationship, not an attribute (write parent.name, or parent.code, parent.height, "
          + "parent.identifier, parent.isOpen, parent.key, parent.opened, parent.tripCount)",
        "6:28 error: Stop.trips is to-many: it has no single value (export Trip instead)",
        "6:42 error: Stop.cache is transient: it is not stored",
        "6:67 error: Stop has no property \"nome\" (did you mean \"name\"?)",
        "7:13 error: Stop has no property \"lenght\" (did you mean \"height\"?)",
      ]),
  ]

  @Test("problems have their severity and place", arguments: cases)
  func lint(example: Case) throws {
    let file = try ProjectFolder().read(Self.start + example.yaml)
    let found = PipelineLinter.lint(file, model: try Self.model()).map { problem in
      (problem.position.map { "\($0.line):\($0.column) " } ?? "") + "\(problem.severity): \(problem.message)"
        + (problem.hint.map { " (\($0))" } ?? "")
    }
    #expect(found == example.problems)
  }
}
