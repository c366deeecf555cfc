import Foundation
import ObjectModel
import StoreInterface
import TestStores

/// A small model whose files can be written down in tests.
enum Library {
  static func model() throws -> ManagedObjectModel {
    var book = EntityDefinition("Book")
    book.attributes = [
      AttributeDefinition("title", .string), AttributeDefinition("year", .integer32),
      AttributeDefinition("added", .date), AttributeDefinition("cover", .binary),
    ]
    book.uniquenessConstraints = [["title"]]
    book.relationships = [
      RelationshipDefinition("shelf", toOne: "Shelf", inverse: "books"),
      RelationshipDefinition("subjects", toMany: "Subject", inverse: "books"),
    ]
    var shelf = EntityDefinition("Shelf")
    shelf.attributes = [AttributeDefinition("label", .string)]
    shelf.uniquenessConstraints = [["label"]]
    shelf.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "shelf")]
    var subject = EntityDefinition("Subject")
    subject.attributes = [AttributeDefinition("name", .string)]
    subject.uniquenessConstraints = [["name"]]
    subject.relationships = [RelationshipDefinition("books", toMany: "Book", inverse: "subjects")]
    return try ManagedObjectModel(entities: [book, shelf, subject])
  }

  static func id(_ entity: String, _ key: Int64, in store: any PersistentStore) throws -> ObjectID {
    ObjectID(
      entity: try store.model.required(entity),
      reference: .permanent(store: store.identifier, primaryKey: key))
  }

  /// One shelf, two books, one of them with every value, one subject.
  static func fill(_ store: any PersistentStore) throws {
    func reserve(_ entity: String) throws -> ObjectID {
      try id(entity, try store.reservePrimaryKeys(1, for: try store.model.required(entity)), in: store)
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
