import Foundation
import Seedbed
import Testing

@Suite("Idioms: aggregates")
struct AggregateIdioms {
  @Test("aggregates: one sum of all")
  func sum() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let total = ExpressionDescription()
      total.name = "total"
      total.expression = FetchExpression(forFunction: "sum:", arguments: [FetchExpression(forKeyPath: "rating")])
      total.expressionResultType = .double
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [total]
      #expect(try context.fetch(request).first?["total"] as? Double == 12.5)
    }
  }

  @Test("aggregates: counts by group")
  func group() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let count = ExpressionDescription()
      count.name = "count"
      count.expression = FetchExpression(forFunction: "count:", arguments: [FetchExpression(forKeyPath: "title")])
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.propertiesToFetch = ["author.name", count]
      request.propertiesToGroupBy = ["author.name"]
      let rows = try context.fetch(request)
      #expect(rows.map { $0["author.name"] as? String } == ["Ann", "Bob"])
      #expect(rows.map { $0["count"] as? Int } == [2, 1])
    }
  }

  @Test("aggregates: properties and groups by key paths")
  func keyPaths() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let best = ExpressionDescription("best", FetchExpression(format: "max:(rating)"))
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.propertiesToFetch = [\Recipe.title, \Recipe.rating, best]
      request.propertiesToGroupBy = [\Recipe.title, \Recipe.rating]
      request.sortDescriptors = [FetchSortDescriptor(keyPath: \Recipe.rating, ascending: false)]
      let rows = try context.fetch(request)
      #expect(rows.map { $0["title"] as? String } == ["Cake", "Soup", "Bread"])
      #expect(rows.map { $0["best"] as? Double } == [5, 4.5, 3])
    }
  }

  @Test("aggregates: a key path of several steps stops and says so")
  func longKeyPath() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.propertiesToFetch = [\Recipe.author?.name]
      try Kitchen.cook { _ = try $0.fetch(request) }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("write a path of several steps as text"))
  }

  @Test("aggregates: groups that meet a condition")
  func having() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let best = ExpressionDescription("best", FetchExpression(format: "max:(rating)"))
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.propertiesToFetch = ["author.name", best]
      request.propertiesToGroupBy = ["author.name"]
      request.havingPredicate = FetchPredicate(format: "best > 4")
      #expect(try context.fetch(request).map { $0["author.name"] as? String } == ["Ann"])
    }
  }

  @Test("aggregates: distinct values")
  func distinct() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = FetchRequest<[String: Any]>(entityName: "Recipe")
      request.propertiesToFetch = ["author.name"]
      request.returnsDistinctResults = true
      #expect(try context.fetch(request).count == 2)
    }
  }

  @Test("aggregates: collection operators in memory")
  func operators() throws {
    try Kitchen.cook { context in
      let ann = try #require(try Kitchen.stock(context)[0].author)
      #expect(ann.value(forKeyPath: "recipes.@avg.rating") as? Double == 4.75)
      #expect(ann.value(forKeyPath: "recipes.@sum.rating") as? Double == 9.5)
    }
  }
}
