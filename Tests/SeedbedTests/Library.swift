import Foundation
import ObjectModel

/// The model of these tests: what a user owns (shelves of books) in one configuration, what ships with the app
/// (genres) in the other; books are in both, so that one entity lies in two stores.
enum Library {
  static func model() throws -> ManagedObjectModel {
    var shelf = EntityDefinition("Shelf")
    shelf.attributes = [AttributeDefinition("label", .string)]
    shelf.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "shelf")]
    var book = EntityDefinition("Book")
    book.attributes = [AttributeDefinition("title", .string), AttributeDefinition("year", .integer32)]
    book.relationships = [RelationshipDefinition("shelf", toOne: "Shelf", inverse: "books")]
    var genre = EntityDefinition("Genre")
    genre.attributes = [AttributeDefinition("name", .string)]
    return try ManagedObjectModel(
      entities: [shelf, book, genre],
      configurations: ["User": ["Shelf", "Book"], "Shipped": ["Book", "Genre"]])
  }
}
