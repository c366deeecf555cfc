import Foundation
import Predicates
import StoreInterface
import TestStores
import Testing

/// What generated accessors give `#Predicate` to speak of; the entity is that of `Warehouse`.
private final class Item: PropertyNaming {
  var code: String?
  var name: String { code ?? "" }
  var rank: Int64 = 0
  var weight: Double = 0
  var born: Date?
  var parent: Item?
  var children: [Item] = []
  var tags: [Tag] = []
  var isNew: Bool { rank == 0 }

  static func propertyName(for keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \Item.code, \Item.name: "code"
    case \Item.rank: "rank"
    case \Item.weight: "weight"
    case \Item.born: "born"
    case \Item.parent: "parent"
    case \Item.children: "children"
    case \Item.tags: "tags"
    default: nil
    }
  }
}

private final class Tag: PropertyNaming {
  var name: String?

  static func propertyName(for keyPath: AnyKeyPath) -> String? { keyPath == \Tag.name ? "name" : nil }
}

private enum Grade: Int, Codable { case low = 1, high = 5 }

@Suite("#Predicate of Foundation")
struct PredicateMacroTests {
  private struct Case {
    var macro: Predicate<Item>
    var format: String
    var keys: [Int64]

    init(_ macro: Predicate<Item>, _ format: String, _ keys: [Int64]) {
      self.macro = macro
      self.format = format
      self.keys = keys
    }
  }

  private static func cases() -> [Case] {
    let limit: Int64 = 4
    let names = ["b", "C"]
    let noName: String? = nil
    let ranks = Int64(5)..<9
    let from = Int64(5)...
    return [
      Case(#Predicate { $0.rank > limit && $0.code != nil }, "rank > 4 AND code != nil", [2, 4]),
      Case(#Predicate { $0.rank == 1 || !($0.rank <= 5) }, "rank == 1 OR NOT rank <= 5", [1, 3, 4]),
      Case(#Predicate { $0.code == noName }, "code == nil", [5]),
      Case(#Predicate { $0.parent?.code == "root" }, "parent.code == \"root\"", [2, 3]),
      Case(#Predicate { $0.parent?.parent?.code == "root" }, "parent.parent.code == \"root\"", [4]),
      Case(#Predicate { names.contains($0.name) }, "code IN {\"b\", \"C\"}", [2, 3]),
      Case(#Predicate { (1...5).contains($0.rank) }, "rank BETWEEN {1, 5}", [1, 2, 5]),
      Case(#Predicate { ranks.contains($0.rank) }, "rank >= 5 AND rank < 9", [2, 5]),
      Case(#Predicate { from.contains($0.rank) }, "rank >= 5", [2, 4, 5]),
      Case(#Predicate { $0.name.contains("oo") }, "code CONTAINS \"oo\"", [1]),
      Case(#Predicate { $0.name.starts(with: "r") }, "code BEGINSWITH \"r\"", [1]),
      Case(#Predicate { $0.name.contains(/o+t/) }, "code MATCHES \"(?s:.*)(?-ms:o+t)(?s:.*)\"", [1]),
      Case(#Predicate { $0.name.isEmpty }, "code == \"\"", []),
      Case(#Predicate { $0.children.isEmpty }, "children.@count == 0", [3, 4, 5]),
      Case(#Predicate { $0.tags.count == 2 }, "tags.@count == 2", [2]),
      Case(
        #Predicate { $0.tags.contains { $0.name == "red" } }, "SUBQUERY(tags, $x1, $x1.name == \"red\").@count > 0",
        [2, 4]),
      Case(
        #Predicate { item in item.children.contains { $0.rank > item.rank } },
        "SUBQUERY(children, $x1, $x1.rank > rank).@count > 0",
        [1, 2]),
      Case(
        #Predicate { $0.children.contains { $0.tags.contains { $0.name == "red" } } },
        "SUBQUERY(children, $x1, SUBQUERY($x1.tags, $x2, $x2.name == \"red\").@count > 0).@count > 0", [1, 2]),
      Case(
        #Predicate { $0.tags.allSatisfy { $0.name == "red" } },
        "SUBQUERY(tags, $x1, NOT $x1.name == \"red\").@count == 0", [1, 4, 5]),
      Case(
        #Predicate { $0.tags.filter { $0.name != nil }.count == 2 }, "SUBQUERY(tags, $x1, $x1.name != nil).@count == 2",
        [2]),
      Case(#Predicate { $0.children.first?.rank == nil }, "children[FIRST].rank == nil", [1, 3, 4, 5]),
      Case(#Predicate { $0.rank * 2 + 1 == 11 }, "((rank * 2) + 1) == 11", [2, 5]),
      Case(
        #Predicate { $0.rank / 2 == 2 && $0.rank % 2 == 1 }, "(rank / 2) == 2 AND modulus:by:(rank, 2) == 1", [2, 5]),
      Case(#Predicate { -$0.weight < -2 }, "(0 - weight) < -2.0", [1]),
      Case(#Predicate { ($0.code ?? "none") == "none" }, "TERNARY(code == nil, \"none\", code) == \"none\"", [5]),
      Case(#Predicate { $0.parent.flatMap { $0.rank != 1 } ?? false }, "parent != nil AND parent.rank != 1", [4]),
      Case(#Predicate { $0.parent.flatMap { $0.rank == 5 } ?? true }, "parent == nil OR parent.rank == 5", [1, 4, 5]),
      Case(#Predicate { $0.parent.flatMap { $0.rank == 5 } == true }, "parent != nil AND parent.rank == 5", [4]),
      Case(
        #Predicate {
          if let code = $0.code { code == "b" } else { $0.rank == 5 }
        }, "(code != nil AND code == \"b\") OR (code == nil AND rank == 5)", [2, 5]),
      Case(#Predicate { ($0.rank > 4 ? 1 : 2) == 1 }, "TERNARY(rank > 4, 1, 2) == 1", [2, 4, 5]),
      Case(
        #Predicate { $0.rank > 4 ? $0.code == nil : $0.rank == 1 },
        "(rank > 4 AND code == nil) OR (NOT rank > 4 AND rank == 1)",
        [1, 5]),
      Case(#Predicate { _ in true }, "TRUEPREDICATE", [1, 2, 3, 4, 5]),
    ]
  }

  @Test("converts to the tree that the format language has for it, and selects the same objects")
  func conversions() throws {
    let warehouse = try Warehouse.filled()
    for example in Self.cases() {
      let predicate = try FetchPredicate(example.macro)
      #expect(predicate.predicateFormat == example.format)
      #expect(try FetchPredicate(parsing: example.format) == predicate)
      #expect(try warehouse.keys(warehouse.item) { $0.predicate = predicate } == example.keys, "\(example.format)")
    }
  }

  @Test("enumerations and dates are constants")
  func constants() throws {
    let grade = Grade.high
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let value = Predicate<Item> {
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg($0), keyPath: \.rank),
        rhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg($0), keyPath: \.rank))
    }
    #expect(try FetchPredicate(value).predicateFormat == "rank == rank")
    #expect(try FetchPredicate(#Predicate<Item> { $0.born == date }).predicateFormat == "born == CAST(5.0, \"NSDate\")")
    let grades = #Predicate<Item> { _ in grade == grade }
    let format = try FetchPredicate(grades).predicateFormat
    #expect(format == "5 == 5")
  }

  @Test("what has no meaning for a store is an error that names it")
  func refused() throws {
    func message(_ predicate: Predicate<Item>) -> String {
      do {
        return try FetchPredicate(predicate).predicateFormat
      } catch {
        return error.description
      }
    }
    #expect(message(#Predicate { $0.isNew }).contains("is no property of the model"))
    #expect(message(#Predicate { $0.name.count > 1 }).contains("count"))
    let values = [Locale(identifier: "de")]
    #expect(message(#Predicate { _ in values.isEmpty }).contains("Locale"))
  }
}
