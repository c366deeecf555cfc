import Foundation
import ObjectModel
import Predicates
import TestStores
import TestSupport
import Testing

@Suite("Comparisons and functions")
struct ComparisonTests {
  /// What an expression or predicate without an object gives.
  static func value(_ format: String) throws -> ExpressionValue {
    try FetchExpression(parsing: "TERNARY(TRUEPREDICATE, \(format), nil)").evaluate(with: Nothing())
  }

  struct Nothing: PredicateSubject {
    let objectID: ObjectID
    init() throws {
      let model = try ManagedObjectModel(entities: [EntityDefinition("Nothing")])
      objectID = ObjectID(entity: try model.required("Nothing"), reference: .temporary(UUID()))
    }
    func value(at keyPath: FetchPredicate.KeyPath) -> Value { .null }
    func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? { nil }
    func members(of relationship: String) -> [ObjectID] { [] }
    func subject(for objectID: ObjectID) -> Nothing? { nil }
  }

  static let truths: [(String, Bool)] = [
    ("nil == nil", true), ("nil != nil", false), ("nil == 1", false), ("nil != 1", true), ("nil < 1", false),
    ("NOT nil < 1", true), ("1 BETWEEN {1, 2}", true), ("3 BETWEEN {1, 2}", false), ("nil BETWEEN {1, 2}", false),
    ("1 BETWEEN {nil, 2}", false), ("1 IN {1.0, 2}", true), ("nil IN {1}", false), ("nil IN {1, nil}", true),
    ("1 IN {}", false),
    ("'b' IN 'abc'", true), ("'B' IN 'abc'", false), ("'B' IN[c] 'abc'", true), ("1 IN 'a1'", false),
    ("'a' IN nil", false),
    ("{1, 2} CONTAINS 2", true), ("{1, 2} CONTAINS nil", false), ("'abc' CONTAINS 'bc'", true),
    ("'abc' CONTAINS ''", true),
    ("nil CONTAINS ''", false), ("'abc' BEGINSWITH 'ab'", true), ("'abc' ENDSWITH[c] 'BC'", true),
    ("'Émile' ==[cd] 'emile'", true), ("'Émile' ==[c] 'emile'", false), ("'Émile' ==[d] 'Emile'", true),
    ("'Émile' ==[n] 'émile'", false), ("'Émile' ==[ncd] 'émile'", false), ("'e\\u0301' == '\\u00e9'", false),
    ("'e\\u0301' ==[d] '\\u00e9'", true), ("'a' <[c] 'B'", true), ("'a' < 'B'", false),
    ("'B' BETWEEN[c] {'a', 'c'}", true),
    ("'a' IN[c] {'A', 'B'}", true), ("{'A'} CONTAINS[c] 'a'", true), ("1 ==[c] 1", true), ("'10' >[l] '9'", true),
    ("'a' <[l] 'B'", true), ("'a' ==[l] 'A'", false), ("'a' ==[cl] 'A'", true), ("'straße' CONTAINS[l] 'TRA'", true),
    ("'abc' LIKE 'a*'", true), ("'abc' LIKE 'a?c'", true), ("'abc' LIKE 'a'", false), ("'' LIKE '*'", true),
    ("'a*c' LIKE 'a\\\\*c'", true), ("'abc' LIKE 'a\\\\*c'", false), ("'ABC' LIKE[c] 'a*c'", true),
    ("'aXbXc' LIKE '*X?'", true),
    ("'a\\nb' LIKE 'a?b'", true), ("nil LIKE '*'", false), ("'é' LIKE[d] 'e'", true), ("'abc' MATCHES 'a.c'", true),
    ("'abcd' MATCHES 'a.c'", false), ("'ABC' MATCHES[c] 'a.c'", true), ("'äbc' MATCHES[d] 'a.c'", true),
    ("'a' MATCHES '('", false), ("'' MATCHES ''", true), ("'a' MATCHES ''", false), ("'' MATCHES[cd] ''", true),
    ("nil MATCHES ''", false),
    ("'a' MATCHES 'a)|(b'", false), ("1 MATCHES '1'", false), ("'abc' == 'abc' AND NOT 'a' == 'b'", true),
    ("ANY {1, 2} == 2", true), ("ANY {} == 2", false), ("ALL {} == 2", true), ("ALL {1, 2} > 0", true),
    ("ALL {1, nil} > 0", false),
    ("NONE {1, 2} == 3", true), ("NONE {} == 3", true), ("ANY {1, nil} == nil", true), ("ANY 2 == 2", true),
    ("SOME {1} < 2", true),
    ("ANY {'a', 'B'} IN[c] {'b'}", true), ("ALL {1, 2} BETWEEN {1, 2}", true), ("ANY {'ab'} CONTAINS 'b'", true),
    ("SUBQUERY({1, 2, 3}, $x, $x > 1).@count == 2", true),
    ("SUBQUERY({1, 2}, $x, SUBQUERY({2, 3}, $y, $y == $x).@count > 0)[0] == 2", true),
    ("TERNARY(1 == 1, 'a', 'b') == 'a'", true), ("YES == 1", true), ("CAST(5, 'NSDate') == 5", true),
    ("'1' == 1", false), ("FUNCTION('Yes', 'boolValue') == YES", true), ("FUNCTION('007', 'boolValue') == YES", true),
    ("FUNCTION('0', 'boolValue') == YES", false), ("FUNCTION('no', 'boolValue') == NO", true),
    ("FUNCTION(-2, 'boolValue') == YES", true), ("FUNCTION(nil, 'boolValue') == NO", true),
    ("FUNCTION({1, 2}, 'containsObject:', 2) == YES", true), ("FUNCTION('abc', 'hasSuffix:', 'bc') == YES", true),
    ("FUNCTION('a', 'isEqualToString:', 'b') == NO", true), ("FUNCTION(now(), 'timeIntervalSinceNow') == 0", true),
    ("6 & 3 == 2", true), ("(5 & 4) == 4", true), ("6 | 1 == 7", true), ("6 ^ 3 == 5", true), ("~0 == -1", true),
    ("1 << 4 == 16", true), ("-16 >> 2 == -4", true), ("6.5 & 1 == nil", true),
  ]

  @Test("comparisons hold as their definition says", arguments: truths)
  func truth(format: String, expected: Bool) throws {
    let predicate = try FetchPredicate(parsing: format)
    let nothing = try Nothing()
    #expect(predicate.evaluate(with: nothing) == expected)
    #expect(FetchPredicate.not(predicate).evaluate(with: nothing) == !expected)
    #expect(predicate.compacted(for: nothing.objectID.entity).evaluate(with: nothing) == expected)
  }

  static let values: [(String, Value)] = [
    ("1 + 2", .integer(3)), ("1 + 2.5", .double(3.5)), ("1 + nil", .null), ("1 + 'a'", .null), ("7 / 2", .integer(3)),
    ("-7 / 2", .integer(-3)), ("7 / 2.0", .double(3.5)), ("1 / 0", .null), ("1.0 / 0", .null),
    ("9223372036854775807 + 1", .double(0x1p63)),
    ("-9223372036854775808 / -1", .double(0x1p63)), ("3 * -4", .integer(-12)), ("2 ** 3", .double(8)),
    ("2 - 5", .integer(-3)),
    ("modulus:by:(7, 3)", .integer(1)), ("modulus:by:(-7, 3)", .integer(-1)), ("modulus:by:(7.9, 3)", .double(1)),
    ("modulus:by:(7, 0)", .null), ("abs:(-3)", .integer(3)), ("abs:(-9223372036854775808)", .double(0x1p63)),
    ("sqrt:(9)", .double(3)),
    ("sqrt:(-1)", .null), ("ln:(0)", .null), ("log:(1000)", .double(3)), ("exp:(0)", .double(1)),
    ("ceiling:(1.2)", .double(2)),
    ("floor:(-1.2)", .double(-2)), ("trunc:(-1.8)", .double(-1)), ("floor:(3)", .integer(3)),
    ("bitwiseAnd:with:(6, 3)", .integer(2)),
    ("bitwiseOr:with:(6, 3)", .integer(7)), ("bitwiseXor:with:(6, 3)", .integer(5)),
    ("leftshift:by:(1, 4)", .integer(16)),
    ("rightshift:by:(-16, 2)", .integer(-4)), ("onesComplement:(0)", .integer(-1)), ("bitwiseAnd:with:(6.5, 3)", .null),
    ("uppercase:('straße')", .string("STRASSE")), ("lowercase:('ÀB')", .string("àb")),
    ("canonical:('Ｃafé')", .string("cafe")),
    ("length:('e\\u0301😀')", .integer(3)), ("length:(5)", .null), ("uppercase:(nil)", .null),
    ("FUNCTION('a', 'stringByAppendingString:', 'b')", .string("ab")), ("sum:({1, 2, nil})", .integer(3)),
    ("sum:({})", .integer(0)),
    ("sum:({1, 2.5, 'a'})", .double(3.5)), ("sum:({9223372036854775807, 1})", .double(0x1p63)),
    ("average:({1, 2})", .double(1.5)),
    ("average:({})", .null), ("min:({3, 1, 2})", .integer(1)), ("max:({'a', 'b'})", .string("b")), ("max:({})", .null),
    ("median:({3, 1, 2})", .double(2)), ("median:({4, 1, 2, 3})", .double(2.5)),
    ("stddev:({2, 4, 4, 4, 5, 5, 7, 9})", .double(2)),
    ("count:({1, nil, 2})", .integer(2)), ("count:(5)", .integer(1)), ("mode:({1, 2, 2, 1, 3})[LAST]", .integer(2)),
    ("distinct:({1, 1.0, 2})[SIZE]", .integer(2)), ("{1, nil}[SIZE]", .integer(2)), ("{1, 2}[5]", .null),
    ("{1, 2}[FIRST]", .integer(1)),
    ("({1, 2} UNION {2, 3})[SIZE]", .integer(3)), ("({1, 2} INTERSECT {2, 3})[0]", .integer(2)),
    ("({1, 2} MINUS {2})[LAST]", .integer(1)),
    ("year:(CAST(0, 'NSDate'))", .integer(2001)), ("month:(CAST(86400, 'NSDate'))", .integer(1)),
    ("day:(CAST(86400, 'NSDate'))", .integer(2)),
    ("hour:(CAST(3661, 'NSDate'))", .integer(1)), ("minute:(CAST(3661, 'NSDate'))", .integer(1)),
    ("second:(CAST(3661.9, 'NSDate'))", .integer(1)),
    ("weekday:(CAST(0, 'NSDate'))", .integer(2)), ("day:(CAST(-1, 'NSDate'))", .integer(31)), ("year:(nil)", .null),
    ("year:('a')", .null),
    ("startOfDay:(CAST(-1, 'NSDate'))", .date(Date(timeIntervalSinceReferenceDate: -86_400))),
    ("noindex:(5)", .integer(5)),
    ("CAST(castObject:toType:('5', 'NSNumber'), 'NSString')", .string("5")),
    ("castObject:toType:('x5', 'NSNumber')", .null),
    ("castObject:toType:('0x5', 'NSNumber')", .null), ("castObject:toType:('1.5e1', 'NSNumber')", .double(15)),
    ("castObject:toType:(2.0, 'NSString')", .string("2")),
    ("castObject:toType:(YES, 'NSString')", .string("1")),
    ("castObject:toType:('7', 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 7))),
    ("castObject:toType:(CAST(7.5, 'NSDate'), 'NSNumber')", .double(7.5)),
    ("castObject:toType:('no', 'NSUUID')", .null),
    ("{3, 4}.@sum", .integer(7)), ("{3, 3}.@distinctUnionOfObjects[SIZE]", .integer(1)),
    ("{3, nil}.@unionOfObjects[SIZE]", .integer(1)),
    ("{4, 2}.@min", .integer(2)), ("{}.@avg", .null),
    ("FUNCTION(CAST(5, 'NSDate'), 'timeIntervalSinceDate:', CAST(2, 'NSDate'))", .double(3)),
  ]

  @Test("functions give what their definition says", arguments: values)
  func function(format: String, expected: Value) throws {
    let found = try Self.value(format)
    #expect(found.plainValue.isIdentical(to: expected), "\(found)")
  }

  @Test("now is one moment for a whole evaluation, and calculated dates compare with dates")
  func now() throws {
    let now = Date(timeIntervalSinceReferenceDate: 1_000)
    let predicate = try FetchPredicate(
      parsing:
        "now() == now() AND now() - 60 == 940 AND FUNCTION(now(), 'dateByAddingTimeInterval:', 60) == CAST(1060, 'NSDate')"
    )
    #expect(predicate.evaluate(with: try Nothing(), now: now))
  }

  @Test("LIKE agrees with a slow twin on random patterns", arguments: 0..<4)
  func like(seed: UInt64) {
    var random = SeededGenerator(seed: seed &+ 11)
    func text(_ letters: [Character], _ length: Int) -> String {
      String((0..<Int.random(in: 0...length, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
    }
    /// By definition, mark by mark.
    func slow(_ text: Substring.UnicodeScalarView, _ marks: [Unicode.Scalar]) -> Bool {
      guard let mark = marks.first else { return text.isEmpty }
      if mark == "*" { return slow(text, Array(marks.dropFirst())) || (!text.isEmpty && slow(text.dropFirst(), marks)) }
      guard let first = text.first, mark == "?" || mark == first else { return false }
      return slow(text.dropFirst(), Array(marks.dropFirst()))
    }
    for _ in 0..<2_000 {
      let subject = text(["a", "b"], 8)
      let pattern = text(["a", "b", "*", "?"], 6)
      #expect(
        TextPattern.isLike(subject, pattern) == slow(Substring(subject).unicodeScalars, Array(pattern.unicodeScalars)),
        "\(subject) LIKE \(pattern)")
    }
  }
}
