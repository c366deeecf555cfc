import Foundation
import ObjectModel

/// Models of our own for the tests.
enum Models {
  /// One attribute of every type.
  static func types() throws -> ManagedObjectModel {
    var sample = EntityDefinition("Sample")
    sample.attributes = [
      .init("small", .integer16), .init("medium", .integer32), .init("large", .integer64), .init("exact", .decimal),
      .init("real", .double), .init("single", .float), .init("text", .string), .init("flag", .boolean),
      .init("day", .date), .init("bytes", .binary), .init("uuid", .uuid), .init("link", .uri),
      .init("object", .transformable),
    ]
    var external = AttributeDefinition("image", .binary)
    external.allowsExternalBinaryDataStorage = true
    var passing = AttributeDefinition("passing", .string)
    passing.isTransient = true
    var named = AttributeDefinition("named", .string)
    named.defaultValue = .string("nobody")
    sample.attributes += [external, passing, named]
    return try ManagedObjectModel(entities: [sample])
  }

  /// Stops and routes: inheritance, every form of relationship, constraints, indexes.
  static func transit() throws -> ManagedObjectModel {
    var place = EntityDefinition("Place")
    place.isAbstract = true
    place.attributes = [.init("name", .string)]
    var stop = EntityDefinition("Stop")
    stop.superentityName = "Place"
    var zone = AttributeDefinition("zone", .integer16)
    zone.defaultValue = .integer(7)
    stop.attributes = [.init("identifier", .string), zone, .init("latitude", .double), .init("longitude", .double)]
    stop.relationships = [
      .init("parent", toOne: "Place", inverse: "children"),
      .init("routes", toMany: "Route", inverse: "stops"),
      .init("neighbours", toMany: "Stop", inverse: "neighbours"),
      .init("transfersTo", toMany: "Stop", inverse: "transfersFrom"),
      .init("transfersFrom", toMany: "Stop", inverse: "transfersTo"),
    ]
    stop.uniquenessConstraints = [["identifier"]]
    stop.fetchIndexes = [
      .init(
        "byPlace",
        elements: [
          .init(.property("latitude"), kind: .rTree), .init(.property("longitude"), kind: .rTree),
        ])
    ]
    var station = EntityDefinition("Station")
    station.superentityName = "Stop"
    place.relationships = [.init("children", toMany: "Stop", inverse: "parent", ordered: true)]
    var route = EntityDefinition("Route")
    route.attributes = [.init("code", .string), .init("colour", .string)]
    route.relationships = [
      .init("stops", toMany: "Stop", inverse: "routes", ordered: true),
      .init("notes", toMany: "Note"),
    ]
    route.uniquenessConstraints = [["code"]]
    var note = EntityDefinition("Note")
    note.attributes = [.init("text", .string)]
    return try ManagedObjectModel(entities: [place, stop, station, route, note])
  }

  /// A counted relationship.
  static func library() throws -> ManagedObjectModel {
    var shelf = EntityDefinition("Shelf")
    var count = AttributeDefinition("bookCount", .integer64)
    count.derivation = .init(expression: "count:(books)")
    shelf.attributes = [count, .init("label", .string)]
    shelf.relationships = [.init("books", toMany: "Book", inverse: "shelf")]
    var book = EntityDefinition("Book")
    book.attributes = [.init("title", .string)]
    book.relationships = [.init("shelf", toOne: "Shelf", inverse: "books")]
    return try ManagedObjectModel(entities: [shelf, book])
  }
}
