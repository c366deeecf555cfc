import Foundation
import Predicates
import TestSupport
import Testing

@Suite("Mistakes in predicate formats")
struct PredicateMistakeTests {
  typealias Code = PredicateFormatError.Code
  /// Format, arguments, column, code.
  typealias Mistake = (String, [Int?], Int, Code)

  static let mistakes: [Mistake] = [
    ("", [], 1, .syntax), ("   ", [], 4, .syntax), ("name", [], 5, .syntax), ("name ==", [], 8, .syntax),
    ("name == 'a", [], 9, .literal), ("name = = 1", [], 8, .syntax), ("(a == 1", [], 8, .syntax),
    ("a == 1)", [], 7, .syntax), ("a == 1 b == 2", [], 8, .syntax), ("a == 1 AND", [], 11, .syntax),
    ("AND a == 1", [], 1, .syntax), ("a NOT IN {1}", [], 3, .syntax), ("a == ?", [], 6, .syntax),
    ("a ==[x] 1", [], 6, .unknownName), ("a ==[c 1", [], 8, .syntax), ("a ==[1] 1", [], 6, .syntax),
    ("a BETWEEN {1}", [], 11, .operandCount), ("a BETWEEN {1, 2, 3}", [], 11, .operandCount),
    ("a IN {1, }", [], 10, .syntax), ("a IN {1 2}", [], 9, .syntax), ("a == 12b", [], 6, .literal),
    ("a == 0xZZ", [], 6, .literal), ("a == \(String(repeating: "9", count: 39))", [], 6, .literal),
    ("a == 1e999", [], 6, .literal),
    ("a == '\\q'", [], 7, .literal), ("a == '\\u12'", [], 7, .literal), ("a == '\\", [], 7, .literal),
    ("a. == 1", [], 4, .syntax), ("a.@nope == 1", [], 3, .unknownName), ("@nope == 1", [], 1, .unknownName),
    ("a.@ == 1", [], 3, .syntax), ("$ == 1", [], 1, .syntax), ("nope:(a) == 1", [], 1, .unknownName),
    ("abs:(1, 2) == 1", [], 6, .operandCount), ("add:to:(1) == 1", [], 9, .operandCount),
    ("now(1) == 1", [], 5, .operandCount),
    ("CAST(1, 'Nope') == 1", [], 9, .unknownName), ("CAST('x', 'NSDate') == 1", [], 6, .literal),
    ("CAST(1 'NSDate') == 1", [], 8, .syntax), ("CAST(1, a) == 1", [], 9, .syntax),
    ("SUBQUERY(a, x, a == 1).@count > 0", [], 13, .syntax), ("SUBQUERY(a, $x).@count > 0", [], 15, .syntax),
    ("TERNARY(a == 1, 2) == 1", [], 18, .syntax), ("FUNCTION(a) == 1", [], 11, .syntax),
    ("FUNCTION(a, 'nope') == 1", [], 13, .unknownName), ("FUNCTION(a, 'length', 1) == 1", [], 13, .operandCount),
    ("FUNCTION(a, 'now') == 1", [], 13, .unknownName), ("random() == 1", [], 1, .unknownName),
    ("a UTI-CONFORMS-TO 'b'", [], 3, .unknownName), ("a UTI-EQUALS 'b'", [], 3, .unknownName),
    ("a == %1$@", [1], 6, .argument), ("%K == 1", [nil], 1, .argument),
    ("FETCH(a, NO) == 1", [], 1, .unknownName), ("a == %@", [], 6, .argument), ("a == 1", [1], 7, .argument),
    ("%K == 1", [1], 1, .argument), ("a == %y", [1], 6, .argument), ("a == %", [1], 6, .argument),
    ("a == %d", [nil], 6, .argument), ("a == %f", [nil], 6, .argument), ("a[ == 1", [], 4, .syntax),
    ("a[1 == 1", [], 5, .syntax), ("ANY == 1", [], 5, .syntax), ("in == 1", [], 1, .syntax), ("a & b", [], 6, .syntax),
    ("a & == 1", [], 5, .syntax), ("a ~ b == 1", [], 3, .syntax), ("(a == 1) | (b == 2)", [], 4, .syntax),
    ("a := 1", [], 3, .syntax), ("ä == 'x' AND", [], 13, .syntax),
    ("a\u{308} == 'x\u{301}' AND", [], 13, .syntax), ("a == '\u{301}", [], 6, .literal),
  ]

  @Test("a mistake is an error with its column", arguments: mistakes)
  func mistake(mistake: Mistake) throws {
    let (format, arguments, column, code) = mistake
    let error = try #require(throws: PredicateFormatError.self) {
      try FetchPredicate(parsing: format, arguments: arguments.map { $0 as (any PredicateArgument)? })
    }
    #expect(error.column == column, "\(format): \(error)")
    #expect(error.code == code, "\(format): \(error)")
    #expect(error.description.hasPrefix("column \(column): "))
  }

  @Test("what only Apple's systems know is named", arguments: ["random() == 1", "a UTI-CONFORMS-TO 'b'"])
  func unsupported(format: String) throws {
    let error = try #require(throws: PredicateFormatError.self) { try FetchPredicate(parsing: format) }
    #expect(error.message.contains(format.contains("UTI") ? "UTI-CONFORMS-TO" : "random"))
    #expect(error.message.hasSuffix("not supported outside of Apple's systems"))
  }

  static let deep: [String] = [
    String(repeating: "(", count: 5_000) + "a == 1" + String(repeating: ")", count: 5_000),
    String(repeating: "NOT ", count: 5_000) + "a == 1", String(repeating: "-", count: 5_000) + "a == 1",
    "a == " + String(repeating: "{", count: 5_000), "a == 1" + String(repeating: " + 1", count: 5_000),
    "a" + String(repeating: "[0]", count: 5_000) + " == 1", "2" + String(repeating: " ** 2", count: 5_000) + " == 1",
    String(repeating: "TERNARY(", count: 5_000), String(repeating: "a:", count: 50_000),
  ]

  @Test("endless nesting and chains are errors", arguments: deep)
  func nesting(format: String) {
    #expect(throws: PredicateFormatError.self) { try FetchPredicate(parsing: format) }
  }

  @Test("long lists and long conjunctions are no problem")
  func long() throws {
    let list = (0..<5_000).map(String.init).joined(separator: ", ")
    guard case .compare(let comparison) = try FetchPredicate(parsing: "a IN {\(list)}"),
      case .aggregate(let elements) = comparison.right
    else {
      Issue.record("no comparison with a list")
      return
    }
    #expect(elements.count == 5_000)
    let conjunction = (0..<5_000).map { "a != \($0)" }.joined(separator: " AND ")
    guard case .and(let parts) = try FetchPredicate(parsing: conjunction) else {
      Issue.record("no conjunction")
      return
    }
    #expect(parts.count == 5_000)
  }

  @Test("garbled formats give a tree, which reads back as it is written, or an error, never a crash", arguments: 0..<4)
  func garbled(seed: UInt64) {
    var random = SeededGenerator(seed: seed &* 977 &+ 5)
    let words = [
      "a", "b.c", "==", "!=", "<", "(", ")", "{", "}", "[", "]", ",", ".", ":", "'x'", "\"", "'", "$v", "#in", "%@",
      "%K",
      "1", "2.5", "-", "+", "*", "**", "/", "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "BETWEEN", "LIKE", "[cd]",
      "SELF", "nil", "YES", "CAST(", "SUBQUERY(", "TERNARY(", "FUNCTION(", "@count", "@sum", "UNION", "FIRST", "\\",
      "é",
      "TRUEPREDICATE", "now()", "add:to:(", "&&", "!", "&", "|", "^", "~", "<<", ">>", ".5", "0.", "IN (",
    ]
    let sensible = [
      "a == 1", "NOT b.c < 2.5", "a IN { 1 , 2.5 }", "ANY b.c CONTAINS[cd] 'x'", "a BETWEEN { 1 , 2.5 }",
      "( a == 1 OR b.c != 'x' ) AND a + 1 > 2.5 * 2", "a.@count >= $v", "%K == nil", "TRUEPREDICATE",
      "SUBQUERY( b , $v , $v.c == 1 ).@count > 0", "TERNARY( a == 1 , 2 , 1 ) == 2",
    ]
    var trees = 0
    for _ in 0..<3_000 {
      var pieces: [String]
      if Bool.random(using: &random) {
        pieces = (0..<Int.random(in: 1...12, using: &random)).compactMap { _ in words.randomElement(using: &random) }
      } else {
        // What makes sense, and mostly another word somewhere in it.
        pieces = (sensible.randomElement(using: &random) ?? "").split(separator: " ").map(String.init)
        if Int.random(in: 0..<4, using: &random) > 0, let word = words.randomElement(using: &random) {
          let place = Int.random(in: 0..<pieces.count, using: &random)
          if Bool.random(using: &random) { pieces[place] = word } else { pieces.insert(word, at: place) }
        }
      }
      let text = pieces.joined(separator: Int.random(in: 0..<4, using: &random) > 0 ? " " : "")
      // An argument that the format does not take is a mistake by itself.
      let takesArgument = text.contains("%K") || text.contains("%@")
      let parsed = takesArgument ? try? FetchPredicate(parsing: text, "k") : try? FetchPredicate(parsing: text)
      guard let predicate = parsed else { continue }
      trees += 1
      #expect((try? FetchPredicate(parsing: predicate.predicateFormat)) == predicate, "\(text)")
    }
    #expect(trees > 300, "\(trees) formats made sense: too few were read back")
  }
}
