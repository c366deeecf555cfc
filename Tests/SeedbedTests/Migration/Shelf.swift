import Foundation
import Seedbed
import TestSupport

/// A model of books in three versions: a title; the title as heading, and pages; an author's name besides.
enum Shelf {
  /// The versions, the oldest first.
  static func models() throws -> [ManagedObjectModel] {
    try [
      [AttributeDefinition("title", .string)],
      [renamed("heading", "title"), AttributeDefinition("pages", .integer32)],
      [
        renamed("heading", "title"), AttributeDefinition("pages", .integer32), AttributeDefinition("author", .string),
      ],
    ].map { attributes in
      var book = EntityDefinition("Book")
      book.attributes = attributes
      book.relationships = [RelationshipDefinition("next", toOne: "Book")]
      return try ManagedObjectModel(entities: [book])
    }
  }

  private static func renamed(_ name: String, _ before: String) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .string)
    attribute.renamingIdentifier = before
    return attribute
  }

  static func library(_ mappings: [ModelLibrary.Mapping] = []) throws -> ModelLibrary {
    ModelLibrary(
      versions: try models().enumerated().map { ModelLibrary.Version(name: "Shelf \($0 + 1)", model: $1) },
      mappings: mappings)
  }

  /// Makes a store of the first version with two books, one behind the other.
  static func fill(_ type: some PersistentStoreType, _ url: URL) throws {
    try open(type, url, try models()[0], migrator: nil) { context in
      let books = try ["Dune", "Emma"].map { title in
        let book = context.insert(try context.book)
        book["title"] = .string(title)
        return book
      }
      books[0].setObject(books[1], for: "next")
      try context.save()
    }
  }

  /// Opens a store, does something in a context, and closes the store.
  @discardableResult
  static func open<Result>(
    _ type: some PersistentStoreType, _ url: URL, _ model: ManagedObjectModel, migrator: (any StoreMigrating)?,
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    coordinator.storeMigrator = migrator
    let store = try coordinator.addPersistentStore(with: PersistentStoreDescription(type: type, url: url))
    defer { try? coordinator.remove(store) }
    let context = ManagedObjectContext(coordinator: coordinator, name: "shelf")
    return try context.performAndWait { try body(context) }
  }

  /// The model's versions as Xcode has them, the last one current; without the first where that is asked for.
  static func write(to folder: TemporaryFolder, withoutFirst: Bool = false) throws -> URL {
    let folder = folder.file("Shelf.xcdatamodeld")
    for (index, model) in try models().enumerated() where index > 0 || !withoutFirst {
      try ModelWriter.write(model, path: folder.path, version: index == 0 ? "Shelf" : "Shelf \(index + 1)")
    }
    return folder
  }
}

extension ManagedObjectContext {
  /// The entity of the shelf's books.
  var book: Entity {
    get throws {
      guard let entity = persistentStoreCoordinator?.managedObjectModel["Book"] else {
        throw StoreError.failure("there is no entity Book")
      }
      return entity
    }
  }

  /// Each book's heading and that of the next one.
  func headings() throws -> [String] {
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    request.sortDescriptors = [FetchSortDescriptor(["heading"])]
    return try fetch(request).map { book in
      let texts = [book["heading"] as Value?, book.object(for: "next")?["heading"]]
      return texts.map { $0?.string ?? "-" }.joined(separator: " → ")
    }
  }
}
