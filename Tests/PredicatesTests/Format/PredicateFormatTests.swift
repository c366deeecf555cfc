import Foundation
import ObjectModel
import Predicates
import Testing

@Suite("The predicate format language")
struct PredicateFormatTests {
  typealias Comparison = FetchPredicate.Comparison

  static func compare(
    _ left: FetchExpression, _ sign: Comparison.Operator, _ right: FetchExpression,
    _ modifier: Comparison.Modifier = .direct, _ options: Comparison.Options = []
  ) -> FetchPredicate {
    .compare(Comparison(left, sign, right, modifier: modifier, options: options))
  }

  static func integer(_ value: Int64) -> FetchExpression { .constant(.integer(value)) }
  static func text(_ value: String) -> FetchExpression { .constant(.string(value)) }
  static let name = FetchExpression.keyPath(["name"])
  static let rank = FetchExpression.keyPath(["rank"])
  static let prefixFlag = FetchExpression.conditional(
    compare(name, .beginsWith, text("a")), .constant(.boolean(true)), .constant(.boolean(false)))
  static let isOne = compare(rank, .equal, integer(1))
  static let isTwo = compare(rank, .equal, integer(2))
  static let isThree = compare(rank, .equal, integer(3))

  static let comparisons: [(String, FetchPredicate)] = [
    ("rank == 1", isOne), ("rank = 1", isOne), ("rank=1", isOne), ("  rank\t==\n1 ", isOne), ("(rank == 1)", isOne),
    ("rank != 1", compare(rank, .notEqual, integer(1))), ("rank <> 1", compare(rank, .notEqual, integer(1))),
    ("rank < 1", compare(rank, .less, integer(1))), ("rank <= 1", compare(rank, .lessOrEqual, integer(1))),
    ("rank =< 1", compare(rank, .lessOrEqual, integer(1))), ("rank > 1", compare(rank, .greater, integer(1))),
    ("rank >= 1", compare(rank, .greaterOrEqual, integer(1))),
    ("rank => 1", compare(rank, .greaterOrEqual, integer(1))), ("rank<-1", compare(rank, .less, integer(-1))),
    ("rank BETWEEN {1, 2}", compare(rank, .between, .aggregate([integer(1), integer(2)]))),
    ("rank between (1, 2)", compare(rank, .between, .aggregate([integer(1), integer(2)]))),
    ("rank IN {}", compare(rank, .isIn, .aggregate([]))),
    ("rank IN {1}", compare(rank, .isIn, .aggregate([integer(1)]))),
    ("rank IN (1)", compare(rank, .isIn, .aggregate([integer(1)]))),
    ("name IN ('a')", compare(name, .isIn, .aggregate([text("a")]))), ("name IN 'a'", compare(name, .isIn, text("a"))),
    ("rank IN (list)", compare(rank, .isIn, .keyPath(["list"]))),
    ("rank IN (1 + 2)", compare(rank, .isIn, .function(.add, [integer(1), integer(2)]))),
    ("(rank & 4) == 4", compare(.function(.bitwiseAnd, [rank, integer(4)]), .equal, integer(4))),
    ("rank & 4 == 4", compare(.function(.bitwiseAnd, [rank, integer(4)]), .equal, integer(4))),
    ("FUNCTION(name, 'hasPrefix:', 'a') == YES", compare(prefixFlag, .equal, .constant(.boolean(true)))),
    ("name CONTAINS 'a'", compare(name, .contains, text("a"))),
    ("name beginswith[c] \"a\"", compare(name, .beginsWith, text("a"), .direct, .caseInsensitive)),
    (
      "name ENDSWITH[cd] 'a'",
      compare(name, .endsWith, text("a"), .direct, [.caseInsensitive, .diacriticInsensitive])
    ),
    ("name LIKE[n] 'a*'", compare(name, .like, text("a*"), .direct, .normalized)),
    ("name MATCHES[ L ] 'a+'", compare(name, .matches, text("a+"), .direct, .localized)),
    ("name ==[cdnl] 'a'", compare(name, .equal, text("a"), .direct, Comparison.Options(rawValue: 15))),
    ("ANY tags.name == 'a'", compare(.keyPath(["tags", "name"]), .equal, text("a"), .any)),
    ("SOME tags.name == 'a'", compare(.keyPath(["tags", "name"]), .equal, text("a"), .any)),
    ("all tags.name == 'a'", compare(.keyPath(["tags", "name"]), .equal, text("a"), .all)),
    ("NONE tags.name == 'a'", .not(compare(.keyPath(["tags", "name"]), .equal, text("a"), .any))),
    ("TRUEPREDICATE", .all), ("falsepredicate", .none), ("NOT TRUEPREDICATE", .not(.all)),
  ]

  static let compounds: [(String, FetchPredicate)] = [
    ("rank == 1 AND rank == 2", .and([isOne, isTwo])),
    ("rank == 1 && rank == 2 && rank == 3", .and([isOne, isTwo, isThree])),
    ("rank == 1 OR rank == 2 AND rank == 3", .or([isOne, .and([isTwo, isThree])])),
    ("(rank == 1 || rank == 2) and rank == 3", .and([.or([isOne, isTwo]), isThree])),
    ("NOT rank == 1 AND rank == 2", .and([.not(isOne), isTwo])),
    ("!(rank == 1 AND rank == 2)", .not(.and([isOne, isTwo]))),
    ("! NOT rank == 1", .not(.not(isOne))), ("((rank == 1))", isOne),
    ("(rank == 1 AND rank == 2) AND rank == 3", .and([.and([isOne, isTwo]), isThree])),
  ]

  static let operands: [(String, FetchExpression)] = [
    ("1", integer(1)), ("-1", integer(-1)), ("- 1", integer(-1)), ("-9223372036854775808", integer(.min)),
    ("0x1F", integer(31)), ("0o17", integer(15)), ("0b101", integer(5)), ("1.5", .constant(.double(1.5))),
    ("1e3", .constant(.double(1000))), ("-2.5E-1", .constant(.double(-0.25))), ("'it''s'.length", .constant(.null)),
    ("\"a\\\"b\"", text("a\"b")), ("'a\\'b\\\\c\\n\\t'", text("a'b\\c\n\t")),
    ("'\\u00e9\\x41\\U0001F600'", text("éA😀")),
    ("'é 😀'", text("é 😀")), ("YES", .constant(.boolean(true))), ("no", .constant(.boolean(false))),
    ("TRUE", .constant(.boolean(true))), ("nil", .constant(.null)), ("NULL", .constant(.null)), ("SELF", .selfObject),
    ("self.name", name), ("$X", .variable("X")), ("$x.a.b", .path(of: .variable("x"), ["a", "b"])),
    ("#size", .keyPath(["size"])), ("size", .keyPath(["size"])), ("a.first.last", .keyPath(["a", "first", "last"])),
    ("#in.#or", .keyPath(["in", "or"])), ("größe", .keyPath(["größe"])), ("_a1", .keyPath(["_a1"])),
    ("{1, name, {2}}", .aggregate([integer(1), name, .aggregate([integer(2)])])),
    ("(1, 2)", .aggregate([integer(1), integer(2)])),
    ("1 + 2 * 3", .function(.add, [integer(1), .function(.multiply, [integer(2), integer(3)])])),
    ("(1 + 2) * 3", .function(.multiply, [.function(.add, [integer(1), integer(2)]), integer(3)])),
    ("1 - 2 - 3", .function(.subtract, [.function(.subtract, [integer(1), integer(2)]), integer(3)])),
    ("2 ** 3 ** 2", .function(.power, [integer(2), .function(.power, [integer(3), integer(2)])])),
    ("2 * 3 ** 2", .function(.multiply, [integer(2), .function(.power, [integer(3), integer(2)])])),
    ("-rank", .function(.subtract, [integer(0), rank])), ("8 / 2", .function(.divide, [integer(8), integer(2)])),
    (
      "1 | 2 ^ 3 & 4 << 5 + 6",
      .function(
        .bitwiseOr,
        [
          integer(1),
          .function(
            .bitwiseXor,
            [
              integer(2),
              .function(
                .bitwiseAnd,
                [
                  integer(3),
                  .function(.leftShift, [integer(4), .function(.add, [integer(5), integer(6)])]),
                ]),
            ]),
        ])
    ),
    ("8 >> 2 << 1", .function(.leftShift, [.function(.rightShift, [integer(8), integer(2)]), integer(1)])),
    ("~rank & 1", .function(.bitwiseAnd, [.function(.onesComplement, [rank]), integer(1)])),
    ("~-1", .function(.onesComplement, [integer(-1)])), ("+100", integer(100)),
    ("1 - +rank", .function(.subtract, [integer(1), rank])),
    (".5", .constant(.double(0.5))), ("0.", .constant(.double(0))),
    ("{.5, 2.}", .aggregate([.constant(.double(0.5)), .constant(.double(2))])),
    ("-.5", .constant(.double(-0.5))),
    ("18446744073709551615", .constant(.decimal(Decimal(string: "18446744073709551615") ?? 0))),
    ("0xFFFFFFFFFFFFFFFF", .constant(.decimal(Decimal(string: "18446744073709551615") ?? 0))),
    ("(parent).name", .keyPath(["parent", "name"])), ("(SELF).name", name),
    ("a.@distinctUnionOfSets.b", .collection(.distinctUnionOfObjects, of: .keyPath(["a"]), ["b"])),
    ("a.@unionOfArrays.b", .collection(.unionOfObjects, of: .keyPath(["a"]), ["b"])),
    ("FUNCTION(rank, 'timeIntervalSinceNow')", .function(.subtract, [.cast(rank, .number), .function(.now, [])])),
    ("rank-1", .function(.subtract, [rank, integer(1)])),
    ("stops[FIRST]", .element(of: .keyPath(["stops"]), .first)),
    ("stops[last]", .element(of: .keyPath(["stops"]), .last)),
    ("stops[SIZE]", .element(of: .keyPath(["stops"]), .size)),
    ("stops[0]", .element(of: .keyPath(["stops"]), .at(integer(0)))),
    ("stops[0].zone", .path(of: .element(of: .keyPath(["stops"]), .at(integer(0))), ["zone"])),
    ("stops[#size]", .element(of: .keyPath(["stops"]), .at(.keyPath(["size"])))),
    ("lines.@count", .collection(.count, of: .keyPath(["lines"]), [])),
    ("@count", .collection(.count, of: .selfObject, [])), ("@sum.price", .collection(.sum, of: .selfObject, ["price"])),
    ("@max.#end.rank", .collection(.maximum, of: .selfObject, ["end", "rank"])),
    ("lines.@sum.price", .collection(.sum, of: .keyPath(["lines"]), ["price"])),
    ("a.b.@avg.c.d", .collection(.average, of: .keyPath(["a", "b"]), ["c", "d"])),
    ("lines.@min.price", .collection(.minimum, of: .keyPath(["lines"]), ["price"])),
    ("lines.@max.price", .collection(.maximum, of: .keyPath(["lines"]), ["price"])),
    (
      "lines.@distinctUnionOfObjects.zone.@count",
      .collection(.count, of: .collection(.distinctUnionOfObjects, of: .keyPath(["lines"]), ["zone"]), [])
    ),
    (
      "(lines.@unionOfObjects.a).b",
      .path(of: .collection(.unionOfObjects, of: .keyPath(["lines"]), ["a"]), ["b"])
    ),
    (
      "SUBQUERY(lines, $x, $x.rank == 1).@count",
      .collection(
        .count,
        of: .subquery(
          of: .keyPath(["lines"]), variable: "x", compare(.path(of: .variable("x"), ["rank"]), .equal, integer(1))),
        [])
    ),
    ("TERNARY(rank == 1, 'a', name)", .conditional(isOne, text("a"), name)),
    ("CAST(5, 'NSDate')", .constant(.date(Date(timeIntervalSinceReferenceDate: 5)))),
    ("CAST('1.50', \"NSDecimalNumber\")", .constant(.decimal(Decimal(string: "1.5") ?? 0))),
    ("CAST('AQI=', 'NSData')", .constant(.data(Data([1, 2])))), ("CAST(rank, 'NSString')", .cast(rank, .string)),
    ("castObject:toType:(5, 'NSDate')", .cast(integer(5), .date)), ("now()", .function(.now, [])),
    ("count:(lines)", .function(.count, [.keyPath(["lines"])])),
    ("sum({1, 2})", .function(.sum, [.aggregate([integer(1), integer(2)])])),
    ("add:to:(1, 2)", .function(.add, [integer(1), integer(2)])),
    ("modulus:by:(rank, 2)", .function(.modulus, [rank, integer(2)])),
    ("canonical:(name)", .function(.canonical, [name])),
    ("objectFrom:withIndex:(a, 1)", .element(of: .keyPath(["a"]), .at(integer(1)))),
    ("FUNCTION(name, 'uppercaseString')", .function(.uppercase, [name])),
    (
      "FUNCTION(now(), \"dateByAddingTimeInterval:\", -60)",
      .cast(.function(.add, [.function(.now, []), integer(-60)]), .date)
    ),
    ("FUNCTION(a, 'valueForKeyPath:', 'b.c')", .keyPath(["a", "b", "c"])),
    ("FUNCTION(1, 'add:to:', 2)", .function(.add, [integer(1), integer(2)])),
    ("a UNION b MINUS c", .set(.minus, .set(.union, .keyPath(["a"]), .keyPath(["b"])), .keyPath(["c"]))),
    ("a intersect {1}", .set(.intersect, .keyPath(["a"]), .aggregate([integer(1)]))),
    ("indexed:by:(name, 'byName')", .function(.indexed, [name, text("byName")])),
  ].filter { $0.0 != "'it''s'.length" }

  @Test("a text is the tree that it says", arguments: comparisons + compounds)
  func predicate(format: String, expected: FetchPredicate) throws {
    #expect(try FetchPredicate(parsing: format) == expected)
    #expect(try FetchPredicate(parsing: expected.predicateFormat) == expected, "\(expected.predicateFormat)")
  }

  @Test("an operand is the expression that it says", arguments: operands)
  func operand(format: String, expected: FetchExpression) throws {
    #expect(try FetchExpression(parsing: format) == expected)
    #expect(try FetchExpression(parsing: expected.expressionFormat) == expected, "\(expected.expressionFormat)")
    // As an operand on either side, also in parentheses.
    #expect(try FetchPredicate(parsing: "(\(format)) == \(format)") == Self.compare(expected, .equal, expected))
  }

  @Test("arguments stand for %@, %K and numbers, and not inside of quotation marks")
  func arguments() throws {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    let id = UUID()
    #expect(
      try FetchPredicate(
        parsing: "%K == %@ AND a.%K IN %@ AND b == %d AND c < %f AND d = '%@'", "x.y", "v", "z", [1, 2], 7, 2)
        == .and([
          Self.compare(.keyPath(["x", "y"]), .equal, Self.text("v")),
          Self.compare(.keyPath(["a", "z"]), .isIn, .aggregate([Self.integer(1), Self.integer(2)])),
          Self.compare(.keyPath(["b"]), .equal, Self.integer(7)),
          Self.compare(.keyPath(["c"]), .less, .constant(.double(2))),
          Self.compare(.keyPath(["d"]), .equal, Self.text("%@")),
        ]))
    let values: [((any PredicateArgument)?, Value)] = [
      (nil, .null), (true, .boolean(true)), (date, .date(date)), (id, .uuid(id)), (Data([1]), .data(Data([1]))),
      (Decimal(3), .decimal(3)), (UInt64.max, .decimal(Decimal(string: "18446744073709551615") ?? 0)),
      (Int?.none, .null), (Float(0.5), .double(0.5)), (Value.integer(3), .integer(3)),
    ]
    for (argument, value) in values {
      #expect(try FetchExpression(parsing: "%@", arguments: [argument]) == .constant(value))
    }
    #expect(try FetchExpression(parsing: "%K", "a.@sum.b") == .collection(.sum, of: .keyPath(["a"]), ["b"]))
    #expect(
      try FetchPredicate(parsing: "a BETWEEN %@", 1...3)
        == Self.compare(.keyPath(["a"]), .between, .aggregate([Self.integer(1), Self.integer(3)])))
    for path in ["SELF", "self"] { #expect(try FetchExpression(parsing: "%K", path) == .selfObject) }
    for path in ["SELF.a.b", "self.a.b"] { #expect(try FetchExpression(parsing: "%K", path) == .keyPath(["a", "b"])) }
    #expect(try FetchExpression(parsing: "%K", "SELF.@count") == .collection(.count, of: .selfObject, []))
    #expect(try FetchExpression(parsing: "%.2f + %5d", 1.5, 2) == FetchExpression(parsing: "1.5 + 2"))
    #expect(try FetchPredicate(parsing: "a IN (%@)", 1) == FetchPredicate(parsing: "a IN {1}"))
    #expect(try FetchPredicate(parsing: "a IN (%@)", [1, 2]) == FetchPredicate(parsing: "a IN {1, 2}"))
    #expect(try FetchExpression(parsing: "%ld + %lu + %i", 1, 2, 3) == FetchExpression(parsing: "1 + 2 + 3"))
  }

  @Test("variables are replaced, those of subqueries are not")
  func variables() throws {
    let predicate = try FetchPredicate(
      parsing: "due < $NOW AND SUBQUERY(a, $x, $x.b == $y AND $x.c IN $LIST).@count > 0")
    #expect(predicate.substitutionVariables == ["NOW", "y", "LIST"])
    let replaced = predicate.withSubstitutionVariables(["NOW": 5, "x": 9, "y": nil, "LIST": ["a"]])
    #expect(
      try replaced == FetchPredicate(parsing: "due < 5 AND SUBQUERY(a, $x, $x.b == nil AND $x.c IN {'a'}).@count > 0"))
    #expect(replaced.substitutionVariables.isEmpty)
  }
}
