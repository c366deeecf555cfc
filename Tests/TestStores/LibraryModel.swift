package import ObjectModel

/// Books with an author, tags and ordered chapters, to which a test adds what it needs.
package struct LibraryModel {
  package var author = EntityDefinition("Author")
  package var book = EntityDefinition("Book")
  package var chapter = EntityDefinition("Chapter")
  package var tag = EntityDefinition("Tag")

  package init() {
    var isbn = AttributeDefinition("isbn", .string)
    isbn.preservesValueInHistoryOnDeletion = true
    book.attributes = [isbn]
    book.relationships = [
      RelationshipDefinition("author", toOne: "Author", inverse: "books"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "books"),
      RelationshipDefinition("chapters", toMany: "Chapter", inverse: "book", ordered: true),
    ]
    author.attributes = [AttributeDefinition("name", .string)]
    author.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "author")]
    tag.attributes = [AttributeDefinition("name", .string)]
    tag.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "tags")]
    chapter.attributes = [AttributeDefinition("number", .integer32)]
    chapter.relationships = [RelationshipDefinition("book", toOne: "Book", inverse: "chapters")]
  }

  package func model(_ others: EntityDefinition...) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [author, book, chapter, tag] + others)
  }
}
