import Foundation
import ObjectModel
import Predicates
import TestStores
import TestSupport
import Testing

@Suite("Predicates as text and back")
struct RoundTripTests {
  @Test("the text of a random tree is the same tree", arguments: 0..<8)
  func trees(seed: UInt64) throws {
    var trees = RandomTrees(random: SeededGenerator(seed: seed &* 7_919 &+ 3))
    for _ in 0..<400 {
      let predicate = trees.predicate(4)
      let text = predicate.predicateFormat
      let parsed = try? FetchPredicate(parsing: text)
      #expect(parsed == predicate, "\(text)")
    }
  }

  @Test("what stands in no text comes back as an argument", arguments: 0..<4)
  func arguments(seed: UInt64) throws {
    let warehouse = try Warehouse()
    var trees = RandomTrees(random: SeededGenerator(seed: seed &* 31 &+ 1))
    trees.objectIDs = (1...3).map { warehouse.id(warehouse.item, $0) }
    for _ in 0..<200 {
      let predicate = trees.predicate(3)
      let (format, arguments) = predicate.formatWithArguments
      #expect(try FetchPredicate(parsing: format, arguments: arguments) == predicate, "\(format)")
    }
    let infinite = FetchPredicate.comparison(["a"], .equal, .double(.infinity))
    let (format, arguments) = infinite.formatWithArguments
    #expect(format == "a == %@")
    #expect(try FetchPredicate(parsing: format, arguments: arguments) == infinite.generalized)
  }

  @Test("dates that are no number are shown and come back as arguments", arguments: [Double.nan, .infinity])
  func strangeDates(seconds: Double) throws {
    let predicate = FetchPredicate.comparison(["a"], .equal, .date(Date(timeIntervalSinceReferenceDate: seconds)))
    #expect(predicate.predicateFormat == "a == <date \(seconds)>")
    let (format, arguments) = predicate.formatWithArguments
    #expect(try FetchPredicate(parsing: format, arguments: arguments).predicateFormat == predicate.predicateFormat)
  }

  @Test("compact cases are written as comparisons")
  func compact() throws {
    let warehouse = try Warehouse()
    let cases: [(FetchPredicate, String)] = [
      (.comparison(["a", "in"], .beginsWith, .string("x")), "a.#in BEGINSWITH \"x\""),
      (.isIn(["a"], [.integer(1), .null]), "a IN {1, nil}"),
      (
        .tupleIsIn([["a"], ["b"]], [[.integer(1), .integer(2)], [.null, .null]]),
        "(a == 1 AND b == 2) OR (a == nil AND b == nil)"
      ),
      (.tupleIsIn([["a"]], []), "FALSEPREDICATE"), (.refersTo(["p"], nil), "p == nil"),
      (.refersTo(["p"], warehouse.id(warehouse.item, 3)), "p == <Item/p3>"), (.and([]), "TRUEPREDICATE"),
      (.or([]), "FALSEPREDICATE"),
      (.not(.or([.all, .none])), "NOT (TRUEPREDICATE OR FALSEPREDICATE)"),
      (.selfIsIn([warehouse.id(warehouse.crate, 1)]), "SELF IN {<Crate/p1>}"),
    ]
    for (predicate, text) in cases {
      #expect(predicate.predicateFormat == text)
      let (format, arguments) = predicate.formatWithArguments
      #expect(try FetchPredicate(parsing: format, arguments: arguments) == predicate.generalized)
    }
  }
}
