import Foundation
import Seedbed
import SeedbedTesting

/// A model with every type of attribute, every kind of relationship, and rules for both.
enum Journal {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [author, profile, entry, photo, tag])
  }

  private static func required(_ name: String, _ type: AttributeType) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = false
    return attribute
  }

  private static var author: EntityDefinition {
    var entity = EntityDefinition("Author")
    var name = required("name", .string)
    name.minimumValue = 3
    name.maximumValue = 24
    entity.attributes = [name]
    var profile = RelationshipDefinition("profile", toOne: "Profile", inverse: "author")
    profile.isOptional = false
    var entries = RelationshipDefinition("entries", toMany: "Entry", inverse: "author")
    entries.deleteRule = .cascade
    entity.relationships = [
      profile, entries, RelationshipDefinition("friends", toMany: "Author", inverse: "friends"),
    ]
    entity.uniquenessConstraints = [["name"]]
    return entity
  }

  private static var profile: EntityDefinition {
    var entity = EntityDefinition("Profile")
    var address = AttributeDefinition("address", .composite)
    address.composite = .init(name: "Address", elements: [AttributeDefinition("city", .string)])
    entity.attributes = [
      address, required("link", .uri), AttributeDefinition("picture", .binary),
      AttributeDefinition("colours", .transformable),
    ]
    entity.relationships = [RelationshipDefinition("author", toOne: "Author", inverse: "profile")]
    return entity
  }

  private static var entry: EntityDefinition {
    var entity = EntityDefinition("Entry")
    var rating = required("rating", .integer16)
    rating.minimumValue = 1
    rating.maximumValue = 5
    var date = required("date", .date)
    date.minimumValue = .date(Date(timeIntervalSinceReferenceDate: 0))
    var price = AttributeDefinition("price", .decimal)
    price.minimumValue = .decimal(1)
    var mood = required("mood", .string)
    mood.regularExpression = "good|bad"
    mood.defaultValue = "good"
    entity.attributes = [
      required("title", .string), rating, date, price, mood, required("code", .uuid), required("serial", .integer32),
      AttributeDefinition("height", .double), AttributeDefinition("period", .float),
      AttributeDefinition("views", .integer64), AttributeDefinition("isPublic", .boolean),
    ]
    var author = RelationshipDefinition("author", toOne: "Author", inverse: "entries")
    author.isOptional = false
    var tags = RelationshipDefinition("tags", toMany: "Tag", inverse: "entries", ordered: true)
    tags.maximumCount = 4
    entity.relationships = [
      author, tags, RelationshipDefinition("reply", toOne: "Entry", inverse: "replies"),
      RelationshipDefinition("replies", toMany: "Entry", inverse: "reply"),
    ]
    entity.uniquenessConstraints = [["code"], ["serial"]]
    return entity
  }

  private static var photo: EntityDefinition {
    var entity = EntityDefinition("Photo")
    entity.superentityName = "Entry"
    entity.attributes = [AttributeDefinition("size", .integer32)]
    return entity
  }

  private static var tag: EntityDefinition {
    var entity = EntityDefinition("Tag")
    entity.attributes = [required("name", .string)]
    entity.relationships = [RelationshipDefinition("entries", toMany: "Entry", inverse: "tags")]
    entity.uniquenessConstraints = [["name"]]
    return entity
  }

  /// Authors with a profile and an entry each, which have one tag.
  static func fixtures(_ names: [String], _ model: ManagedObjectModel) throws -> Fixtures {
    var fixtures = Fixtures(model)
    try fixtures.add(#"{"_id":"tag","name":"surf"}"#, entityName: "Tag")
    for (number, name) in names.enumerated() {
      try fixtures.add(#"{"_id":"\#(name)","name":"\#(name)","profile":"\#(name)'s"}"#, entityName: "Author")
      try fixtures.add(#"{"_id":"\#(name)'s","link":"https://example.com/\#(name)"}"#, entityName: "Profile")
      try fixtures.add(
        #"{"_id":"by \#(name)","title":"By \#(name)","rating":3,"date":"2026-01-0\#(number + 1)T00:00:00Z","serial":\#(number),"#
          + #""code":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B1\#(number)","author":"\#(name)","tags":["tag"]}"#,
        entityName: "Entry")
    }
    return fixtures
  }

  /// Fills a store with Ann, Bob and Cleo.
  /// - Returns: their ids.
  @discardableResult
  static func fill(_ container: PersistentContainer) throws -> [ObjectID] {
    let context = container.newBackgroundContext(name: "filler")
    return try context.performAndWait {
      let names = ["Ann", "Bob", "Cleo"]
      let objects = try fixtures(names, container.managedObjectModel).insert(into: context)
      try context.save()
      return names.compactMap { objects[$0]?.objectID }
    }
  }

  /// A stack over a new SQLite file.
  static func container(at url: URL, failures: StoreFailures? = nil) throws -> PersistentContainer {
    var description = PersistentStoreDescription(type: .sqlite, url: url)
    if let failures { description = PersistentStoreDescription(type: .failing(.sqlite, failures), url: url) }
    let container = try PersistentContainer(
      name: "Journal", managedObjectModel: model(), persistentStoreDescriptions: [description])
    try container.loadPersistentStores()
    return container
  }
}
