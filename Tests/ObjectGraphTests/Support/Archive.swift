import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport

/// A model with an inherited and a compound uniqueness constraint: items (books, records) have a code; chapters are
/// unique by book and number; tags are many-to-many.
struct Archive: TestGraph {
  private let folder: TemporaryFolder
  let kind: StoreKind
  let container: PersistentContainer
  let item: Entity
  let book: Entity
  let chapter: Entity
  let tag: Entity

  init(_ kind: StoreKind) throws {
    self.kind = kind
    var item = EntityDefinition("Item")
    item.isAbstract = true
    var count = AttributeDefinition("count", .integer32)
    count.defaultValue = .integer(0)
    item.attributes = [
      AttributeDefinition("code", .string), AttributeDefinition("title", .string),
      AttributeDefinition("note", .string),
      count,
    ]
    item.uniquenessConstraints = [["code"]]
    item.relationships = [RelationshipDefinition("tags", toMany: "Tag", inverse: "items")]
    var book = EntityDefinition("Book")
    book.superentityName = "Item"
    var chapters = RelationshipDefinition("chapters", toMany: "Chapter", inverse: "book")
    chapters.deleteRule = .cascade
    book.relationships = [chapters]
    var record = EntityDefinition("Record")
    record.superentityName = "Item"
    var chapter = EntityDefinition("Chapter")
    chapter.attributes = [AttributeDefinition("number", .integer32), AttributeDefinition("text", .string)]
    chapter.relationships = [RelationshipDefinition("book", toOne: "Book", inverse: "chapters")]
    chapter.uniquenessConstraints = [["book", "number"]]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("name", .string)]
    tag.relationships = [RelationshipDefinition("items", toMany: "Item", inverse: "tags")]
    let model = try ManagedObjectModel(entities: [item, book, record, chapter, tag])
    folder = try TemporaryFolder()
    container = try PersistentContainer(name: "archive", model: model, store: try kind.makeStore(model, in: folder))
    self.item = try model.required("Item")
    self.book = try model.required("Book")
    self.chapter = try model.required("Chapter")
    self.tag = try model.required("Tag")
  }

  @discardableResult
  func add(_ context: ManagedObjectContext, _ code: String, title: String? = nil, note: String? = nil) -> ManagedObject
  {
    let object = context.insert(book)
    object["code"] = .string(code)
    if let title { object["title"] = .string(title) }
    if let note { object["note"] = .string(note) }
    return object
  }

  func find(_ context: ManagedObjectContext, _ code: String) throws -> ManagedObject? {
    var request = FetchSpecification(item)
    request.predicate = .comparison(["code"], .equal, .string(code))
    return try context.fetch(request).first
  }

  /// Every item of the store as `code title note #key vVersion`, by key.
  func items() throws -> [String] {
    try store.snapshots(FetchSpecification(item)).map { row in
      let names = row.objectID.entity.attributes.map(\.name)
      let values = ["code", "title", "note"].map { name in
        names.firstIndex(of: name).map { row.attributes[$0].text } ?? "?"
      }
      return values.joined(separator: " ") + " #\(row.objectID.primaryKey ?? 0) v\(row.version)"
    }
  }
}
