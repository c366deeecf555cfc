import Foundation
import Seedbed
import Testing

@Suite("Idioms: predicates")
struct PredicateIdioms {
  static let predicates: [(FetchPredicate, Set<String>)] = [
    (FetchPredicate(format: "title == %@", "Soup"), ["Soup"]),
    (FetchPredicate(format: "%K == %@", "title", "Soup"), ["Soup"]),
    (FetchPredicate(format: "rating > %d", 4), ["Soup", "Cake"]),
    (FetchPredicate(format: "rating >= %lf AND isFavorite == %@", 4.0, true), ["Cake"]),
    (FetchPredicate(format: "title BEGINSWITH[cd] %@", "s"), ["Soup"]),
    (FetchPredicate(format: "title CONTAINS[c] 'A'"), ["Bread", "Cake"]),
    (FetchPredicate(format: "title LIKE '*e*'"), ["Bread", "Cake"]),
    (FetchPredicate(format: "title MATCHES %@", "[BC].*"), ["Bread", "Cake"]),
    (FetchPredicate(format: "title IN %@", ["Soup", "Cake"]), ["Soup", "Cake"]),
    (FetchPredicate(format: "title IN %@", Set(["Soup"])), ["Soup"]),
    (FetchPredicate(format: "NOT (title IN %@)", ["Soup", "Cake"]), ["Bread"]),
    (FetchPredicate(format: "rating BETWEEN %@", [3, 4]), ["Bread"]),
    (FetchPredicate(format: "author.name == %@", "Ann"), ["Soup", "Cake"]),
    (FetchPredicate(format: "link == nil"), ["Soup", "Bread", "Cake"]),
    (FetchPredicate(format: "created < %@", Date.now as Date), ["Soup", "Bread", "Cake"]),
    (FetchPredicate(format: "servings == %@", UInt8(4)), ["Soup", "Bread", "Cake"]),
    (FetchPredicate(format: "rating == %@", Float(4.5)), ["Soup"]),
    (FetchPredicate(format: "rating == %@", Decimal(5)), ["Cake"]),
    (FetchPredicate(format: "code == %@", UUID()), []),
    (FetchPredicate(format: "SUBQUERY(tags, $tag, $tag.name == 'x').@count == 0"), ["Soup", "Bread", "Cake"]),
    (FetchPredicate(value: false), []),
    (
      CompoundPredicate(andPredicateWithSubpredicates: [
        FetchPredicate(format: "rating > 3"), FetchPredicate(format: "isFavorite == NO"),
      ]), ["Soup"]
    ),
    (
      CompoundPredicate(orPredicateWithSubpredicates: [
        FetchPredicate(format: "title == 'Soup'"), FetchPredicate(format: "title == 'Bread'"),
      ]), ["Soup", "Bread"]
    ),
    (CompoundPredicate(notPredicateWithSubpredicate: FetchPredicate(format: "title == 'Soup'")), ["Bread", "Cake"]),
    (CompoundPredicate(type: .and, subpredicates: [FetchPredicate(format: "rating == 5")]), ["Cake"]),
    (
      ComparisonPredicate(
        leftExpression: FetchExpression(forKeyPath: "title"),
        rightExpression: FetchExpression(forConstantValue: "soup"),
        modifier: .direct, type: .equalTo, options: .caseInsensitive), ["Soup"]
    ),
    (
      ComparisonPredicate(
        leftExpression: FetchExpression(forKeyPath: \Recipe.rating),
        rightExpression: FetchExpression(
          forFunction: "add:to:",
          arguments: [
            FetchExpression(forConstantValue: 2), FetchExpression(forConstantValue: 1),
          ]), modifier: .direct, type: .lessThanOrEqualTo), ["Bread"]
    ),
    (
      ComparisonPredicate(
        leftExpression: FetchExpression(forKeyPath: "rating"), rightExpression: FetchExpression(forConstantValue: 4.5),
        modifier: .direct, type: .greaterThanOrEqualTo), ["Soup", "Cake"]
    ),
    (
      ComparisonPredicate(
        leftExpression: FetchExpression(forKeyPath: "title"),
        rightExpression: FetchExpression(forConstantValue: "Soup"),
        modifier: .direct, type: .notEqualTo), ["Bread", "Cake"]
    ),
    (
      FetchPredicate(format: "title == $TITLE").withSubstitutionVariables(["TITLE": "Cake"]), ["Cake"]
    ),
  ]

  @Test("predicate: what compounds and comparisons are made of")
  func shapes() {
    let both = FetchPredicate(format: "title == 'Soup' AND NOT rating > 3")
    #expect(both.compoundPredicateType == .and && both.subpredicates.count == 2)
    let (title, not) = (both.subpredicates[0], both.subpredicates[1])
    #expect(title.compoundPredicateType == nil && title.subpredicates.isEmpty)
    #expect(title.leftExpression?.keyPath == "title" && title.rightExpression?.constantValue == .string("Soup"))
    #expect(title.predicateOperatorType == .equalTo && title.comparisonPredicateModifier == .direct)
    #expect(not.compoundPredicateType == .not && not.subpredicates[0].predicateOperatorType == .greaterThan)
    #expect(both.comparison == nil && both.leftExpression == nil && title.leftExpression?.constantValue == nil)
  }

  @Test("predicate: formats, compounds and comparisons", arguments: predicates)
  func predicate(_ predicate: FetchPredicate, _ expected: Set<String>) throws {
    try Kitchen.cook { context in
      let all = try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.predicate = predicate
      #expect(Set(try context.fetch(request).map(\.title)) == expected, "\(predicate)")
      #expect(Set(all.filter { predicate.evaluate(with: $0) }.map(\.title)) == expected, "\(predicate)")
    }
  }

  static let textsOfDigits: [(FetchPredicate, Set<String>)] = [
    (FetchPredicate(format: "servings == %@", "4"), ["Soup", "Bread", "Cake"]),
    (FetchPredicate(format: "'4' < rating AND servings IN %@", ["4", "12"]), ["Soup", "Cake"]),
    (FetchPredicate(format: "rating BETWEEN {'3', '4.5'} AND servings != 'four'"), ["Soup", "Bread"]),
    (FetchPredicate(format: "SUBQUERY(author.recipes, $one, $one.rating == '5').@count == '1'"), ["Soup", "Cake"]),
    (FetchPredicate(format: "servings == 'four' OR servings < 'ten'"), []),
  ]

  @Test(
    "predicate: a request takes texts of digits for numbers where it compares them with some", arguments: textsOfDigits
  )
  func numbersAsTexts(_ predicate: FetchPredicate, _ expected: Set<String>) throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.predicate = predicate
      #expect(Set(try context.fetch(request).map(\.title)) == expected)
    }
  }

  @Test("predicate: an object as argument")
  func objectArgument() throws {
    try Kitchen.cook { context in
      let ann = try #require(try Kitchen.stock(context)[0].author)
      let request = Recipe.fetchRequest()
      request.predicate = FetchPredicate(format: "author == %@", ann)
      #expect(try context.count(for: request) == 2)
      request.predicate = FetchPredicate(format: "author IN %@", [ann])
      #expect(try context.count(for: request) == 2)
      let people = Person.fetchRequest()
      people.predicate = ComparisonPredicate(
        leftExpression: .expressionForEvaluatedObject(), rightExpression: FetchExpression(forConstantValue: ann),
        modifier: .direct, type: .equalTo)
      #expect(try context.fetch(people) == [ann])
    }
  }

  @Test("predicate: #Predicate")
  func macro() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let request = Recipe.fetchRequest()
      request.predicate = try FetchPredicate(#Predicate<Recipe> { $0.title == "Soup" })
      #expect(try context.count(for: request) == 1)
    }
  }

  @Test("predicate: a block, over what was fetched and in a request")
  func block() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let short = FetchPredicate(block: { object, _ in (object as? Recipe)?.title.count == 4 })
      let all = try context.fetch(Recipe.fetchRequest())
      #expect(all.filter { short.evaluate(with: $0) }.map(\.title) == ["Soup", "Cake"])
      let request = Recipe.fetchRequest()
      request.predicate = CompoundPredicate(
        andPredicateWithSubpredicates: [FetchPredicate(format: "rating > 4"), short])
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetch(request).map(\.title) == ["Cake", "Soup"])
      #expect(try context.count(for: request) == 2)
    }
  }

  @Test("predicate: text of a user's that is none throws")
  func userText() {
    #expect(throws: PredicateFormatError.self) { try FetchPredicate(parsing: "title ==") }
  }

  @Test("predicate: a format of the program's that is none stops")
  func programText() async {
    await #expect(processExitsWith: .failure) { _ = FetchPredicate(format: "title ==") }
  }

  @Test("predicate: what expressions are made of")
  func expressionKinds() throws {
    func left(_ format: String) throws -> FetchExpression {
      try #require(FetchPredicate(format: format).leftExpression)
    }
    let kinds: [(String, FetchExpression.ExpressionType)] = [
      ("author.name == 1", .keyPath), ("1 == 2", .constantValue), ("SELF == 2", .evaluatedObject),
      ("$X == 2", .variable),
      ("{1, a} == 2", .aggregate), ("now() == 2", .function), ("tags.@count == 2", .function),
      ("SUBQUERY(tags, $t, $t.name == 'hot') == 2", .subquery), ("TERNARY(a == 1, 2, 3) == 2", .conditional),
      ("a UNION b == 2", .unionSet), ("a INTERSECT b == 2", .intersectSet), ("a MINUS b == 2", .minusSet),
    ]
    for (format, kind) in kinds { #expect(try left(format).expressionType == kind, "\(format)") }
    let sum = FetchExpression(forFunction: "sum:", arguments: [FetchExpression(forKeyPath: "rating")])
    #expect(sum.function == "sum:" && sum.arguments?.first?.keyPath == "rating")
    let hot = try left("SUBQUERY(tags, $t, $t.name == 'hot') == 2")
    #expect(hot.variable == "t" && hot.predicate?.predicateFormat == "$t.name == \"hot\"" && hot.function == nil)
    #expect(FetchExpression(forAggregate: [FetchExpression(forConstantValue: 1)]).collection?.first?.constantValue == 1)
  }
}
