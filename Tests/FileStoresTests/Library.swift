import Foundation
import ObjectModel
import StoreInterface

/// A small model whose files can be written down in tests.
enum Library {
  static func model() throws -> ManagedObjectModel {
    var book = EntityDescription("Book")
    book.attributes = [
      AttributeDescription("title", .string), AttributeDescription("year", .integer32),
      AttributeDescription("added", .date), AttributeDescription("cover", .binary),
    ]
    book.uniquenessConstraints = [["title"]]
    book.relationships = [
      RelationshipDescription("shelf", toOne: "Shelf", inverse: "books"),
      RelationshipDescription("subjects", toMany: "Subject", inverse: "books"),
    ]
    var shelf = EntityDescription("Shelf")
    shelf.attributes = [AttributeDescription("label", .string)]
    shelf.uniquenessConstraints = [["label"]]
    shelf.relationships = [RelationshipDescription("books", toMany: "Book", inverse: "shelf")]
    var subject = EntityDescription("Subject")
    subject.attributes = [AttributeDescription("name", .string)]
    subject.uniquenessConstraints = [["name"]]
    subject.relationships = [RelationshipDescription("books", toMany: "Book", inverse: "subjects")]
    return try ManagedObjectModel(entities: [book, shelf, subject])
  }

  static func id(_ entity: String, _ key: Int64, in store: any PersistentStore) throws -> ObjectID {
    ObjectID(
      entity: try Museum.entity(entity, of: store.model),
      reference: .permanent(store: store.identifier, primaryKey: key))
  }

  /// One shelf, two books, one of them with every value, one subject.
  static func fill(_ store: any PersistentStore) throws {
    func reserve(_ entity: String) throws -> ObjectID {
      try id(entity, try store.reservePrimaryKeys(1, for: try Museum.entity(entity, of: store.model)), in: store)
    }
    let (shelf, dune, emma, subject) = (
      try reserve("Shelf"), try reserve("Book"), try reserve("Book"), try reserve("Subject")
    )
    var request = SaveRequest()
    request.inserted = [
      Snapshot(objectID: shelf, version: 1, attributes: [.string("A")], toOne: [nil]),
      Snapshot(
        objectID: dune, version: 1,
        attributes: [
          .date(Date(timeIntervalSinceReferenceDate: 86_400)), .data(Data([0, 255])), .string("Dune <1>"),
          .integer(1965),
        ], toOne: [shelf, nil]),
      Snapshot(objectID: emma, version: 1, attributes: [.null, .null, .string("Emma"), .null], toOne: [nil, nil]),
      Snapshot(objectID: subject, version: 1, attributes: [.string("sand")], toOne: [nil]),
    ]
    request.toMany = [SaveRequest.ToManyChange(owner: dune, relationshipName: "subjects", members: [subject])]
    try store.save(request)
  }
}
