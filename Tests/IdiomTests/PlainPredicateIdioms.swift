import Foundation
import Seedbed
import Testing

/// Predicates that are asked about what is no managed object.
@Suite("Idioms: predicates of plain values")
struct PlainPredicateIdioms {
  static var bob: [String: Any] {
    [
      "name": "Bob", "age": 42, "tags": ["red", "blue"], "home": ["city": "Paris", "floors": 3],
      "pets": [["name": "Rex", "legs": 4], ["name": "Tweety", "legs": 2]], "born": Date(timeIntervalSince1970: 0),
    ]
  }

  static let holding = [
    "name == 'Bob'", "name ==[c] 'BOB'", "name.length == 3", "age > 41 AND age < 43", "age BETWEEN {40, 50}",
    "name IN {'Ann', 'Bob'}", "home.city == 'Paris'", "ANY tags == 'red'", "tags CONTAINS 'blue'", "tags.@count == 2",
    "ANY pets.name BEGINSWITH 'R'", "pets.@sum.legs == 6", "SUBQUERY(pets, $pet, $pet.legs == 2).@count == 1",
    "nickname == nil", "NOT (name == 'Ann')", "pets[FIRST].name == 'Rex'", "ALL pets.legs > 1", "tags[SIZE] == 2",
    "born < %@", "home.floors * 2 == 6", "TERNARY(age > 18, name, 'child') == 'Bob'", "uppercase(name) == 'BOB'",
    "SUBQUERY(pets, $pet, $pet.legs > 3).name CONTAINS 'Rex'", "SELF.name == 'Bob'",
  ]

  @Test("predicates: a dictionary has its entries by name", arguments: holding)
  func dictionaries(_ format: String) {
    let predicate = format.contains("%@") ? FetchPredicate(format: format, Date()) : FetchPredicate(format: format)
    #expect(predicate.evaluate(with: Self.bob))
    #expect(predicate.evaluate(with: NSDictionary(dictionary: Self.bob)))
  }

  @Test(
    "predicates: a dictionary that does not meet them",
    arguments: [
      "name == 'Ann'", "age > 42", "tags CONTAINS 'green'", "nickname != nil", "pets.@count == 3", "ALL pets.legs > 2",
      "home.floors * 2 == 7", "ANY tags == 'Red'", "name BEGINSWITH 'o'", "age IN {1, 2}", "home.city == nil",
    ])
  func unmet(_ format: String) { #expect(!FetchPredicate(format: format).evaluate(with: Self.bob)) }

  @Test("predicates: of a dictionary only what is asked for is read")
  func unreadable() {
    struct View {}
    let home: [String: Any] = ["home": ["view": View(), "city": "Paris"]]
    #expect(FetchPredicate(format: "home != nil AND home.city == 'Paris'").evaluate(with: home))
  }

  @Test("predicates: arrays are filtered")
  func arrays() {
    let people = [["name": "Bob"], ["name": "Ann"]]
    let predicate = FetchPredicate(format: "name == %@", "Bob")
    #expect(predicate.evaluate(with: ["name": "Bob"]))
    #expect(people.filter { predicate.evaluate(with: $0) } == [["name": "Bob"]])
    #expect((people as [Any]).filter { predicate.evaluate(with: $0) }.count == 1)
    #expect(NSArray(array: people).filtered(using: predicate).count == 1)
    let names = ["Ann", "Bob", "Bea"]
    #expect(names.filter { FetchPredicate(format: "SELF BEGINSWITH[c] 'b'").evaluate(with: $0) } == ["Bob", "Bea"])
    #expect(names.filter { FetchPredicate(format: "self.length > 2 AND SELF != 'Ann'").evaluate(with: $0) }.count == 2)
    #expect([1, 5, 9].filter { FetchPredicate(format: "SELF > 4 AND SELF < %d", 9).evaluate(with: $0) } == [5])
    #expect(NSSet(array: names).filtered(using: FetchPredicate(format: "SELF CONTAINS 'n'")) == ["Ann"])
    #expect(NSSet(array: people).filtered(using: predicate) == [NSDictionary(dictionary: ["name": "Bob"])])
    #expect(NSSet(array: [[1, 2], [3]]).filtered(using: FetchPredicate(format: "SELF.@count == 1")).count == 1)
    #expect(FetchPredicate(format: "SELF.integerValue == 12 AND SELF.boolValue == YES").evaluate(with: "12 pieces"))
    #expect(FetchPredicate(format: "SELF == 'Ann'").evaluate(with: NSString(string: "Ann")))
    #expect(FetchPredicate(format: "ANY SELF == 3").evaluate(with: [1, 3]))
    #expect(FetchPredicate(format: "scheme == 'https'").evaluate(with: URL(string: "https://example.org")))
  }

  @Test("predicates: variables, closures, and nothing at all")
  func others() {
    let named = FetchPredicate(format: "name == $NAME")
    #expect(named.evaluate(with: Self.bob, substitutionVariables: ["NAME": "Bob"]))
    let closure = FetchPredicate { object, _ in (object as? [String: Any])?["age"] as? Int == 42 }
    #expect(closure.evaluate(with: Self.bob))
    #expect(FetchPredicate(format: "name == nil").evaluate(with: nil))
    let missing: [String: Int?] = ["age": nil, "height": 3]
    #expect(FetchPredicate(format: "age == nil AND height == 3").evaluate(with: missing))
  }

  @Test("predicates: managed objects in lists and dictionaries have their properties")
  func objects() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let favorite = FetchPredicate(format: "isFavorite == YES")
      #expect(recipes.filter { favorite.evaluate(with: $0) }.map(\.title) == ["Cake"])
      #expect((recipes as [Any]).filter { favorite.evaluate(with: $0) }.count == 1)
      #expect(NSArray(array: recipes).filtered(using: favorite).count == 1)
      let menu: [String: Any] = ["main": recipes[0], "courses": recipes]
      #expect(FetchPredicate(format: "main.title == 'Soup' AND main.author.name == 'Ann'").evaluate(with: menu))
      #expect(FetchPredicate(format: "ANY courses.title == 'Cake' AND main == %@", recipes[0]).evaluate(with: menu))
      #expect(!FetchPredicate(format: "main == %@", recipes[1]).evaluate(with: menu))
    }
  }
}
