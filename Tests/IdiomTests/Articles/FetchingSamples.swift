import Foundation
import Seedbed

func favorites(in context: ManagedObjectContext) throws -> [Recipe] {
  let request = Recipe.fetchRequest()
  request.predicate = FetchPredicate(format: "isFavorite == YES AND rating >= %@", 4.0)
  request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.title)]
  request.fetchLimit = 20
  return try context.fetch(request)
}

func recipes(matching text: String, in context: ManagedObjectContext) throws -> [Recipe] {
  let request = Recipe.fetchRequest()
  request.predicate = try FetchPredicate(parsing: text)
  return try context.fetch(request)
}

func recipes(by name: String, in context: ManagedObjectContext) throws -> (count: Int, ids: [ObjectID]) {
  let request = Recipe.fetchRequest()
  request.predicate = FetchPredicate(format: "author.name ==[cd] %@", name)
  return (try context.count(for: request), try context.objectIDs(for: request))
}

func bestRatings(in context: ManagedObjectContext) throws -> [String: Double] {
  let best = ExpressionDescription("best", FetchExpression(format: "max:(rating)"))
  let request = FetchRequest<[String: Any]>(entityName: "Recipe")
  request.propertiesToFetch = ["author.name", best]
  request.propertiesToGroupBy = ["author.name"]
  request.havingPredicate = FetchPredicate(format: "best > 4")
  var ratings: [String: Double] = [:]
  for row in try context.fetch(request) {
    if let name = row["author.name"] as? String { ratings[name] = row["best"] as? Double }
  }
  return ratings
}

func lengthOfAllTitles(in context: ManagedObjectContext) throws -> Int {
  let request = Recipe.fetchRequest()
  request.fetchBatchSize = 1_024
  request.relationshipKeyPathsForPrefetching = [\Recipe.author]
  return try context.fetchedObjects(request).reduce(0) { $0 + $1.title.count }
}

func titles(in context: ManagedObjectContext) async throws -> [String] {
  try await context.fetch {
    Recipe.fetchRequest()
  } _: { recipes in
    recipes.map(\.title)
  }
}

func shortTitles(in context: ManagedObjectContext) throws -> [Recipe] {
  let request = Recipe.fetchRequest()
  request.predicate = FetchPredicate(format: "rating >= 3")
  let isShort = FetchPredicate(block: { object, _ in (object as? Recipe)?.title.count == 4 })
  return try context.fetch(request).filter { isShort.evaluate(with: $0) }
}
