import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Predicates over a graph of objects")
struct GraphTests {
  static let cases: [(String, [Int64])] = [
    ("rank == 5", [2, 5]), ("rank != 5", [1, 3, 4]), ("rank == nil", [3]), ("NOT rank > 4", [1, 3]), ("5 < rank", [4]),
    ("rank BETWEEN {5, 9}", [2, 4, 5]), ("rank IN {1, nil}", [1, 3]), ("code ==[c] 'c'", [3]), ("code ==[cd] 'E'", [4]),
    ("parent.code == 'root'", [2, 3]), ("parent.parent.code == 'root'", [4]), ("parent == nil", [1, 5]),
    ("parent != nil", [2, 3, 4]),
    ("parent.code == nil", [1, 5]), ("rank > parent.rank", [2, 4]), ("rank == weight + 4", [2, 3]),
    ("rank * 2 == 10", [2, 5]),
    ("ANY children.rank == 5", [1]), ("ANY children.rank == nil", [1]), ("ALL children.rank == 5", [3, 4, 5]),
    ("ALL children.rank == 9", [2, 3, 4, 5]),
    ("NONE children.rank == 5", [2, 3, 4, 5]), ("ANY tags.name == 'red'", [2, 4]),
    ("ANY tags.name IN {'blue', nil}", [2, 3]),
    ("ANY children.tags.name == 'red'", [1, 2]), ("ANY parent.tags.name == 'blue'", [4]),
    ("ANY tags.items.rank == 9", [2, 4]),
    ("code.length == 1", [2, 3, 4]), ("code.lowercaseString == 'c'", [3]),
    ("parent.code.uppercaseString == 'ROOT'", [2, 3]),
    ("ANY tags.name.length == 4", [2]), ("SUBQUERY(tags, $t, $t.name.uppercaseString == 'RED').@count > 0", [2, 4]),
    ("(parent).code == 'root'", [2, 3]), ("(rank & 4) == 4", [2, 5]),
    ("rank IN (5)", [2, 5]), ("tags.@count == 2", [2]), ("tags.@count == 0", [1, 5]), ("children.@sum.rank == 5", [1]),
    ("children.@sum.rank == 0", [3, 4, 5]),
    ("children.@avg.rank == 5", [1]), ("children.@min.rank == nil", [3, 4, 5]), ("children.@max.rank > 5", [2]),
    ("count:(children.rank) == 1", [1, 2]),
    ("SUBQUERY(tags, $t, $t.name == 'red').@count > 0", [2, 4]),
    ("SUBQUERY(tags, $t, $t.name == 'red' OR $t.name == 'blue').@count == 2", [2]),
    ("SUBQUERY(children, $c, $c.rank > rank).@count == 1", [1, 2]),
    ("SUBQUERY(children, $c, ANY $c.tags.name == 'red').@count != 0", [1, 2]),
    ("SUBQUERY(children, $c, SUBQUERY($c.tags, $t, $t.name BEGINSWITH 'r').@count == 1).@count == 1", [1, 2]),
    ("SUBQUERY(children, $c, $c == SELF).@count == 0", [1, 2, 3, 4, 5]), ("children[FIRST].code == 'C'", [1]),
    ("children[LAST].code == 'b'", [1]),
    ("children[0].code == 'C'", [1]), ("tags[SIZE] == 2", [2]), ("tags[1].name == 'red'", [2]),
    ("parent IN parent.parent.children", [4]),
    ("SELF IN parent.children", [2, 3, 4]), ("parent.children CONTAINS SELF", [2, 3, 4]),
    ("tags.name CONTAINS 'red'", [2, 4]),
    ("'red' IN tags.name", [2, 4]), ("tags.name CONTAINS nil", [3]), ("(tags UNION parent.tags)[SIZE] == 2", [2, 4]),
    ("(tags INTERSECT parent.tags).@count == 1", [4]),
    ("tags.@distinctUnionOfObjects.name.@count == 2", [2]), ("ANY notes.text == 'y'", [4]),
    ("TERNARY(rank == nil, 'none', code) == 'none'", [3]),
    ("length:(code) == 1", [2, 3, 4]), ("canonical:(code) == 'e'", [4]), ("startOfDay:(born) == 86400", [3]),
    ("day:(born) == 2", [3]), ("born < now()", [3, 5]),
    ("ANY children.code BEGINSWITH[c] 'c'", [1]), ("uppercase:(code) == 'B'", [2]),
    ("ANY SELF.children.parent.code == 'root'", [1]),
    ("entity.name == 'Crate'", [5]), ("entity == 'Item'", [1, 2, 3, 4]),
    ("SELF.entity.name !=[c] 'crate'", [1, 2, 3, 4]),
    ("entity.name IN {'Crate', 'Tag'}", [5]), ("entity.name LIKE 'C*'", [5]),
    ("parent.entity.name == 'Item'", [2, 3, 4]),
    ("parent.entity == nil", [1, 5]), ("parent.entity.name != 'Crate'", [1, 2, 3, 4, 5]),
    ("ANY children.entity.name == 'Item'", [1, 2]), ("'Item' IN children.entity.name", [1, 2]),
    ("SUBQUERY(tags, $t, $t.entity.name == 'Tag').@count == 2", [2]), ("length:(entity.name) == 5", [5]),
    ("objectID == SELF", [1, 2, 3, 4, 5]), ("parent.objectID == nil", [1, 5]),
    ("objectID IN parent.children", [2, 3, 4]),
  ]

  @Test("a predicate selects the objects that it means, compact or not", arguments: cases)
  func selection(format: String, expected: [Int64]) throws {
    let warehouse = try Warehouse.filled()
    let predicate = try FetchPredicate(parsing: format)
    #expect(try warehouse.keys(warehouse.item) { $0.predicate = predicate } == expected)
    #expect(try warehouse.keys(warehouse.item) { $0.predicate = .not(.not(predicate)) } == expected)
    let rest = try warehouse.keys(warehouse.item) { $0.predicate = .not(predicate) }
    #expect(rest == [1, 2, 3, 4, 5].filter { !expected.contains($0) })
  }

  @Test("combinations select what the sets of their parts say", arguments: 0..<4)
  func combinations(seed: UInt64) throws {
    let warehouse = try Warehouse.filled()
    var random = SeededGenerator(seed: seed &+ 99)
    func combination(_ depth: Int) throws -> (FetchPredicate, Set<Int64>) {
      guard depth > 0, let (format, keys) = Self.cases.randomElement(using: &random) else {
        return (.all, [1, 2, 3, 4, 5])
      }
      let first = (try FetchPredicate(parsing: format), Set(keys))
      let second = try combination(depth - 1)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return (.and([first.0, second.0]), first.1.intersection(second.1))
      case 1: return (.or([first.0, second.0]), first.1.union(second.1))
      default: return (.and([second.0, .not(first.0)]), second.1.subtracting(first.1))
      }
    }
    for _ in 0..<150 {
      let (predicate, keys) = try combination(4)
      let forms = [predicate, predicate.generalized, predicate.compacted(for: warehouse.item)]
      for form in forms + [try FetchPredicate(parsing: predicate.predicateFormat)] {
        #expect(try warehouse.keys(warehouse.item) { $0.predicate = form } == keys.sorted(), "\(form)")
      }
    }
  }

  @Test("objects compare by identity")
  func objects() throws {
    let warehouse = try Warehouse.filled()
    let root = warehouse.id(warehouse.item, 1)
    func keys(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> [Int64] {
      try warehouse.keys(warehouse.item) { $0.predicate = try FetchPredicate(parsing: format, arguments: arguments) }
    }
    #expect(try keys("parent == %@", root) == [2, 3])
    #expect(try keys("parent != %@", root) == [1, 4, 5])
    #expect(try keys("parent IN %@", [root, warehouse.id(warehouse.item, 2)]) == [2, 3, 4])
    #expect(try keys("SELF == %@", root) == [1])
    #expect(try keys("SELF IN %@", [root]) == [1])
    #expect(try keys("ANY children == %@", warehouse.id(warehouse.item, 3)) == [1])
    #expect(try keys("%@ IN tags", warehouse.id(warehouse.tag, 1)) == [2, 4])
    #expect(try keys("parent == 1") == [])
    #expect(try keys("%@.rank == rank", root) == [1])
    #expect(try keys("objectID == %@", root) == [1])
    #expect(try keys("objectID IN %@", [root, warehouse.id(warehouse.crate, 5)]) == [1, 5])
    #expect(try keys("parent.objectID == %@", root) == [2, 3])
    #expect(try keys("entity == %@", warehouse.crate) == [5])
    #expect(try keys("entity == %@", warehouse.item.definition) == [1, 2, 3, 4])
  }

  static let compactions: [(String, FetchPredicate)] = [
    ("rank == 5", .comparison(["rank"], .equal, .integer(5))), ("5 > rank", .comparison(["rank"], .less, .integer(5))),
    ("objectID == nil", .compare(.init(.selfObject, .equal, .constant(.null)))),
    ("parent.objectID == nil", .refersTo(["parent"], nil)),
    ("rank IN {1, 2 + 1}", .isIn(["rank"], [.integer(1), .integer(3)])), ("parent == nil", .refersTo(["parent"], nil)),
    ("code BEGINSWITH[n] 'a'", .comparison(["code"], .beginsWith, .string("a"))),
    ("rank ==[c] 5", .comparison(["rank"], .equal, .integer(5))),
    (
      "rank BETWEEN {1, 2}",
      .and([.comparison(["rank"], .greaterOrEqual, .integer(1)), .comparison(["rank"], .lessOrEqual, .integer(2))])
    ),
    ("ANY rank == 5", .comparison(["rank"], .equal, .integer(5))), ("1 == 1", .all), ("ANY {1} == 2", .none),
    ("NOT parent.parent == nil", .not(.refersTo(["parent", "parent"], nil))),
  ]

  @Test("what compact cases say is found", arguments: compactions)
  func compaction(format: String, expected: FetchPredicate) throws {
    let warehouse = try Warehouse()
    #expect(try FetchPredicate(parsing: format).compacted(for: warehouse.item) == expected)
  }

  static let refusedFormats: [String] = [
    "nope == 1", "parent.nope == 1", "nope.code == 1", "children.rank == 1", "children == nil", "code == tags.name",
    "rank == $x",
    "SUBQUERY(tags, $t, $t.nope == 1).@count > 0", "SUBQUERY(tags, $t, $u.name == 1).@count > 0",
    "SUBQUERY(parent, $t, $t.rank == 1).@count > 0",
    "parent.@count == 1", "rank.x == 1", "rank BETWEEN 5", "code MATCHES '('", "indexed:by:(code, 'nope') == 'a'",
    "rank + children.rank == 1",
    "tags[0].nope == 1", "TERNARY(nope == 1, 1, 2) == 1", "TERNARY(rank == 1, tags, 2) == 1",
    "CAST(children, 'NSString') == 'a'",
    "rank IN 5", "rank IN weight", "SELF IN parent", "code IN CAST(rank, 'NSDate')", "nope.length == 1",
    "code.length.length == 1",
    "ALL tags.nope == 1", "rank == {1}", "rank < {1, 2}", "(tags UNION nope).@count == 1", "ANY tags.name == tags.name",
  ]

  @Test("what the model does not have, and lists where one value belongs, are errors", arguments: refusedFormats)
  func refused(format: String) throws {
    let warehouse = try Warehouse()
    let predicate = try FetchPredicate(parsing: format)
    #expect(throws: StoreError.self) { try warehouse.keys(warehouse.item) { $0.predicate = predicate } }
  }
}
