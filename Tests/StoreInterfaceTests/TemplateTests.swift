import Foundation
import MemoryStore
import ModelFiles
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Predicates in models")
struct TemplateTests {
  @Test("a template becomes a request, with its variables replaced")
  func template() throws {
    let warehouse = try Warehouse()
    var template = FetchRequestTemplate("heavy", entityName: "Item", predicate: "rank > $RANK AND code == $CODE")
    template.fetchLimit = 2
    template.fetchBatchSize = 5
    template.resultType = 1
    template.includesSubentities = false
    template.returnsObjectsAsFaults = false
    let request = try FetchSpecification(
      template: template, model: warehouse.model, variables: ["RANK": 4, "CODE": nil])
    #expect(try request.predicate == FetchPredicate(parsing: "rank > 4 AND code == nil"))
    #expect(request.resultType == .objectIDs && request.fetchLimit == 2 && request.fetchBatchSize == 5)
    #expect(!request.includesSubentities && !request.returnsObjectsAsFaults && request.includesPendingChanges)
    let open = try FetchSpecification(template: template, model: warehouse.model)
    #expect(open.predicate.substitutionVariables == ["RANK", "CODE"])
    #expect(throws: StoreError.self) { try warehouse.store.snapshots(open) }
    template.predicate = "rank >"
    #expect(throws: PredicateFormatError.self) { try FetchSpecification(template: template, model: warehouse.model) }
    template.entityName = "Nope"
    #expect(throws: StoreError.self) { try FetchSpecification(template: template, model: warehouse.model) }
  }
}

/// The shared fixtures beside the package: models that Apple's tools made.
enum ModelFixtures {
  /// Every model file below a folder.
  static func models(in folder: URL) -> [String] {
    let endings = [".xcdatamodeld", ".momd", ".mom"]
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return names.filter { name in endings.contains { name.hasSuffix($0) } && !name.contains(".momd/") }.sorted()
      .map { folder.appendingPathComponent($0).path }
  }
}

extension TemplateTests {
  @Test("the predicates and derivations of the project's own models are read")
  func ownModels() throws {
    let paths = ["Tests/ModelFilesTests/Models", "seeds"].flatMap {
      ModelFixtures.models(in: FixtureFolder.packageRoot.appendingPathComponent($0))
    }
    let counts = try paths.map { try check(modelAt: $0) }
    #expect(counts.reduce(0, +) > 4)
  }

  @Test(
    "the predicates and derivations of models that Apple's tools made are read",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func fixtureModels() throws {
    let counts = try ModelFixtures.models(in: FixtureFolder.url.appendingPathComponent("models")).compactMap { path in
      // Some fixtures are no models on purpose.
      (try? ModelReader.read(path: path)) == nil ? nil : try check(modelAt: path)
    }
    #expect(!counts.isEmpty)
  }

  /// Parses everything in a model that is written in the format language, and says how much that is.
  private func check(modelAt path: String) throws -> Int {
    let model = try ModelReader.read(path: path)
    var count = 0
    let fetched = model.entities.flatMap(\.definition.fetchedProperties).map(\.fetchRequest)
    for template in Array(model.fetchRequestTemplates.values) + fetched {
      _ = try FetchSpecification(template: template, model: model)
      count += 1
    }
    for entity in model.entities {
      for index in entity.definition.fetchIndexes {
        guard let format = index.partialIndexPredicate else { continue }
        try FetchPredicate(parsing: format).checkKeyPaths(for: entity)
        count += 1
      }
      for attribute in entity.definition.attributes {
        guard let derivation = attribute.derivation else { continue }
        _ = try FetchExpression(parsing: derivation.expression).type(in: ExpressionScope(entity))
        if let filter = derivation.filteringPredicate { _ = try FetchPredicate(parsing: filter) }
        count += 1
      }
    }
    return count
  }
}
