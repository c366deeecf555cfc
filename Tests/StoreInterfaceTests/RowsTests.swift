import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import Testing

@Suite("Requests for dictionaries and ids")
struct RowsTests {
  static func cells(_ warehouse: Warehouse, _ change: (inout FetchSpecification) throws -> Void) throws
    -> [[ExpressionValue]]
  {
    var request = FetchSpecification(warehouse.item)
    try change(&request)
    let rows = try warehouse.store.rows(request)
    return rows.indices.map { row in rows.columns.indices.map { rows[row, $0] } }
  }

  static func values(_ values: Value...) -> [ExpressionValue] { values.map { .value($0) } }

  @Test("columns are properties, key paths and expressions of each object")
  func columns() throws {
    let warehouse = try Warehouse.filled()
    let cells = try Self.cells(warehouse) {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["code"]), FetchedExpression(keyPath: ["parent", "code"]),
        FetchedExpression(keyPath: ["parent"]),
        FetchedExpression("twice", try FetchExpression(parsing: "rank * 2")),
        FetchedExpression("tagCount", try FetchExpression(parsing: "tags.@count")),
      ]
      $0.sortDescriptors = [.init(["twice"], ascending: false), .init(["code"])]
      $0.fetchLimit = 3
    }
    let ids = (0...5).map { warehouse.id(warehouse.item, Int64($0)) }
    #expect(
      cells == [
        [.value(.string("é")), .value(.string("b")), .object(ids[2]), .value(.integer(18)), .value(.integer(1))],
        [.missing, .missing, .missing, .value(.integer(10)), .value(.integer(0))],
        [.value(.string("b")), .value(.string("root")), .object(ids[1]), .value(.integer(10)), .value(.integer(2))],
      ])
  }

  @Test("without properties every attribute and to-one relationship is fetched, missing values left out")
  func everything() throws {
    let warehouse = try Warehouse.filled()
    var request = FetchSpecification(warehouse.crate)
    #expect(
      try warehouse.store.dictionaries(request) == [
        [
          "rank": .value(.integer(5)), "size": .value(.integer(7)),
          "born": .value(.date(Date(timeIntervalSinceReferenceDate: 5))),
        ]
      ])
    request.predicate = .none
    #expect(try warehouse.store.rows(request).isEmpty)
    let rows = try warehouse.store.rows(FetchSpecification(warehouse.item))
    #expect(rows.columns == ["born", "code", "rank", "weight", "parent"])
    #expect(rows.count == 5)
    #expect(rows[1]["parent"] == .object(warehouse.id(warehouse.item, 1)))
    #expect(rows[1]["nope"] == .missing)
    #expect(try warehouse.store.objectIDs(FetchSpecification(warehouse.crate)) == [warehouse.id(warehouse.crate, 5)])
  }

  @Test("groups, aggregates, having, and a group of everything")
  func groups() throws {
    let warehouse = try Warehouse.filled()
    let grouped = try Self.cells(warehouse) {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["rank"]),
        FetchedExpression("n", try FetchExpression(parsing: "count:(SELF)")),
        FetchedExpression("codes", try FetchExpression(parsing: "count:(code)")),
        FetchedExpression("tags", try FetchExpression(parsing: "count:(tags)")),
        FetchedExpression("share", try FetchExpression(parsing: "sum:(weight) / count:(SELF)")),
      ]
      $0.propertiesToGroupBy = [["rank"]]
    }
    #expect(
      grouped == [
        Self.values(.null, .integer(1), .integer(1), .integer(1), .integer(0)),
        Self.values(.integer(1), .integer(1), .integer(1), .integer(0), .double(2.5)),
        Self.values(.integer(5), .integer(2), .integer(1), .integer(2), .double(0.5)),
        Self.values(.integer(9), .integer(1), .integer(1), .integer(1), .integer(0)),
      ])
    let having = try Self.cells(warehouse) {
      $0.propertiesToFetch = [
        FetchedExpression("day", try FetchExpression(parsing: "startOfDay:(born)")),
        FetchedExpression("n", try FetchExpression(parsing: "count:(SELF)")),
      ]
      $0.propertiesToGroupBy = [["day"]]
      $0.havingPredicate = try FetchPredicate(parsing: "n < 3 AND day != nil")
      $0.sortDescriptors = [.init(["day"], ascending: false)]
    }
    #expect(
      having == [
        Self.values(.date(Date(timeIntervalSinceReferenceDate: 86_400)), .integer(1)),
        Self.values(.date(Date(timeIntervalSinceReferenceDate: 0)), .integer(1)),
      ])
    let all = try Self.cells(warehouse) {
      $0.predicate = .none
      $0.propertiesToFetch = [
        FetchedExpression("n", try FetchExpression(parsing: "count:(SELF)")),
        FetchedExpression("max", try FetchExpression(parsing: "max:(rank)")),
        FetchedExpression("one", try FetchExpression(parsing: "1")),
      ]
    }
    #expect(all == [Self.values(.integer(0), .null, .integer(1))])
  }

  @Test("a collection operator that stands alone works on the rows of the group, and means nothing for one object")
  func operatorsAlone() throws {
    let warehouse = try Warehouse.filled()
    let grouped = try Self.cells(warehouse) {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["rank"]), FetchedExpression("n", try FetchExpression(parsing: "@count")),
        FetchedExpression("heaviest", try FetchExpression(parsing: "@max.weight")),
        FetchedExpression("share", try FetchExpression(parsing: "@sum.weight / @count")),
      ]
      $0.propertiesToGroupBy = [["rank"]]
      $0.havingPredicate = try FetchPredicate(parsing: "@count == 2 OR @min.rank == 1")
      $0.sortDescriptors = [.init(["n"])]
    }
    #expect(
      grouped == [
        Self.values(.integer(1), .integer(1), .double(2.5), .double(2.5)),
        Self.values(.integer(5), .integer(2), .double(1), .double(0.5)),
      ])
    var request = FetchSpecification(warehouse.item)
    request.predicate = try FetchPredicate(parsing: "@count > 1")
    #expect(throws: StoreError.self) { try request.checkKeyPaths() }
    request.predicate = try FetchPredicate(parsing: "SELF.@sum.rank > 1")
    #expect(throws: StoreError.self) { try request.checkKeyPaths() }
  }

  @Test("the name of an object's entity may be a column, and what is grouped by")
  func entityNames() throws {
    let warehouse = try Warehouse.filled()
    let cells = try Self.cells(warehouse) {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["entity", "name"]),
        FetchedExpression("n", try FetchExpression(parsing: "@count")),
      ]
      $0.propertiesToGroupBy = [["entity", "name"]]
      $0.sortDescriptors = [.init(["n"])]
    }
    #expect(
      cells == [Self.values(.string("Crate"), .integer(1)), Self.values(.string("Item"), .integer(4))])
  }

  @Test("distinct rows come once, ordered by their columns")
  func distinct() throws {
    let warehouse = try Warehouse.filled()
    let cells = try Self.cells(warehouse) {
      $0.propertiesToFetch = [FetchedExpression(keyPath: ["rank"])]
      $0.returnsDistinctResults = true
      $0.fetchOffset = 1
    }
    #expect(cells == [Self.values(.integer(1)), Self.values(.integer(5)), Self.values(.integer(9))])
  }

  static let refusedChanges: [@Sendable (inout FetchSpecification) throws -> Void] = [
    { $0.propertiesToFetch = [FetchedExpression(keyPath: ["nope"])] },
    { $0.propertiesToFetch = [FetchedExpression(keyPath: ["tags"])] },
    { $0.propertiesToFetch = [FetchedExpression(keyPath: ["code"]), FetchedExpression(keyPath: ["code"])] },
    { $0.propertiesToFetch = [FetchedExpression("", .keyPath(["code"]))] },
    {
      $0.propertiesToFetch = [
        FetchedExpression(keyPath: ["code"]),
        FetchedExpression("n", try FetchExpression(parsing: "count:(SELF)")),
      ]
    },
    { $0.propertiesToFetch = [FetchedExpression("n", try FetchExpression(parsing: "sum:(count:(tags))"))] },
    { $0.havingPredicate = try FetchPredicate(parsing: "rank == 1") }, { $0.propertiesToGroupBy = [["tags"]] },
    {
      $0.propertiesToFetch = [FetchedExpression(keyPath: ["rank"])]
      $0.propertiesToGroupBy = [["rank"]]
      $0.sortDescriptors = [.init(["code"])]
    },
    {
      $0.propertiesToFetch = [FetchedExpression(keyPath: ["rank"])]
      $0.returnsDistinctResults = true
      $0.sortDescriptors = [.init(["code"])]
    },
    {
      $0.propertiesToFetch = [FetchedExpression(keyPath: ["rank"])]
      $0.propertiesToGroupBy = [["rank"]]
      $0.havingPredicate = try FetchPredicate(parsing: "code == 'a'")
    },
    { $0.predicate = try FetchPredicate(parsing: "rank CONTAINS 5") },
    { $0.predicate = try FetchPredicate(parsing: "ANY tags CONTAINS 'red'") },
  ]

  @Test("requests without a meaning are errors", arguments: refusedChanges.indices)
  func refused(index: Int) throws {
    let warehouse = try Warehouse()
    var request = FetchSpecification(warehouse.item)
    try Self.refusedChanges[index](&request)
    #expect(throws: StoreError.self) { try warehouse.store.rows(request) }
  }

  @Test("cells of every kind come back as they went in, also past the first allocation")
  func kinds() throws {
    let warehouse = try Warehouse()
    let url = try #require(URL(string: "https://example.org/a"))
    let values: [ExpressionValue] = [
      .missing, .value(.integer(.min)), .value(.boolean(true)), .value(.double(-0.5)),
      .value(.decimal(Decimal(string: "10.25") ?? 0)),
      .value(.string("é😀")), .value(.string("")), .value(.date(Date(timeIntervalSinceReferenceDate: 1.5))),
      .value(.data(Data())),
      .value(.data(Data([0, 1, 255]))), .value(.uuid(UUID())), .value(.uri(url)),
      .object(warehouse.id(warehouse.crate, 7)),
    ]
    var builder = FetchedRows.Builder(
      columns: values.indices.map { "c\($0)" }, storeIdentifier: warehouse.store.identifier, model: warehouse.model)
    for _ in 0..<500 { for value in values { builder.append(value) } }
    let rows = builder.finish()
    #expect(rows.count == 500)
    for row in [0, 1, 250, 499] { #expect(values.indices.map { rows[row, $0] } == values) }
    #expect(rows[7].dictionary.count == values.count - 1)
    var unfinished = FetchedRows.Builder(columns: ["a"], storeIdentifier: "", model: warehouse.model)
    unfinished.append(.value(.integer(1)))
  }
}
