import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Predicates")
struct PredicateTests {
  /// Stored value, operator, constant, whether it holds.
  typealias Row = (Value, FetchPredicate.PlainOperator, Value, Bool)
  static let missing: [Row] = [
    (.null, .equal, .null, true), (.null, .notEqual, .null, false),
    (.null, .equal, .integer(1), false), (.null, .notEqual, .integer(1), true),
    (.integer(1), .notEqual, .null, true), (.integer(1), .equal, .null, false),
    (.null, .less, .integer(1), false), (.null, .lessOrEqual, .null, false), (.integer(1), .greater, .null, false),
  ]
  static let numbers: [Row] = [
    (.integer(1), .equal, .double(1), true), (.boolean(true), .equal, .integer(1), true),
    (.integer(9_007_199_254_740_993), .equal, .double(9_007_199_254_740_992), false),
    (.integer(9_007_199_254_740_993), .greater, .double(9_007_199_254_740_992), true),
    (.integer(.max), .less, .double(0x1p63), true), (.integer(.min), .equal, .double(-0x1p63), true),
    (.integer(-2), .greater, .double(-2.5), true), (.double(-2.5), .less, .integer(-2), true),
    (.decimal(Decimal(string: "0.1") ?? 0), .less, .decimal(Decimal(string: "0.11") ?? 0), true),
    (.decimal(2), .equal, .integer(2), true), (.integer(2), .less, .decimal(3), true),
    (.double(.nan), .equal, .null, true), (.double(.nan), .less, .double(1), false),
    (.date(Date(timeIntervalSinceReferenceDate: 5)), .less, .date(Date(timeIntervalSinceReferenceDate: 6)), true),
    (.date(Date(timeIntervalSinceReferenceDate: 5)), .equal, .integer(5), true),
  ]
  static let texts: [Row] = [
    (.string("a"), .less, .string("b"), true), (.string("Z"), .less, .string("a"), true),
    (.string("a"), .equal, .string("A"), false), (.string("\u{FF5E}"), .less, .string("\u{1F600}"), true),
    (.string("e\u{301}"), .equal, .string("\u{E9}"), false), (.string("e\u{301}"), .notEqual, .string("\u{E9}"), true),
    (.string("1"), .equal, .integer(1), false), (.string("1"), .notEqual, .integer(1), true),
    (.string("1"), .greater, .integer(0), false), (.data(Data([1])), .less, .data(Data([1, 0])), true),
    (.data(Data([2])), .greater, .data(Data([1, 9])), true),
  ]
  static let parts: [Row] = [
    (.string("stop"), .beginsWith, .string("st"), true), (.string("stop"), .beginsWith, .string("op"), false),
    (.string("stop"), .endsWith, .string("op"), true), (.string("stop"), .contains, .string("to"), true),
    (.string("stop"), .contains, .string("TO"), false), (.string("stop"), .contains, .string("stops"), false),
    (.string("stop"), .contains, .string(""), true), (.string(""), .endsWith, .string(""), true),
    (.null, .contains, .string(""), false), (.integer(1), .beginsWith, .string(""), false),
    (.string("a"), .beginsWith, .null, false), (.string("a"), .contains, .integer(1), false),
  ]

  @Test(
    "an operator compares by kind and value, and a missing value equals only null",
    arguments: missing + numbers + texts + parts)
  func comparison(value: Value, comparison: FetchPredicate.PlainOperator, constant: Value, holds: Bool) {
    #expect(comparison.holds(value, constant) == holds)
  }

  @Test("not is two-valued: what a missing value makes false, not makes true")
  func negation() throws {
    let warehouse = try Warehouse()
    try warehouse.insert(
      warehouse.snapshot(warehouse.id(warehouse.item, 1)),
      warehouse.snapshot(warehouse.id(warehouse.item, 2), ["rank": .integer(9)]))
    #expect(try warehouse.keys(warehouse.item) { $0.predicate = .comparison(["rank"], .less, .integer(5)) } == [])
    #expect(
      try warehouse.keys(warehouse.item) { $0.predicate = .not(.comparison(["rank"], .less, .integer(5))) } == [1, 2])
  }

  @Test("lists match null only where they hold it, and empty lists nothing")
  func lists() throws {
    let warehouse = try Warehouse()
    try warehouse.insert(
      warehouse.snapshot(warehouse.id(warehouse.item, 1)),
      warehouse.snapshot(warehouse.id(warehouse.item, 2), ["code": .string("b"), "rank": .integer(9)]),
      warehouse.snapshot(warehouse.id(warehouse.item, 3), ["code": .string("c")]))
    func keys(_ predicate: FetchPredicate) throws -> [Int64] {
      try warehouse.keys(warehouse.item) { $0.predicate = predicate }
    }
    #expect(try keys(.isIn(["code"], [.string("b"), .string("x")])) == [2])
    #expect(try keys(.isIn(["code"], [.string("b"), .null])) == [1, 2])
    #expect(try keys(.isIn(["code"], [])) == [])
    #expect(try keys(.not(.isIn(["code"], [.string("b")]))) == [1, 3])
    #expect(
      try keys(.tupleIsIn([["code"], ["rank"]], [[.string("b"), .double(9)], [.string("c"), .null]])) == [2, 3])
    #expect(try keys(.tupleIsIn([["code"], ["rank"]], [])) == [])
    #expect(try keys(.selfIsIn([warehouse.id(warehouse.item, 3), warehouse.id(warehouse.item, 77)])) == [3])
    #expect(try keys(.and([])) == [1, 2, 3])
    #expect(try keys(.or([])) == [])
    #expect(try keys(.none) == [])
  }

  @Test("key paths go through to-one relationships; a missing destination makes the value missing")
  func keyPaths() throws {
    let warehouse = try Warehouse()
    let ids = (1...4).map { warehouse.id(warehouse.item, $0) }
    try warehouse.insert(
      warehouse.snapshot(ids[0], ["code": .string("root")]), warehouse.snapshot(ids[1], toOne: ["parent": ids[0]]),
      warehouse.snapshot(ids[2], toOne: ["parent": ids[1]]),
      warehouse.snapshot(ids[3], toOne: ["parent": warehouse.id(warehouse.item, 99)]))
    func keys(_ predicate: FetchPredicate) throws -> [Int64] {
      try warehouse.keys(warehouse.item) { $0.predicate = predicate }
    }
    #expect(try keys(.comparison(["parent", "code"], .equal, .string("root"))) == [2])
    #expect(try keys(.comparison(["parent", "parent", "code"], .equal, .string("root"))) == [3])
    #expect(try keys(.comparison(["parent", "code"], .equal, .null)) == [1, 3, 4])
    #expect(try keys(.refersTo(["parent"], ids[0])) == [2])
    #expect(try keys(.refersTo(["parent", "parent"], ids[0])) == [3])
    #expect(try keys(.refersTo(["parent"], nil)) == [1])
    #expect(try keys(.refersTo(["parent", "parent"], nil)) == [1, 2, 4])
  }

  static let badPredicates: [FetchPredicate] = [
    .comparison(["nope"], .equal, .null), .comparison([], .equal, .null), .comparison(["parent"], .equal, .null),
    .comparison(["children", "code"], .equal, .null), .comparison(["parent", "nope"], .equal, .null),
    .isIn(["size"], [.null]), .refersTo(["code"], nil), .refersTo(["children"], nil),
    .tupleIsIn([["code"], ["rank"]], [[.null]]), .tupleIsIn([], []), .not(.or([.comparison(["x"], .less, .null)])),
  ]

  @Test("a key path that does not exist is an error, never an empty result", arguments: badPredicates)
  func unknownKeyPath(predicate: FetchPredicate) throws {
    let warehouse = try Warehouse()
    #expect(throws: StoreError.self) { try warehouse.keys(warehouse.item) { $0.predicate = predicate } }
  }

  @Test("the matcher with hash sets agrees with plain evaluation on random predicates", arguments: 0..<8)
  func matcher(seed: UInt64) throws {
    let warehouse = try Warehouse()
    var random = SeededGenerator(seed: seed)
    let values: [Value] = [
      .null, .integer(0), .integer(1), .double(1), .double(0.5), .double(.nan), .boolean(true), .decimal(1),
      .string(""), .string("a"), .string("ab"), .string("e\u{301}"), .string("\u{E9}"),
      .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([97])),
    ]
    let ids = (1...3).map { warehouse.id(warehouse.item, $0) }
    func value() -> Value { values.randomElement(using: &random) ?? .null }
    func predicate(_ depth: Int) -> FetchPredicate {
      let path = [["code"], ["rank"]].randomElement(using: &random) ?? ["code"]
      switch Int.random(in: 0..<(depth == 0 ? 6 : 9), using: &random) {
      case 0: return .all
      case 1:
        return .comparison(path, FetchPredicate.PlainOperator.allCases.randomElement(using: &random) ?? .equal, value())
      case 2: return .isIn(path, (0..<3).map { _ in value() })
      case 3: return .tupleIsIn([["code"], ["rank"]], (0..<4).map { _ in [value(), value()] })
      case 4: return .selfIsIn(Array(ids.shuffled(using: &random).prefix(2)))
      case 5: return .refersTo(["parent"], ids.randomElement(using: &random))
      case 6: return .and([predicate(depth - 1), predicate(depth - 1)])
      case 7: return .or([predicate(depth - 1), predicate(depth - 1)])
      default: return .not(predicate(depth - 1))
      }
    }
    for _ in 0..<1500 {
      let subject = Subject(
        objectID: ids[Int.random(in: 0..<3, using: &random)], values: ["code": value(), "rank": value()],
        parent: ids[Int.random(in: 0..<3, using: &random)])
      let candidate = predicate(3)
      #expect(try PredicateMatcher(candidate).matches(subject) == candidate.evaluate(with: subject), "\(candidate)")
    }
  }

  struct Subject: PredicateSubject {
    var objectID: ObjectID
    var values: [String: Value]
    var parent: ObjectID
    func value(at keyPath: FetchPredicate.KeyPath) -> Value { keyPath.first.flatMap { values[$0] } ?? .null }
    func destination(at keyPath: FetchPredicate.KeyPath) -> ObjectID? { parent }
    func members(of relationship: String) -> [ObjectID] { [] }
    func subject(for objectID: ObjectID) -> Subject? { nil }
  }
}
