import Foundation
import ObjectModel

/// The model of these tests: what a user owns (shelves of books) in one configuration, what ships with the app
/// (genres) in the other; books are in both, so that one entity lies in two stores.
enum Library {
  struct MissingEntity: Error {}

  static func entity(_ name: String, of model: ManagedObjectModel) throws -> Entity {
    guard let entity = model[name] else { throw MissingEntity() }
    return entity
  }

  static func model() throws -> ManagedObjectModel {
    var shelf = EntityDescription("Shelf")
    shelf.attributes = [AttributeDescription("label", .string)]
    shelf.relationships = [RelationshipDescription("books", toMany: "Book", inverse: "shelf")]
    var book = EntityDescription("Book")
    book.attributes = [AttributeDescription("title", .string), AttributeDescription("year", .integer32)]
    book.relationships = [RelationshipDescription("shelf", toOne: "Shelf", inverse: "books")]
    var genre = EntityDescription("Genre")
    genre.attributes = [AttributeDescription("name", .string)]
    return try ManagedObjectModel(
      entities: [shelf, book, genre],
      configurations: ["User": ["Shelf", "Book"], "Shipped": ["Book", "Genre"]])
  }
}
