import Foundation
import ObjectModel
import SQLite
import SQLiteStore
import Testing

@Suite("layout against stores of Apple's", .enabled(if: Fixtures.areAvailable, "\(Fixtures.absenceReason)"))
struct FixtureLayoutTests {
  /// Stores of which some table was altered or renamed by a migration: their statements differ by history.
  static let migrated: Set<String> = ["stores/coredataplus/SampleModel_V2.sqlite"]

  private func schema(_ path: String, type: String) throws -> [String] {
    let connection = try Connection(path: path)
    let statement = try Statement(
      connection, "SELECT sql FROM sqlite_master WHERE type = ?1 AND sql IS NOT NULL AND name NOT LIKE 'A%'")
    try statement.bind(1, type)
    var result: [String] = []
    while try statement.step() { result.append(statement.string(at: 0) ?? "") }
    return result
  }

  @Test("every table is what Apple's framework made", arguments: Fixtures.pairedStorePaths)
  func tables(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy(store, to: folder)
    let expected = try Fixtures.expected(store)
    let layout = StoreLayout(
      model: try Fixtures.model(of: store), generation: FrameworkGeneration(version: expected.frameworkVersion ?? 519))
    let bookkeeping = ["Z_PRIMARYKEY ", "Z_METADATA ", "Z_MODELCACHE "]
    let found = try schema(path, type: "table").filter { text in !bookkeeping.contains { text.contains($0) } }
    if Self.migrated.contains(store) {
      #expect(Set(found) == Set(layout.tableStatements))
    } else {
      #expect(found == layout.tableStatements)
    }
  }

  @Test("every index is one that Apple's framework made", arguments: Fixtures.pairedStorePaths)
  func indexes(store: String) throws {
    let folder = try TemporaryFolder()
    let path = try Fixtures.copy(store, to: folder)
    let expected = try Fixtures.expected(store)
    let layout = StoreLayout(
      model: try Fixtures.model(of: store),
      generation: FrameworkGeneration(version: expected.frameworkVersion ?? 519, repeatsSingleAttributeIndexes: true))
    let found = try Set(schema(path, type: "index"))
    let made = Set(layout.indexes.map(\.createStatement))
    #expect(found.subtracting(made).isEmpty)
    // Some frameworks make a one-attribute index under one name, some under another, some under both.
    func place(_ statement: String) -> Substring? { statement.range(of: " ON ").map { statement[$0.upperBound...] } }
    let places = Set(found.map { place($0) })
    #expect(made.subtracting(found).allSatisfy { places.contains(place($0)) })
  }

  @Test("entity numbers are those of the store", arguments: Fixtures.pairedStorePaths)
  func numbers(store: String) throws {
    let model = try Fixtures.model(of: store)
    let layout = StoreLayout(model: model)
    for (name, number) in try Fixtures.expected(store).numbers where number < 16_000 {
      // A renamed entity keeps its old name in the table: only the model's names are compared.
      guard let entity = model[name] else { continue }
      #expect(layout.number(of: entity) == number)
    }
  }
}
