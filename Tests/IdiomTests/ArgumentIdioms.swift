import Foundation
import Seedbed
import Testing

/// What stands for `%@`.
@Suite("Idioms: arguments")
struct ArgumentIdioms {
  /// How many recipes a predicate selects, by the store and one by one, which must agree.
  private func count(_ predicate: FetchPredicate, _ context: ManagedObjectContext) throws -> Int {
    let request = Recipe.fetchRequest()
    request.predicate = predicate
    let found = try context.count(for: request)
    let all = try context.fetch(Recipe.fetchRequest())
    predicate.allowEvaluation()
    #expect(all.count { predicate.evaluate(with: $0) } == found, "\(predicate.predicateFormat)")
    return found
  }

  private let code = UUID(uuidString: "0D4C3E1A-6E0A-4E60-9E5A-0C7B9E2D4F11")
  private let link = URL(string: "https://example.com/soup")

  private func stocked(_ body: (ManagedObjectContext) throws -> Void) throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      for (index, recipe) in recipes.enumerated() {
        recipe.setValue(index + 1, forKey: "servings")
        recipe.setValue(Decimal(index) + 0.25, forKey: "price")
      }
      recipes[0].setValue(code, forKey: "code")
      recipes[0].setValue(link, forKey: "link")
      recipes[0].setValue(Data([1, 2]), forKey: "picture")
      recipes[0].setValue(Date(timeIntervalSinceReferenceDate: 60), forKey: "created")
      try context.save()
      try body(context)
    }
  }

  private func numbers<Number: PredicateArgument & Hashable & ExpressibleByIntegerLiteral>(
    _ type: Number.Type, _ context: ManagedObjectContext
  ) throws {
    let (two, three): (Number, Number) = (2, 3)
    #expect(try count(FetchPredicate(format: "servings == %@", two), context) == 1, "\(type)")
    #expect(try count(FetchPredicate(format: "servings IN %@", [two, three]), context) == 2, "[\(type)]")
    #expect(try count(FetchPredicate(format: "servings IN %@", Set([two, three])), context) == 2, "Set<\(type)>")
    #expect(try count(FetchPredicate(format: "servings BETWEEN %@", [two, three]), context) == 2, "\(type) between")
    #expect(try count(FetchPredicate(format: "servings IN %@", [Number]()), context) == 0, "no \(type)")
  }

  @Test("arguments: numbers of every type, their arrays and sets")
  func numbers() throws {
    try stocked { context in
      try numbers(Int.self, context)
      try numbers(Int8.self, context)
      try numbers(Int16.self, context)
      try numbers(Int32.self, context)
      try numbers(Int64.self, context)
      try numbers(UInt.self, context)
      try numbers(UInt8.self, context)
      try numbers(UInt16.self, context)
      try numbers(UInt32.self, context)
      try numbers(UInt64.self, context)
      try numbers(Float.self, context)
      try numbers(Double.self, context)
      try numbers(Decimal.self, context)
    }
  }

  @Test("arguments: UUIDs, URLs, data, dates and decimals, their arrays and sets")
  func others() throws {
    let code = try #require(code)
    let link = try #require(link)
    let price = try #require(Decimal(string: "1.25"))
    let (data, date) = (Data([1, 2]), Date(timeIntervalSinceReferenceDate: 60))
    try stocked { context in
      func check<Argument: PredicateArgument & Hashable>(_ key: String, _ argument: Argument) throws {
        #expect(try count(FetchPredicate(format: "%K == %@", key, argument), context) == 1, "\(key)")
        #expect(try count(FetchPredicate(format: "%K IN %@", key, [argument]), context) == 1, "[\(key)]")
        #expect(try count(FetchPredicate(format: "%K IN %@", key, Set([argument])), context) == 1, "Set of \(key)")
      }
      try check("code", code)
      try check("link", link)
      try check("price", price)
      try check("picture", data)
      try check("created", date)
    }
  }

  @Test("arguments: Foundation's classes")
  func foundation() throws {
    let code = try #require(code)
    try stocked { context in
      let cases: [(String, any PredicateArgument, Int)] = [
        ("servings == %@", 2 as NSNumber, 1), ("rating == %@", NSNumber(value: 4.5), 1),
        ("isFavorite == %@", NSNumber(value: true), 1), ("price == %@", NSDecimalNumber(string: "1.25"), 1),
        ("title == %@", "Soup" as NSString, 1), ("created == %@", NSDate(timeIntervalSinceReferenceDate: 60), 1),
        ("picture == %@", NSData(data: Data([1, 2])), 1), ("code == %@", code as NSUUID, 1),
        ("link == %@", NSURL(string: "https://example.com/soup"), 1), ("code == %@", NSNull(), 2),
        ("title IN %@", NSArray(array: ["Soup", "Cake"]), 2), ("title IN %@", NSSet(array: ["Soup", "Pie"]), 1),
        ("servings IN %@", NSArray(array: [1, 2]), 2),
      ]
      for (format, argument, expected) in cases {
        let found = try count(FetchPredicate(format: format, argument), context)
        #expect(found == expected, "\(format) \(argument)")
      }
    }
  }

  @Test("arguments: an array of anything")
  func array() throws {
    try stocked { context in
      let arguments: [Any] = ["title", "Soup", 4.5, ["Ann", "Bob"], NSNull()]
      let predicate = FetchPredicate(
        format: "%K == %@ AND rating == %@ AND author.name IN %@ AND code != %@", argumentArray: arguments)
      let found = try count(predicate, context)
      let all = try count(FetchPredicate(format: "TRUEPREDICATE", argumentArray: nil as [Any]?), context)
      #expect(found == 1 && all == 3)
    }
  }

  @Test("arguments: what cannot be one stops the program")
  func refused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FetchPredicate(format: "title == %@", argumentArray: [NSObject()] as [Any])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("cannot be an argument"))
  }

  @Test("arguments: values for variables, asked of one object")
  func variables() throws {
    try stocked { context in
      let template = FetchPredicate(format: "title == $TITLE AND rating < $MAX")
      let soup = try #require(try context.fetch(Recipe.fetchRequest()).first { $0.title == "Soup" })
      #expect(template.evaluate(with: soup, substitutionVariables: ["TITLE": "Soup", "MAX": 5]))
      #expect(!template.evaluate(with: soup, substitutionVariables: ["TITLE": "Soup", "MAX": 4]))
    }
  }

  @Test("arguments: a boolean attribute takes the numbers 0 and 1")
  func booleans() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe.setValue(1, forKey: "isFavorite")
      #expect(recipe.value(forKey: "isFavorite") as? Bool == true && recipe["isFavorite"]?.boolean == true)
      recipe.setValue(NSNumber(value: 0), forKey: "isFavorite")
      #expect(recipe.value(forKey: "isFavorite") as? Bool == false)
    }
  }

  @Test("arguments: cast to CVarArg")
  func variadic() throws {
    try stocked { context in
      let (code, link) = (try #require(code), try #require(link))
      let created = Date(timeIntervalSinceReferenceDate: 60)
      #expect(try count(FetchPredicate(format: "code == %@", code as any CVarArg), context) == 1)
      #expect(
        try count(
          FetchPredicate(format: "link = %@ AND created <= %@", link as any CVarArg, created as any CVarArg), context)
          == 1)
      #expect(try count(FetchPredicate(format: "picture == %@", Data([1, 2]) as any CVarArg), context) == 1)
      #expect(
        try count(FetchPredicate(format: "price == %@ OR servings > %d", Decimal(0.25) as any CVarArg, 2), context) == 2
      )
      #expect(try count(FetchPredicate(format: "%K == %@", "code", code as any CVarArg), context) == 1)
      #expect(
        try count(
          FetchPredicate(format: "servings == %@ AND code == %@", NSNumber(value: 1), code as any CVarArg), context)
          == 1)
      #expect(
        try count(FetchPredicate(format: "created < %@ OR code == %@", NSDate(), code as any CVarArg), context) == 3)
      let author = try #require(try context.fetch(Recipe.fetchRequest()).first?.author)
      let uids = [1, 2]
      #expect(try count(FetchPredicate(format: "author == %@", author as any CVarArg), context) > 0)
      #expect(try count(FetchPredicate(format: "servings IN %@", NSArray(array: uids) as any CVarArg), context) == 2)
      #expect(try count(FetchPredicate(format: "servings >= %f", CGFloat(2.5)), context) == 1)
      let two: any CVarArg = 2
      #expect(try count(FetchPredicate(format: "servings == %@", two), context) == 1)
      #expect(
        FetchExpression(format: "created - %@", created as any CVarArg)
          == FetchExpression(format: "created - %@", created))
      #if !canImport(ObjectiveC)
        // Apple's class describes itself with its own name around the UUID.
        #expect(
          String(format: "%@ on %@", code as any CVarArg, created as any CVarArg)
            == "\(code.uuidString) on 2001-01-01 00:01:00 +0000")
      #endif
    }
  }
}
