import Foundation
import Seedbed

/// A model as the idioms of this folder use it, with the classes that a Core Data project would have.
enum Kitchen {
  static func model() throws -> ManagedObjectModel {
    var recipe = EntityDefinition("Recipe")
    var title = AttributeDefinition("title", .string)
    title.isOptional = false
    var servings = AttributeDefinition("servings", .integer16)
    servings.defaultValue = 4
    servings.minimumValue = 1
    recipe.attributes = [
      title, servings, AttributeDefinition("rating", .double), AttributeDefinition("price", .decimal),
      AttributeDefinition("created", .date), AttributeDefinition("saved", .date),
      AttributeDefinition("isFavorite", .boolean),
      AttributeDefinition("link", .uri), AttributeDefinition("code", .uuid), AttributeDefinition("picture", .binary),
    ]
    var steps = RelationshipDefinition("steps", toMany: "Step", inverse: "recipe", ordered: true)
    steps.deleteRule = .cascade
    recipe.relationships = [
      RelationshipDefinition("author", toOne: "Person", inverse: "recipes"), steps,
      RelationshipDefinition("tags", toMany: "Tag", inverse: "recipes"),
    ]
    var person = EntityDefinition("Person")
    person.attributes = [AttributeDefinition("name", .string), AttributeDefinition("age", .integer32)]
    person.relationships = [RelationshipDefinition("recipes", toMany: "Recipe", inverse: "author")]
    person.uniquenessConstraints = [["name"]]
    var step = EntityDefinition("Step")
    step.attributes = [AttributeDefinition("text", .string), AttributeDefinition("minutes", .integer32)]
    step.relationships = [RelationshipDefinition("recipe", toOne: "Recipe", inverse: "steps")]
    var tag = EntityDefinition("Tag")
    tag.attributes = [AttributeDefinition("name", .string)]
    tag.relationships = [RelationshipDefinition("recipes", toMany: "Recipe", inverse: "tags")]
    return try ManagedObjectModel(
      entities: [recipe, person, step, tag],
      fetchRequestTemplates: [
        FetchRequestTemplate("Favorites", entityName: "Recipe", predicate: "isFavorite == YES"),
        FetchRequestTemplate("ByTitle", entityName: "Recipe", predicate: "title == $TITLE"),
        FetchRequestTemplate("RatedBetween", entityName: "Recipe", predicate: "rating BETWEEN {$LOW, $HIGH}"),
      ], versionIdentifier: "Kitchen 1")
  }

  /// A stack in memory, with a context for the work.
  static func container() throws -> PersistentContainer {
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try model(),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)],
      classes: ["Recipe": Recipe.self, "Person": Person.self])
    try container.loadPersistentStores()
    return container
  }

  /// Runs an idiom in a context of a new stack.
  static func cook(_ body: (ManagedObjectContext) throws -> Void) throws {
    let context = try container().newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  /// Soup (4.5, by Ann), Bread (3, by Bob), Cake (5, by Ann, favourite), saved.
  @discardableResult
  static func stock(_ context: ManagedObjectContext) throws -> [Recipe] {
    var recipes: [Recipe] = []
    var people: [String: Person] = [:]
    for (title, rating, name) in [("Soup", 4.5, "Ann"), ("Bread", 3, "Bob"), ("Cake", 5, "Ann")] {
      let recipe = Recipe(context: context)
      recipe.title = title
      recipe["rating"] = rating
      recipe["isFavorite"] = title == "Cake"
      let author = people[name] ?? Person(context: context)
      author["name"] = name
      people[name] = author
      recipe.author = author
      recipes.append(recipe)
    }
    try context.save()
    return recipes
  }
}

/// Typed properties over the values, hooks and validation, as in a project of one's own.
final class Recipe: ManagedObject, PropertyNaming {
  var title: String {
    get { self["title"] ?? "" }
    set { self["title"] = newValue }
  }
  var rating: Double? {
    get { self["rating"] }
    set { self["rating"] = newValue }
  }
  var author: Person? {
    get { self["author"] }
    set { self["author"] = newValue }
  }
  var steps: [ManagedObject] { members(of: "steps") }
  var fetchCount = 0
  var saves: [String] = []

  var initial: String? { title.first.map { String($0) } }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "created")
  }

  override func awakeFromFetch() {
    super.awakeFromFetch()
    fetchCount += 1
  }

  override func willSave() {
    super.willSave()
    saves.append("will")
    if !isDeleted, title.hasSuffix(" ") { title = title.trimmingCharacters(in: .whitespaces) }
    if !isDeleted, managedObjectContext?.userInfo["keepsTimes"] != nil { setPrimitiveValue(Date(), forKey: "saved") }
  }

  override func didSave() {
    super.didSave()
    saves.append("did")
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    if title == "Poison" { throw KitchenError.poison }
  }

  static func propertyName(for keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \Recipe.title: "title"
    case \Recipe.rating: "rating"
    case \Recipe.author: "author"
    default: nil
    }
  }
}

final class Person: ManagedObject, PropertyNaming {
  var name: String? {
    get { self["name"] }
    set { self["name"] = newValue }
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    managedObjectContext?.userInfo["deleted"] = name ?? ""
  }

  static func propertyName(for keyPath: AnyKeyPath) -> String? { keyPath == \Person.name ? "name" : nil }
}

enum KitchenError: Error { case poison }
