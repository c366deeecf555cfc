import Foundation
import Migration
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@Suite("Expressions of mapping models")
struct MappingExpressionTests {
  @Test("a whole mapping model sets attributes and relationships, whatever the batch", arguments: [1, 2, 100])
  func whole(batch: Int) throws {
    let journal = try Journal()
    let manager = journal.manager()
    manager.batchSize = batch
    try journal.migrate(manager)
    #expect(try Stores.problems(journal.result, journal.newer) == [])
    #expect(try journal.notes("heading") == (0..<5).map { .string("day \($0)") })
    #expect(try journal.notes("seconds") == (0..<5).map { .integer($0 * 60) })
    #expect(try journal.notes("size") == (0..<5).map { .integer($0) })
    #expect(try journal.notes("amount") == (0..<5).map { .decimal(Decimal($0)) })
    #expect(try journal.notes("address") == (0..<5).map { .string("file:///day/\($0)") })
    #expect(try journal.notes("rating") == Array(repeating: .integer(3), count: 5))
    try Stores.open(journal.result, journal.newer) { context in
      let author = try #require(try context.all("Author").first)
      #expect(try author.objects(for: "notes").count == 5)
      #expect(try context.all("Tag").map { try $0.objects(for: "notes").count } == [3, 2])
    }
  }

  private static let values: [(property: String, expression: String, value: Value)] = [
    ("heading", "\"fixed\"", .string("fixed")),
    ("heading", "nil", .null),
    ("heading", "$source.author.name", .string("Ann")),
    ("heading", "$entityMapping.name", .string("EntryToNote")),
    ("heading", "$propertyMapping.name", .string("heading")),
    ("heading", "$manager.userInfo.motto", .string("carpe diem")),
    ("heading", "$source.link.lastPathComponent", .string("4")),
    ("heading", "$source.link.path", .string("/day/4")),
    ("heading", "$source.objectID.URIRepresentation.path", .string("/Entry/p5")),
    ("heading", "FUNCTION($source.title, \"uppercaseString\")", .string("DAY 4")),
    ("heading", "CAST($source.minutes, \"NSString\")", .string("4")),
    ("heading", "TERNARY($source.minutes > 3, \"long\", \"short\")", .string("long")),
    ("heading", "FUNCTION($manager, \"greet:\", $source.author)", .string("Hello Ann")),
    ("seconds", "$source.tags.@count + 1", .integer(2)),
    ("seconds", "$source.author.entries.@count", .integer(5)),
    ("seconds", "$source.title.length", .integer(5)),
    ("seconds", "-$source.minutes", .integer(-4)),
    ("seconds", "FUNCTION($manager, \"double:\", $source.minutes) + 1", .integer(9)),
    ("seconds", "SUBQUERY($source.author.entries, $e, $e.minutes > 1).@count", .integer(3)),
    (
      "seconds",
      "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Tag\", \"word == 'sea'\"), $manager.sourceContext, YES)",
      .integer(1)
    ),
    ("amount", "$source.minutes / 8.0", .decimal(0.5)),
    ("rating", "nil", .integer(3)),
    ("rating", "YES", .integer(1)),
  ]

  @Test("an expression gives its value", arguments: Self.values)
  func value(property: String, expression: String, value: Value) throws {
    var journal = try Journal()
    journal.set(property, expression)
    let manager = GreetingManager(sourceModel: journal.older, destinationModel: journal.newer)
    manager.userInfo["motto"] = "carpe diem"
    try journal.migrate(manager)
    #expect(try journal.notes(property).last == value)
  }

  private static let mistakes: [(property: String, expression: String, message: String)] = [
    ("heading", "$source.", "cannot be read"),
    ("heading", "$source.titel", "has no property \"titel\""),
    ("heading", "$source.author.nam", "Author of the source model has no property \"nam\""),
    ("heading", "$sorce.title", "no variable $sorce"),
    ("heading", "$source.minutes.host", "has no \"host\""),
    ("heading", "FUNCTION($entityPolicy, \"x\")", "has no migration policy"),
    ("heading", "FUNCTION($manager, \"greet\")", "no function \"greet\""),
    ("heading", "FUNCTION($manager, \"greet:manager\", $source, $manager)", "takes 1 operands, not 2"),
    ("heading", "FUNCTION($source, \"summary\")", "the method \"summary\" is not known"),
    ("heading", "$source.minutes", "Integer 64 cannot become one of the type String"),
    ("seconds", "$source.title", "String cannot become one of the type Integer 32"),
    ("writer", Journal.lookUp("EntryToEntry", "$source.author"), "no entity mapping \"EntryToEntry\""),
    (
      "writer",
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"autor\", $source.author)",
      "no relationship \"autor\""
    ),
  ]

  @Test("a mistake is found before anything is made, and named", arguments: Self.mistakes)
  func mistake(property: String, expression: String, message: String) throws {
    var journal = try Journal(entries: 0)
    journal.set(property, expression)
    let error = try #require(throws: MigrationError.self) { try journal.migrate() }
    #expect(error.mapping == "EntryToNote" && error.entity == "Note" && error.property == property)
    #expect(error.message.contains(message), "\(error)")
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
  }

  /// What a function of the program gives, of which nothing is known beforehand.
  private static func pass(_ operand: String) -> String { "FUNCTION($manager, \"pass:\", \(operand))" }

  private static let misfits: [(property: String, expression: String, message: String)] = [
    ("seconds", "$source.minutes * 0.3", "cannot become a value of the type Integer 32"),
    ("seconds", "($source.minutes + 1) * 4294967296", "cannot become a value of the type Integer 32"),
    ("heading", "FUNCTION($manager, \"double:\", $source.minutes)", "cannot become a value of the type String"),
    ("writer", Journal.lookUp("TagToTag", "$source.tags"), "gives a Tag, where a Author belongs"),
    ("writer", pass("$source"), "gives a Entry, where a Author belongs"),
    ("writer", pass("$source.title"), "where managed objects belong"),
  ]

  @Test("a value that does not fit names the object", arguments: Self.misfits)
  func misfit(property: String, expression: String, message: String) throws {
    var journal = try Journal()
    journal.set(property, expression)
    let error = try #require(throws: MigrationError.self) {
      try journal.migrate(GreetingManager(sourceModel: journal.older, destinationModel: journal.newer))
    }
    #expect(error.property == property && error.objectID?.entity.name == "Entry", "\(error)")
    #expect(error.message.contains(message), "\(error)")
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
  }

  @Test("filters and sub-entities select what they say")
  func filter() throws {
    var journal = try Journal()
    journal.editEntry { $0.sourceExpression = Journal.fetch("Entry", where: "minutes > 2 AND tags.word == 'sea'") }
    #expect(throws: MigrationError.self) { try journal.migrate() }
    journal.editEntry { $0.sourceExpression = Journal.fetch("Entry", where: "minutes > 2 AND ANY tags.word == 'sea'") }
    try journal.migrate()
    #expect(try journal.notes("heading") == [.string("day 4")])
  }

  @Test("several mapping models bring parts of a store over in turn")
  func parts() throws {
    var journal = try Journal()
    journal.editEntry { $0.sourceExpression = Journal.fetch("Entry", where: "minutes < 2") }
    try journal.migrate()
    journal.editEntry { $0.sourceExpression = Journal.fetch("Entry", where: "minutes >= 2") }
    journal.mapping.entityMappings.removeLast(2)
    journal.editEntry { $0.relationshipMappings = [] }
    try journal.migrate()
    #expect(try Stores.problems(journal.result, journal.newer) == [])
    #expect(try journal.notes("heading") == (0..<5).map { .string("day \($0)") })
  }
}

/// A manager with functions of its own.
private final class GreetingManager: MigrationManager {
  override var functions: [String: Function] {
    [
      "greet:": { operands in
        let name: String? = (operands[0] as? ManagedObject)?["name"]
        return "Hello \(name ?? "?")"
      },
      "double:": { operands in (operands[0] as? Int).map { 2 * $0 } },
      "pass:": { operands in operands[0] },
    ]
  }
}
