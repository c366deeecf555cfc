import Foundation
import Migration
import ObjectModel
import Testing

@testable import StoreModels

@Suite("Steps of a migration")
struct MigrationStepsTests {
  private static func model(_ attributes: String...) throws -> ManagedObjectModel {
    let entities = ["Note", "Tag"].map { name in
      var entity = EntityDefinition(name)
      entity.attributes = attributes.map { AttributeDefinition($0, .string) }
      return entity
    }
    return try ManagedObjectModel(entities: entities)
  }

  /// A library of two versions and a mapping model for the entities.
  private static func library(mapping names: [String]) throws -> ModelLibrary {
    let models = [try model("a"), try model("a", "b")]
    let mappings = names.map { name in
      var mapping = EntityMapping("\(name)To\(name)", .transform, from: name, to: name)
      mapping.sourceEntityVersionHash = models[0][name]?.versionHash
      mapping.destinationEntityVersionHash = models[1][name]?.versionHash
      mapping.sourceExpression =
        "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"\(name)\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)"
      return mapping
    }
    return ModelLibrary(
      versions: models.enumerated().map { .init(name: "Notes \($0 + 1)", model: $1) },
      mappings: [.init(name: "Notes.cdm", mappingModel: MappingModel(entityMappings: mappings))])
  }

  @Test("a mapping model that leaves changed entities out gives way to inference, with a warning that names them")
  func passedOver() throws {
    for (names, warnings) in [
      (
        ["Note"],
        [
          "the mapping model Notes.cdm is not used from Notes 1 to Notes 2: it leaves out Tag, whose objects would go with it; "
            + "to use it all the same, name it (--mapping, or store.mapping in a pipeline file)"
        ]
      ),
      (["Note", "Tag"], []),
    ] {
      let library = try Self.library(mapping: names)
      let versions = library.versions
      let inferred = try versions[0].model.inferredMappingModel(to: versions[1].model)
      let mapping = try #require(library.mappings.first)
      let way: MigrationChain.Way = warnings.isEmpty ? .mapped(mapping) : .inferred(inferred)
      let step = MigrationChain.Step(source: versions[0], destination: versions[1], way: way, losses: [])
      #expect(MigrationSteps.passedOver([step], library) == warnings)
    }
  }
}
