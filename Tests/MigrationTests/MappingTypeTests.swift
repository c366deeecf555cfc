import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@Suite("What expressions of mapping models can never give")
struct MappingTypeTests {
  private static let relationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  private static let sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"

  private static func fetch(_ entity: String, in context: String, counts: Bool = false) -> String {
    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"\(entity)\", \"TRUEPREDICATE\"), "
      + "\(context), \(counts ? "YES" : "NO"))"
  }

  private static func call(_ selector: String, _ name: String, _ operand: String) -> String {
    "FUNCTION($manager, \"\(selector)\", \"\(name)\", \(operand))"
  }

  private static let request =
    "FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Tag\", \"TRUEPREDICATE\")"

  /// - Throws: what a dry run and the migration itself throw, which is the same.
  private func mistake(_ journal: Journal) throws -> MigrationError {
    let library = ModelLibrary(
      versions: [.init(name: "1", model: journal.older), .init(name: "2", model: journal.newer)],
      mappings: [.init(name: "bridge", mappingModel: journal.mapping)])
    let before = try Data(contentsOf: journal.source)
    let planned = try #require(throws: MigrationError.self) {
      try ProgressiveMigration(library: library).chain(forStoreAt: journal.source, type: .sqlite, to: journal.newer)
    }
    let error = try #require(throws: MigrationError.self) { try journal.migrate() }
    #expect(planned.message == error.message && planned.property == error.property && planned.code == error.code)
    #expect(error.mapping == "EntryToNote" && error.code == .mappingModel, "\(error)")
    #expect(error.objectID == nil, "no object was touched")
    #expect(try Data(contentsOf: journal.source) == before)
    return error
  }

  private static let ofSources: [(expression: String, message: String)] = [
    (
      fetch("Tag", in: "$manager.sourceContext"), "gives objects of Tag of the source model, where the objects of Entry"
    ),
    (fetch("Entry", in: "$manager.destinationContext"), "the context of the destination model"),
    (fetch("Entry", in: "$manager.sourceContext", counts: true), "gives a value of the type Integer 64"),
    (fetch("Entry", in: "$manager"), "is no context"),
    (request, "gives a fetch request"),
    ("FETCH($manager.sourceContext, $manager.sourceContext, NO)", "is no fetch request"),
    ("\"Entry\"", "gives a value of the type String"),
    ("$source", "$source has no value here"),
    ("$source.author", "$source has no value here"),
    (Journal.lookUp("TagToTag", "nil"), "gives objects of Tag of the destination model"),
  ]

  @Test("a source expression that gives no objects of the source entity is a mistake", arguments: ofSources)
  func sources(expression: String, message: String) throws {
    var journal = try Journal()
    journal.editEntry { $0.sourceExpression = expression }
    let error = try mistake(journal)
    #expect(error.property == nil && error.message.contains(message), "\(error)")
  }

  private static let ofProperties: [(property: String, expression: String, message: String)] = [
    ("raw", "$source", "gives an object of Entry"),
    ("raw", "$destination", "gives an object of Note"),
    ("raw", "$manager", "gives $manager"),
    ("raw", "$entityPolicy", "gives $entityPolicy"),
    ("raw", "$entityMapping", "gives $entityMapping"),
    ("raw", request, "gives a fetch request"),
    ("raw", "$manager.sourceContext", "gives a context"),
    ("raw", fetch("Tag", in: "$manager.sourceContext"), "gives objects of Tag"),
    ("seconds", fetch("Tag", in: "$manager.destinationContext", counts: true), "the context of the destination model"),
    ("seconds", "\"sixty\"", "String cannot become one of the type Integer 32"),
    ("heading", "$source.tags.@count", "Integer 64 cannot become one of the type String"),
    ("heading", "$source.picture.length", "Integer 64 cannot become one of the type String"),
    ("seconds", "$source.link.path", "String cannot become one of the type Integer 32"),
    ("heading", "$source.tags.word", "gives many values"),
    ("heading", "$source.author", "gives an object of Author"),
    ("heading", "$manager == nil", "cannot be"),
    ("writer", "$source", "gives objects of Entry of the source model, where managed objects of Author belong"),
    ("writer", "$source.author", "gives objects of Author of the source model"),
    ("writer", "$source.title", "gives a value of the type String, where managed objects of Author belong"),
    ("writer", "$manager.sourceContext", "gives a context"),
    ("tags", fetch("Tag", in: "$manager.sourceContext"), "gives objects of Tag of the source model"),
    ("tags", call(sources, "TagToTag", "$source.tags"), "is given objects of Tag of the source model"),
    ("tags", call(sources, "TagToTag", "$destination.tags"), "gives objects of Tag of the source model"),
    ("tags", Journal.lookUp("TagToTag", "$destination.tags"), "is given objects of Tag of the destination model"),
    ("tags", call(relationship, "tags", "$destination.tags"), "is given objects of Tag of the destination model"),
    ("tags", Journal.lookUp("TagToTag", "$manager"), "is given $manager"),
  ]

  @Test("a value that its property can never have is a mistake", arguments: ofProperties)
  func properties(property: String, expression: String, message: String) throws {
    var journal = try Journal { $0[0].attributes.append(AttributeDefinition("raw", .transformable)) }
    journal.editEntry { $0.attributeMappings.append(PropertyMapping("raw")) }
    journal.set(property, expression)
    let error = try mistake(journal)
    #expect(error.property == property && error.message.contains(message), "\(error)")
  }

  /// A manager whose functions give what nobody knows beforehand.
  private final class PassingManager: MigrationManager {
    override var functions: [String: Function] {
      [
        "pass:": { $0[0] },
        "tags": { [unowned self] _ in try sourceContext.fetch(FetchRequest<ManagedObject>(entityName: "Tag")) },
      ]
    }
  }

  private static let atWork: [(property: String, expression: String, message: String)] = [
    ("raw", "FUNCTION($manager, \"pass:\", $source)", "cannot be archived"),
    ("raw", "FUNCTION($manager, \"pass:\", $manager)", "cannot be archived"),
    (
      "seconds", "FETCH(FUNCTION($manager, \"pass:\", \(request)), $manager.destinationContext, YES)",
      "the context of the other store"
    ),
  ]

  @Test("what only the work tells ends it with an error", arguments: atWork)
  func work(property: String, expression: String, message: String) throws {
    var journal = try Journal { $0[0].attributes.append(AttributeDefinition("raw", .transformable)) }
    journal.editEntry { $0.attributeMappings.append(PropertyMapping("raw")) }
    journal.set(property, expression)
    let error = try #require(throws: MigrationError.self) {
      try journal.migrate(PassingManager(sourceModel: journal.older, destinationModel: journal.newer))
    }
    #expect(error.property == property && error.message.contains(message), "\(error)")
  }

  @Test("source objects of another entity, of which nothing was known, end the work with an error")
  func otherSources() throws {
    var journal = try Journal()
    journal.editEntry { $0.sourceExpression = "FUNCTION($manager, \"tags\")" }
    let error = try #require(throws: MigrationError.self) {
      try journal.migrate(PassingManager(sourceModel: journal.older, destinationModel: journal.newer))
    }
    #expect(error.message == "the source object is a Tag, and the mapping is for objects of Entry", "\(error)")
  }
}
