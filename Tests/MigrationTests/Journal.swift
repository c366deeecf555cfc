import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import TestSupport

/// A diary in two versions of our own, its mapping model, and a store of the older one.
struct Journal {
  let folder: TemporaryFolder
  private let place: URL
  let older: ManagedObjectModel
  let newer: ManagedObjectModel
  var mapping: MappingModel

  var source: URL { place.appendingPathComponent("journal.sqlite") }
  var result: URL { place.appendingPathComponent("new.sqlite") }

  /// - Parameter count: how many entries; each third one has a place, and all have the one author.
  /// - Parameter path: the folder of a journal that is there already, made in another process.
  init(
    entries count: Int = 5, at path: String? = nil, edit: (inout [EntityDefinition]) -> Void = { _ in }
  ) throws {
    folder = try TemporaryFolder()
    place = path.map { URL(fileURLWithPath: $0) } ?? folder.url
    var entry = EntityDefinition("Entry")
    entry.attributes = [
      AttributeDefinition("title", .string), AttributeDefinition("minutes", .integer64),
      AttributeDefinition("link", .uri), AttributeDefinition("picture", .binary),
      AttributeDefinition("mood", .string),
    ]
    entry.relationships = [
      RelationshipDefinition("author", toOne: "Author", inverse: "entries"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "entries"),
    ]
    var author = EntityDefinition("Author")
    author.attributes = [AttributeDefinition("name", .string)]
    author.relationships = [RelationshipDefinition("entries", toMany: "Entry", inverse: "author")]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("word", .string)]
    tag.relationships = [RelationshipDefinition("entries", toMany: "Entry", inverse: "tags")]
    older = try ManagedObjectModel(entities: [entry, author, tag])
    var note = EntityDefinition("Note")
    var rating = AttributeDefinition("rating", .integer16)
    rating.isOptional = false
    rating.defaultValue = .integer(3)
    note.attributes = [
      AttributeDefinition("heading", .string), AttributeDefinition("seconds", .integer32),
      AttributeDefinition("address", .string), AttributeDefinition("size", .integer32),
      AttributeDefinition("amount", .decimal), rating,
    ]
    note.relationships = [
      RelationshipDefinition("writer", toOne: "Author", inverse: "notes"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "notes"),
    ]
    author.relationships = [RelationshipDefinition("notes", toMany: "Note", inverse: "writer")]
    tag.relationships = [RelationshipDefinition("notes", toMany: "Note", inverse: "tags")]
    var entities = [note, author, tag]
    edit(&entities)
    newer = try ManagedObjectModel(entities: entities)
    mapping = Self.standardMapping
    if path != nil { return }
    try Stores.write(source, older) { context in
      let author = try context.insert("Author", ["name": "Ann"])
      let tags = try ["sea", "hill"].map { try context.insert("Tag", ["word": $0]) }
      for number in 0..<count {
        let entry = try context.insert(
          "Entry",
          [
            "title": "day \(number)", "minutes": number, "link": URL(filePath: "/day/\(number)"),
            "picture": Data(repeating: 1, count: number), "author": author,
          ])
        entry.setValue([tags[number % 2]], forKey: "tags")
      }
    }
  }

  static func fetch(_ entity: String, where predicate: String = "TRUEPREDICATE") -> String {
    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"\(entity)\", \"\(predicate)\"), "
      + "$manager.sourceContext, NO)"
  }

  static func lookUp(_ mapping: String, _ instances: String) -> String {
    "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"\(mapping)\", \(instances))"
  }

  private static var standardMapping: MappingModel {
    var entry = EntityMapping("EntryToNote", .transform, from: "Entry", to: "Note")
    entry.sourceExpression = fetch("Entry")
    entry.attributeMappings = [
      PropertyMapping("address", "$source.link.absoluteString"), PropertyMapping("amount", "$source.minutes"),
      PropertyMapping("heading", "$source.title"), PropertyMapping("rating"),
      PropertyMapping("seconds", "$source.minutes * 60"), PropertyMapping("size", "$source.picture.length"),
    ]
    entry.relationshipMappings = [
      PropertyMapping("tags", lookUp("TagToTag", "$source.tags")),
      PropertyMapping("writer", lookUp("AuthorToAuthor", "$source.author")),
    ]
    var author = EntityMapping("AuthorToAuthor", .copy, from: "Author", to: "Author")
    author.sourceExpression = fetch("Author")
    author.attributeMappings = [PropertyMapping("name", "$source.name")]
    var tag = EntityMapping("TagToTag", .copy, from: "Tag", to: "Tag")
    tag.sourceExpression = fetch("Tag")
    tag.attributeMappings = [PropertyMapping("word", "$source.word")]
    return MappingModel(entityMappings: [entry, author, tag])
  }

  /// Changes the entity mapping of the entries.
  mutating func editEntry(_ edit: (inout EntityMapping) -> Void) { edit(&mapping.entityMappings[0]) }

  /// Sets the expression of a property of the entries' mapping.
  mutating func set(_ property: String, _ expression: String?) {
    editEntry { mapping in
      for index in mapping.attributeMappings.indices where mapping.attributeMappings[index].name == property {
        mapping.attributeMappings[index].valueExpression = expression
      }
      for index in mapping.relationshipMappings.indices where mapping.relationshipMappings[index].name == property {
        mapping.relationshipMappings[index].valueExpression = expression
      }
    }
  }

  func manager(_ policies: MigrationPolicies = MigrationPolicies()) -> MigrationManager {
    let manager = MigrationManager(sourceModel: older, destinationModel: newer)
    manager.migrationPolicies = policies
    manager.batchSize = 2
    return manager
  }

  func migrate(_ manager: MigrationManager? = nil) throws {
    try (manager ?? self.manager()).migrateStore(
      from: source, type: .sqlite, mapping: mapping, to: result, type: .sqlite)
  }

  /// The values of an attribute of all notes of the result.
  func notes(_ attribute: String) throws -> [Value] {
    try Stores.open(result, newer) { try $0.all("Note").map { $0[attribute] ?? .null } }
  }
}
