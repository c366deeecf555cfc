import Foundation
import ObjectModel
import Testing

/// A small model built in Swift code: vehicles with sub-entities, owners, and a composite.
enum Garage {
  static func definitions() -> [EntityDefinition] {
    var plate = AttributeDefinition("plate", .string)
    plate.isOptional = false
    var size = AttributeDefinition("size", .composite)
    var scratch = AttributeDefinition("scratch", .string)
    scratch.isTransient = true
    size.composite = AttributeDefinition.CompositeReference(
      name: "Size",
      elements: [AttributeDefinition("width", .double), AttributeDefinition("height", .double), scratch])
    var vehicle = EntityDefinition("Vehicle")
    vehicle.isAbstract = true
    vehicle.attributes = [plate, size]
    vehicle.relationships = [RelationshipDefinition("owner", toOne: "Person", inverse: "vehicles")]
    vehicle.uniquenessConstraints = [["plate"]]

    var car = EntityDefinition("Car")
    car.superentityName = "Vehicle"
    car.attributes = [AttributeDefinition("doors", .integer16)]
    car.uniquenessConstraints = [["plate", "doors"]]

    var person = EntityDefinition("Person")
    var note = AttributeDefinition("note", .string)
    note.isTransient = true
    person.attributes = [
      AttributeDefinition("name", .string), AttributeDefinition("Zip", .string), note,
    ]
    person.relationships = [
      RelationshipDefinition("vehicles", toMany: "Vehicle", inverse: "owner", ordered: true),
      RelationshipDefinition("friends", toMany: "Person", inverse: "friends"),
    ]
    return [vehicle, person, car]
  }
}

@Suite("A model built in Swift code")
struct BuiltInCodeTests {
  let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(
      entities: Garage.definitions(), configurations: ["Cars": ["Car", "Vehicle"]],
      fetchRequestTemplates: [FetchRequestTemplate("all", entityName: "Car")], versionIdentifier: "1")
  }

  @Test("entities and properties are sorted by code point, capital letters first")
  func order() throws {
    #expect(model.entities.map(\.name) == ["Car", "Person", "Vehicle"])
    let person = try #require(model["Person"])
    #expect(person.attributes.map(\.name) == ["Zip", "name", "note"])
    #expect(person.storedAttributes.map(\.name) == ["Zip", "name"])
  }

  @Test("names are sorted by code point, not by Swift's own order")
  func codePoints() {
    // U+E000 comes before U+10000 by code point and after it by UTF-16 unit.
    #expect("\u{E000}".precedesByCodePoint("\u{10000}"))
    // Decomposed é is "e" and a mark: before "f" by code point. Composed é is U+E9: after it.
    #expect("e\u{301}".precedesByCodePoint("f") && !"\u{E9}".precedesByCodePoint("f"))
    #expect(!"a".precedesByCodePoint("a"))
  }

  @Test("a sub-entity has what its parent has")
  func inheritance() throws {
    let car = try #require(model["Car"])
    let vehicle = try #require(model["Vehicle"])
    #expect(car.attributes.map(\.name) == ["doors", "plate", "size"])
    #expect(car.uniquenessConstraints == [["plate"], ["plate", "doors"]])
    #expect(car.superentity == vehicle && car.root == vehicle && vehicle.subentities == [car])
    #expect(car.isKind(of: vehicle) && car.isKind(of: car) && !vehicle.isKind(of: car))
    let owner = try #require(car.relationship("owner"))
    #expect(owner.entity == car && owner.declaringEntity == vehicle)
    #expect(owner.destination.name == "Person")
    #expect(owner.inverse?.name == "vehicles" && owner.inverse?.entity.name == "Person")
    #expect(owner.inverse?.inverse?.entity == vehicle)
    #expect(model["Person"]?.relationship("friends")?.isOwnInverse == true)
  }

  @Test("what does not exist is nil")
  func absent() {
    #expect(model["Bicycle"] == nil)
    #expect(model["Car"]?.attribute("owner") == nil)
    #expect(model["Car"]?.relationship("plate") == nil)
    #expect(model.entities(inConfiguration: "Boats") == nil)
  }

  @Test("composites are taken apart into stored leaves, transient ones left out")
  func leaves() {
    #expect(model["Car"]?.storedLeaves.map(\.path) == ["doors", "plate", "size.height", "size.width"])
    #expect(model["Car"]?.storedLeaves.map(\.names).last == ["size", "width"])
  }

  @Test("configurations, templates and the identifier are kept")
  func parts() {
    #expect(model.entities(inConfiguration: "Cars")?.map(\.name) == ["Car", "Vehicle"])
    #expect(model.entities(inConfiguration: nil)?.count == 3)
    #expect(model.fetchRequestTemplates["all"]?.entityName == "Car")
    #expect(model.versionIdentifier == "1")
  }

  @Test("entities of two models are never the same")
  func identity() throws {
    let other = try ManagedObjectModel(entities: Garage.definitions())
    #expect(model["Car"] != other["Car"])
    #expect(try !#require(model["Car"]).isKind(of: #require(other["Vehicle"])))
  }
}
