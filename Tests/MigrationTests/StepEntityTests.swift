import Migration
import ObjectModel
import SQLMigration
import Testing

/// What a step by a mapping model says of its entities is what happens to them.
@Suite("entities of a step")
struct StepEntityTests {
  struct Case: Sendable {
    var taken: [PropertyMapping]
    var source: String?
    var before: [String]
    var after: [String]
    var line: String
  }

  private static let all =
    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Note\", \"TRUEPREDICATE\"), x, NO)"
  private static let both = [PropertyMapping("text", "$source.text"), PropertyMapping("title", "$source.title")]

  private static let cases = [
    Case(
      taken: both, source: all, before: ["text", "title"], after: ["text", "title"],
      line: "entity Note: unchanged, 3 objects"),
    Case(
      taken: [both[0]], source: all, before: ["text", "title"], after: ["text", "title"],
      line: "entity Note: changed, 3 objects"),
    Case(taken: [both[0]], before: ["text", "title"], after: ["text"], line: "entity Note: changed, 3 objects"),
    Case(
      taken: [both[0], PropertyMapping("title", "$source.text")], before: ["text", "title"], after: ["text", "title"],
      line: "entity Note: changed, 3 objects"),
    Case(
      taken: both, source: all.replacing("TRUEPREDICATE", with: "text != nil"), before: ["text", "title"],
      after: ["text", "title"], line: "entity Note: unchanged, those of 3 objects that the mapping's filter takes"),
  ]

  @Test("a copy is unchanged where it takes all, and objects are counted before the filter", arguments: cases)
  func entities(_ wanted: Case) throws {
    func version(_ name: String, _ attributes: [String]) throws -> ModelLibrary.Version {
      var note = EntityDefinition("Note")
      note.attributes = attributes.map { AttributeDefinition($0, .string) }
      return ModelLibrary.Version(name: name, model: try ManagedObjectModel(entities: [note]))
    }
    var mapping = EntityMapping("NoteToNote", .copy, from: "Note", to: "Note")
    mapping.attributeMappings = wanted.taken
    mapping.sourceExpression = wanted.source
    let way = MigrationChain.Way.mapped(
      ModelLibrary.Mapping(name: "own", mappingModel: MappingModel(entityMappings: [mapping])))
    let step = MigrationChain.Step(
      source: try version("1", wanted.before), destination: try version("2", wanted.after), way: way, losses: [])
    #expect(step.entities(objectCounts: ["Note": 3]).map(\.description) == [wanted.line])
  }
}
