import Foundation
import ObjectModel
import StoreInterface
import Testing

@testable import Predicates

/// Searches of which the expression's engine gives up to find out.
@Suite("Regular expressions that take too long")
struct UndecidedMatchTests {
  /// A text, and an expression that matches it. The first search takes too many steps, the second too much memory.
  static let cases = [
    (String(repeating: "a", count: 40) + "!", "(a+)+b|.*!"), (String(repeating: "x", count: 300_000) + "!", "(.|x)+!"),
  ]

  private struct Text: PredicateSubject {
    let text: String
    let objectID: ObjectID

    init(_ text: String) throws {
      var thing = EntityDefinition("Thing")
      thing.attributes = [AttributeDefinition("text", .string)]
      let model = try ManagedObjectModel(entities: [thing])
      objectID = ObjectID(entity: try #require(model["Thing"]), reference: .temporary(UUID()))
      self.text = text
    }

    func value(at keyPath: FetchPredicate.KeyPath) -> Value { .string(text) }
    func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? { nil }
    func members(of relationship: String) -> [ObjectID] { [] }
    func subject(for objectID: ObjectID) -> Text? { nil }
  }

  @Test("They are neither a match nor none", arguments: cases)
  func undecided(text: String, pattern: String) throws {
    let matcher = try #require(TextPattern.Matcher(pattern))
    #expect(throws: UndecidedMatchError(pattern: pattern)) { try matcher.decided(text) }
    var attribute = AttributeDefinition("text", .string)
    attribute.regularExpression = pattern
    let violations = try AttributeValidator(attribute).violations(of: .string(text))
    #expect(violations.map(\.code) == [.patternMismatch])
    #expect(violations[0].message.contains("takes too long to find out"), "\(violations)")
  }

  /// Formats of predicates about a text of which the search gives up.
  static let formats = [
    "text MATCHES %@", "NOT text MATCHES %@", "TRUEPREDICATE AND (text = 'b' OR text MATCHES %@)",
    "text MATCHES[cd] %@", "TERNARY(text MATCHES %@, 1, 2) = 2", "text MATCHES lowercase(%@)",
  ]

  @Test("A predicate with one of them throws for each text that it cannot decide", arguments: formats)
  func predicates(format: String) throws {
    let (text, pattern) = Self.cases[1]
    let matcher = PredicateMatcher(FetchPredicate(format: format, pattern))
    #expect(throws: UndecidedMatchError.self) { try matcher.matches(Text(text)) }
    let isOpposite = format.hasPrefix("NOT") || format.hasPrefix("TERNARY")
    #expect(try matcher.matches(Text("xx!")) != isOpposite)
    // Afterwards an answer counts again.
    #expect(throws: UndecidedMatchError.self) { try matcher.matches(Text(text)) }
  }

  @Test("A comparison that is not reached decides nothing")
  func notReached() throws {
    let (text, pattern) = Self.cases[1]
    let matcher = PredicateMatcher(FetchPredicate(format: "text BEGINSWITH 'x' OR text MATCHES %@", pattern))
    #expect(try matcher.matches(Text(text)))
  }
}
