import ObjectModel
import Testing

@Suite("The mapping that two models infer")
struct InferredMappingTests {
  private func model(_ change: LightweightMigrationTests.Change = { _ in }) throws -> ManagedObjectModel {
    var entities = LightweightMigrationTests.older()
    change(&entities)
    return try ManagedObjectModel(entities: Array(entities.values))
  }

  @Test("entities are added, copied, transformed and removed, each under its name and with its hashes")
  func entities() throws {
    let older = try model()
    let newer = try model {
      $0["Lone"] = nil
      $0["Fresh"] = EntityDefinition("Fresh")
      $0["Owner"]?.name = "Person"
      $0["Owner"]?.renamingIdentifier = "Owner"
      for index in 0..<2 { $0["Place"]?.relationships[index].destinationEntityName = "Person" }
    }
    let mapping = try older.inferredMappingModel(to: newer)
    #expect(
      mapping.entityMappings.map(\.name) == [
        "IEM_Add_Fresh", "IEM_Transform_Hall", "IEM_Transform_Person", "IEM_Transform_Place", "IEM_Remove_Lone",
      ])
    #expect(mapping.entityMappings.map(\.mappingType) == [.add, .transform, .transform, .transform, .remove])
    let person = try #require(mapping.entityMappingsByName["IEM_Transform_Person"])
    #expect(person.sourceEntityName == "Owner" && person.destinationEntityName == "Person")
    #expect(person.sourceEntityVersionHash == older["Owner"]?.versionHash)
    #expect(person.destinationEntityVersionHash == newer["Person"]?.versionHash)
    #expect(
      person.sourceExpression
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Owner\", \"TRUEPREDICATE\"), "
        + "$manager.sourceContext, NO)")
    let same = try older.inferredMappingModel(to: older)
    #expect(same.entityMappings.allSatisfy { $0.mappingType == .copy && $0.name.hasPrefix("IEM_Copy_") })
  }

  @Test("properties are taken from their predecessors, through what the destinations became")
  func properties() throws {
    let newer = try model {
      $0["Hall"]?.attributes[0].name = "chairs"
      $0["Hall"]?.attributes[0].renamingIdentifier = "seats"
      $0["Hall"]?.attributes.append(.init("Area", .double))
    }
    let mappings = try model().inferredMappingModel(to: newer).entityMappingsByName
    let hall = try #require(mappings["IEM_Transform_Hall"])
    #expect(
      hall.attributeMappings == [
        PropertyMapping("Area"), PropertyMapping("chairs", "$source.seats"), PropertyMapping("name", "$source.name"),
        PropertyMapping("rank", "$source.rank"),
      ])
    #expect(
      hall.relationshipMappings == [
        PropertyMapping(
          "guests",
          "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"IEM_Copy_Owner\", "
            + "$source.guests)"),
        PropertyMapping(
          "owner",
          "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"IEM_Copy_Owner\", "
            + "$source.owner)"),
      ])
    let owner = try #require(mappings["IEM_Copy_Owner"])
    #expect(
      owner.relationshipMappings.last
        == PropertyMapping(
          "visited",
          "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"visited\", "
            + "$source.visited)"))
    #expect(hall.attributeMappings.map(\.sourcePropertyName) == [nil, "seats", "name", "rank"])
    #expect(owner.relationshipMappings.map(\.sourcePropertyName) == ["places", "visited"])
  }

  @Test(
    "an expression that does more than take a value over has no source property",
    arguments: [
      "$source.a.b", "$source.a * 2", "$source.", "\"x\"", "FUNCTION($entityPolicy, \"make:\", $source.a)",
      "FUNCTION($manager, \"other:sourceInstances:\", \"X\", $source.a)",
    ])
  func expressions(_ text: String) { #expect(PropertyMapping("a", text).sourcePropertyName == nil) }

  @Test("what cannot be inferred is refused with every reason; merged hierarchies only where they may not be")
  func refusals() throws {
    let older = try model()
    let merged = try model {
      $0["Base"] = EntityDefinition("Base")
      $0["Place"]?.superentityName = "Base"
      $0["Lone"]?.superentityName = "Base"
    }
    let error = #expect(throws: MappingInferenceError.self) { try older.inferredMappingModel(to: merged) }
    #expect(error?.obstacles == older.lightweightMigration(to: merged).mergedHierarchies)
    #expect(error?.obstacles.count == 1)
    let mapping = try older.inferredMappingModel(to: merged, mergesHierarchies: true)
    #expect(mapping.entityMappingsByName["IEM_Transform_Lone"] != nil)
    let changed = try model {
      $0["Base"] = EntityDefinition("Base")
      $0["Place"]?.superentityName = "Base"
      $0["Lone"]?.superentityName = "Base"
      $0["Place"]?.attributes[1].type = .string
      $0["Owner"]?.attributes[0].isOptional = false
    }
    let both = #expect(throws: MappingInferenceError.self) {
      try older.inferredMappingModel(to: changed, mergesHierarchies: true)
    }
    #expect(
      both?.obstacles.map(\.description) == [
        "Place.rank: changes its type from integer16 to string",
        "Owner.email: becomes mandatory, without a default value",
      ])
  }
}
