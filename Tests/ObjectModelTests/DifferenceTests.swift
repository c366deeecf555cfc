import Foundation
import ObjectModel
import Testing

@Suite("Differences between models")
struct DifferenceTests {
  func differences(_ change: (inout [EntityDefinition]) -> Void) throws -> [ModelDifference] {
    let older = try ManagedObjectModel(entities: Garage.definitions())
    var descriptions = Garage.definitions()
    change(&descriptions)
    let newer = try ManagedObjectModel(entities: descriptions)
    let found = older.differences(to: newer)
    // What is said of the hashes agrees with the hashes.
    #expect(
      found.contains(where: \.affectsVersionHash) == (older.versionChecksum != newer.versionChecksum), "\(found)")
    return found
  }

  func texts(_ change: (inout [EntityDefinition]) -> Void) throws -> [String] {
    try differences(change).map(\.description)
  }

  @Test("equal models differ in nothing")
  func equal() throws {
    #expect(try differences { _ in }.isEmpty)
  }

  @Test("entities come, go and are renamed")
  func entities() throws {
    #expect(try texts { $0.append(EntityDefinition("Boat")) } == ["Boat: added"])
    #expect(try texts { $0.removeLast() } == ["Car: removed"])
    let renamed = try texts { entities in
      entities[2].name = "Auto"
      entities[2].renamingIdentifier = "Car"
    }
    #expect(renamed == ["Auto: renamed from Car"])
    #expect(try texts { $0[2].name = "Auto" } == ["Auto: added", "Car: removed"])
  }

  @Test("attributes come, go, are renamed and change")
  func attributes() throws {
    let changed = try texts { entities in
      entities[1].attributes[0].name = "fullName"
      entities[1].attributes[0].renamingIdentifier = "name"
      entities[1].attributes[0].isOptional = false
      entities[1].attributes[1].type = .integer64
      entities[1].attributes.append(AttributeDefinition("age", .integer16))
    }
    #expect(
      changed == [
        "Person.Zip: type changed from string to integer64", "Person.age: added",
        "Person.fullName: renamed from name", "Person.fullName: optional changed from yes to no",
      ])
  }

  @Test("what moves up or down a hierarchy is told of the entity that has it still, with what else changes")
  func moves() throws {
    let up = try texts { entities in
      var doors = entities[2].attributes.removeFirst()
      doors.isOptional = false
      entities[0].attributes.append(doors)
    }
    #expect(
      up == [
        "Car.doors: moved up to Vehicle", "Car.doors: optional changed from yes to no", "Vehicle.doors: added",
      ])
    let down = try texts { entities in entities[2].attributes.append(entities[0].attributes.removeLast()) }
    #expect(down == ["Car.size: moved down from Vehicle", "Vehicle.size: removed"])
    // None has it any more.
    #expect(try texts { $0[0].attributes.removeLast() } == ["Vehicle.size: removed"])
    let owner = try texts { entities in
      entities[2].relationships.append(entities[0].relationships.removeFirst())
      entities[1].relationships[0].destinationEntityName = "Car"
    }
    #expect(
      owner == [
        "Car.owner: moved down from Vehicle", "Person.vehicles: destination changed from Vehicle to Car",
        "Vehicle.owner: removed",
      ])
  }

  @Test("what the hashes leave out is told and marked so")
  func harmless() throws {
    let found = try differences { entities in
      entities[1].managedObjectClassName = "PersonObject"
      entities[1].attributes[0].defaultValue = .string("x")
      entities[1].attributes[0].validationRules = [.init(predicate: "SELF != 'x'", warning: "no")]
      entities[1].attributes[2].type = .integer16
      entities[1].relationships[1].deleteRule = .cascade
      entities[1].fetchIndexes = [FetchIndexDefinition("i", elements: [.init(.property("name"))])]
    }
    #expect(
      found.map(\.description) == [
        "Person: class changed from none to PersonObject", "Person.name: default value changed from none to \"x\"",
        "Person.name: validation rules changed from none to SELF != 'x' (no)",
        "Person.note: type changed from string to integer16",
        "Person.friends: delete rule changed from nullify to cascade", "Person fetch index i: added",
      ])
    #expect(found.allSatisfy { !$0.affectsVersionHash })
  }

  @Test("relationships, constraints, parents and composites change")
  func others() throws {
    #expect(
      try texts { $0[1].relationships[0].isOrdered = false } == ["Person.vehicles: ordered changed from yes to no"])
    #expect(
      try texts { $0[0].uniquenessConstraints = [["owner"]] } == [
        "Vehicle uniqueness constraint (plate): removed", "Vehicle uniqueness constraint (owner): added",
      ])
    #expect(try texts { $0[0].isAbstract = false } == ["Vehicle: abstract changed from yes to no"])
    let composite = try texts { $0[0].attributes[1].composite?.elements.removeFirst() }
    #expect(
      composite == [
        "Vehicle.size: composite changed from Size (height: double optional, width: double optional) "
          + "to Size (height: double optional)"
      ])
  }

  @Test(
    "another name of a composite or derived attribute changes a hash where it changes the order",
    arguments: [("area", true), ("sizes", false), ("oak", true), ("ozone", true), ("plates", false)])
  func renamed(name: String, changes: Bool) throws {
    for isDerived in [false, true] {
      var older = Garage.definitions()
      if isDerived {
        older[0].attributes[1] = AttributeDefinition("size", .integer32)
        older[0].attributes[1].derivation = .init(expression: "owner.name")
      }
      var newer = older
      newer[0].attributes[1].name = name
      newer[0].attributes[1].renamingIdentifier = "size"
      let (first, second) = (try ManagedObjectModel(entities: older), try ManagedObjectModel(entities: newer))
      let found = first.differences(to: second).filter { $0.description.contains("renamed") }
      #expect(found.map(\.description) == ["Vehicle.\(name): renamed from size"])
      #expect(found.map(\.affectsVersionHash) == [changes])
      #expect((first.versionChecksum != second.versionChecksum) == changes)
    }
  }

  @Test("of a composite only its leaves change a hash")
  func composites() throws {
    typealias Change = (inout AttributeDefinition) -> Void
    let changes: [(Change, Bool)] = [
      ({ $0.composite?.elements[0].isOptional = false }, true), ({ $0.composite?.elements[0].type = .float }, true),
      ({ $0.composite?.elements[0].defaultValue = .double(1) }, false),
      ({ $0.composite?.elements[2].isTransient = false }, true), ({ $0.composite?.name = "Extent" }, false),
      ({ $0.composite?.elements.reverse() }, false), ({ $0.isOptional = false }, false),
      ({ $0.versionHashModifier = "x" }, false), ({ $0.isTransient = true }, true),
    ]
    let old = try ManagedObjectModel(entities: Garage.definitions())
    for (number, (change, affects)) in changes.enumerated() {
      var entities = Garage.definitions()
      change(&entities[0].attributes[1])
      let new = try ManagedObjectModel(entities: entities)
      #expect((old["Vehicle"]?.versionHash != new["Vehicle"]?.versionHash) == affects, "\(number)")
      #expect(old.differences(to: new).contains { $0.affectsVersionHash } == affects, "\(number)")
    }
  }

  @Test("stored hashes are compared by name")
  func hashes() throws {
    let model = try ManagedObjectModel(entities: Garage.definitions())
    var stored = model.entityVersionHashesByName
    #expect(model.compareVersionHashes(with: stored).isCompatible)
    stored["Car"] = Data(count: 32)
    stored["Boat"] = Data(count: 32)
    stored["Person"] = nil
    let comparison = model.compareVersionHashes(with: stored)
    #expect(!comparison.isCompatible)
    #expect(comparison.missing == ["Person"] && comparison.unknown == ["Boat"] && comparison.different == ["Car"])
  }
}
