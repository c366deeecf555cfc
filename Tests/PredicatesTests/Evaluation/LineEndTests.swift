import Foundation
import ObjectModel
import Predicates
import StoreInterface
import Testing

/// What `MATCHES` makes of ends of lines.
@Suite("Regular expressions over ends of lines")
struct LineEndTests {
  static let cases: [(text: String, pattern: String, matches: Bool)] = [
    // Any character, also one that ends a line; CR LF are two.
    ("a\nb", "a.b", true), ("a\nb", "a.*b", true), ("a\n\nb", "a.b", false), ("a\rb", "a.b", true),
    ("a\u{85}b", "a.b", true), ("a\u{2028}b", "a.b", true), ("a\u{2029}b", "a.b", true), ("a\u{B}b", "a.b", true),
    ("a\u{C}b", "a.b", true), ("a\nb", ".*", true), ("\n", ".", true), ("", ".", false), ("a\nb", "(?-s)a.b", false),
    ("a\nb", "(?s)a.b", true), ("a\nb", "a[^x]b", true), ("a\r\nb", "a\\Rb", true), ("a\nb", "a\\Rb", true),
    ("e\u{301}", "\\X", true),
    // Beginnings and ends of lines.
    ("a\nb", "^a$\n^b$", true), ("a\nb", "a$\nb", true), ("a\nb", "a\n^b", true), ("a\nb", "^a$.^b$", true),
    ("a\r\nb", "^a$\r\n^b$", true), ("a\u{2028}b", "^a$\u{2028}^b$", true), ("a\nb", "(?-m)^a$\n^b$", false),
    ("a\nb", "(?m)^a$\n^b$", true), ("ab", "a$b", false), ("ab", "a^b", false), ("a\nb", "\\Aa\nb\\z", true),
    ("a\nb", "a\\Z\nb", false),
    // The whole text all the same.
    ("a\nb", "^a$", false), ("a\nb", "^b$", false), ("a\n", "a", false), ("a\n", "a$", false), ("a\n", "a$\n", true),
    ("a", "^a$", true), ("", "^$", true), ("\n", "^$", false), ("a\n", "a|a\n", true),
    // Flags of the expression itself, and comments, which end with the line.
    ("A\nb", "(?i)a.B", true), ("ab", "(?x) a b # and that is all", true), ("ab", "(?x)a # b\n b", true),
    ("a b", "(?x)a\\ b", true), ("a#b", "a#b", true), ("a\nb", "a # b", false),
  ]

  @Test("MATCHES, in a predicate and as a rule of an attribute", arguments: cases)
  func matches(text: String, pattern: String, matches: Bool) throws {
    #expect(TextPattern.matches(text, pattern) == matches)
    #expect(TextPattern.Matcher(pattern)?.matches(text) == matches)
    #expect(TextPattern.matches(text, pattern, options: .localized) == matches || pattern.contains("X"))
    var attribute = AttributeDefinition("text", .string)
    attribute.regularExpression = pattern
    let validator = try AttributeValidator(attribute)
    #expect(validator.violations(of: .string(text)).isEmpty == matches)
  }

  @Test(
    "what only the parentheses around it would complete is no regular expression", arguments: ["a)|(b", "(", "a)("])
  func unbalanced(pattern: String) throws {
    #expect(TextPattern.Matcher(pattern) == nil)
    var attribute = AttributeDefinition("text", .string)
    attribute.regularExpression = pattern
    #expect(throws: ModelError.self) { try AttributeValidator(attribute) }
  }
}
