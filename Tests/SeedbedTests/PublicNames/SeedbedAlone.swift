import Seedbed

/// A program of the engine with one import: a model, a store in memory, objects, a fetch. Dates and URLs are
/// Foundation's, which comes along.
func titlesOfLongBooks() throws -> [String] {
  var book = EntityDefinition("Book")
  book.attributes = [
    AttributeDefinition("title", .string), AttributeDefinition("pages", .integer32),
    AttributeDefinition("published", .date), AttributeDefinition("shop", .uri),
  ]
  let model = try ManagedObjectModel(entities: [book])
  let container = PersistentContainer(
    name: "Books", managedObjectModel: model, persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)]
  )
  try container.loadPersistentStores()
  guard let entity = model["Book"] else { return [] }
  let context = container.newBackgroundContext()
  return try context.performAndWait {
    for (title, pages) in [("Middlemarch", 880), ("The Old Man and the Sea", 127), ("War and Peace", 1_225)] {
      let object = context.insert(entity)
      object["title"] = title
      object["pages"] = pages
      object["published"] = Date(timeIntervalSinceReferenceDate: 0)
      object["shop"] = URL(string: "https://example.com")
    }
    try context.save()
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    request.predicate = FetchPredicate(format: "pages > %@ AND published < %@", 500, Date.now)
    request.sortDescriptors = [FetchSortDescriptor(key: "title")]
    return try context.fetch(request).compactMap { $0["title"] }
  }
}
