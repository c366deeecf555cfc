import Foundation
import ModelFiles
import ObjectModel
import Testing

@Suite("Version hashes of models that Apple's tools made", .enabled(if: Fixtures.areAvailable, "\(Fixtures.reason)"))
struct FixtureHashTests {
  static let modelPaths: [String] =
    Fixtures.areAvailable ? ((try? Fixtures.expected())?.models.keys.sorted() ?? []) : []

  @Test("every entity of a model version has the expected hash", arguments: modelPaths)
  func hashes(path: String) throws {
    let expected = try #require(try Fixtures.expected().models[path]).entities
    let file = try ModelReader.readFile(path: Fixtures.path(path))
    #expect(Set(file.model.entities.map(\.name)) == Set(expected.keys))
    for entity in file.model.entities where !entity.restsOnUnconfirmedHashRule {
      #expect(entity.versionHash.hexadecimal == expected[entity.name], "\(path) \(entity.name)")
    }
    #expect(file.warnings.isEmpty, "\(path): \(file.warnings)")
  }

  @Test("only the entity with a composite rests on an unconfirmed rule")
  func unconfirmed() throws {
    var names: [String] = []
    for path in Self.modelPaths {
      let model = try ModelReader.read(path: Fixtures.path(path))
      names += model.entities.filter(\.restsOnUnconfirmedHashRule).map { "\(path) \($0.name)" }
    }
    #expect(names == ["models/momxml/Model.xcdatamodeld/Model.xcdatamodel Produit"])
  }
}
