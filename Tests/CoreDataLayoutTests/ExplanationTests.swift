import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

/// How requests are answered, and what advice is given about indexes.
@Suite("explanations")
struct ExplanationTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let item: Entity

  init() throws {
    folder = try TemporaryFolder()
    var entity = EntityDefinition("Item")
    entity.attributes = [.init("price", .integer64), .init("name", .string), .init("rank", .integer64)]
    entity.relationships = [
      .init("owner", toOne: "Item", inverse: "parts"), .init("parts", toMany: "Item", inverse: "owner"),
    ]
    entity.fetchIndexes = [.init("byRank", elements: [.init(.property("rank"))])]
    let model = try ManagedObjectModel(entities: [entity])
    store = try SQLiteStore.create(path: folder.path("Shop.sqlite"), model: model)
    item = try model.required("Item")
    let columns: [RowBatch.Column] = [
      .init(.attribute("price"), .integer), .init(.attribute("name"), .bytes), .init(.attribute("rank"), .integer),
    ]
    let rows: [[Cell]] = (0..<5_000).map { [.integer(Int64($0)), .text("n\($0)"), .integer(Int64($0))] }
    try store.insert(makeBatch(item, columns, rows), keys: (1...5_000).map { Int64($0) })
  }

  private func request(_ format: String, sortedBy: String? = nil) throws -> FetchSpecification {
    var request = FetchSpecification(item)
    request.predicate = try FetchPredicate(parsing: format)
    if let sortedBy { request.sortDescriptors = [FetchSortDescriptor([sortedBy])] }
    return request
  }

  private static let hasShell = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/sqlite3")
  }

  @Test("a request that no index helps scans and sorts; one that an index is meant for does neither")
  func plans() throws {
    let scanned = try store.explanation(of: request("price == 4", sortedBy: "name"))
    #expect(scanned.scansTable && scanned.usesTemporaryTree && scanned.predicateInMemory == nil)
    #expect(scanned.statement.contains("?1") && !scanned.boundStatement.contains("?1"))
    #expect(scanned.plan.contains { $0.contains("<- every row") })
    let indexed = try store.explanation(of: request("rank == 4"))
    #expect(!indexed.scansTable && !indexed.usesTemporaryTree)
    #expect(indexed.plan.contains { $0.contains("Z_Item_byRank") })
  }

  @Test("what SQL cannot say is named")
  func inMemory() throws {
    let explained = try store.explanation(of: request("rank > 3 AND name MATCHES '(n)\\\\1?[0-9]+'"))
    if let rest = explained.predicateInMemory { #expect("\(rest)".contains("MATCHES")) }
    #expect(try store.snapshots(request("rank > 3 AND name MATCHES '(n)\\\\1?[0-9]+'")).count >= 0)
  }

  @Test(
    "an index that would help is declared as the model has it, and gains in a copy",
    .enabled(if: hasShell, "the shell sqlite3 is not there"))
  func advice() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let advice = try store.indexAdvice(for: request("price == 4"))
    let index = try #require(advice.first)
    #expect(index.entity == "Item")
    #expect(index.elements.map(\.property) == ["price"] && index.elements.allSatisfy(\.isAscending))
    #expect(
      index.declaration == """
        <fetchIndex name="byPrice">
            <fetchIndexElement property="price" type="Binary" order="ascending"/>
        </fetchIndex>
        """)
    #expect(index.secondsBefore > 0 && index.secondsAfter > 0)
    // The store itself is as it was, and what is declared makes the scan go.
    #expect(try Data(contentsOf: URL(fileURLWithPath: store.path)) == bytes)
    #expect(try store.indexAdvice(for: request("rank == 4")).isEmpty)
  }

  @Test(
    "relationships and several properties are advised by their names",
    .enabled(if: hasShell, "the shell sqlite3 is not there"))
  func compound() throws {
    let advice = try store.indexAdvice(for: request("price == 4 AND name == 'n4'"))
    #expect(Set(advice.flatMap(\.elements).map(\.property)).isSubset(of: ["price", "name"]))
    #expect(!advice.isEmpty)
  }

  @Test(
    "an index that the store has is not advised again", .enabled(if: hasShell, "the shell sqlite3 is not there"),
    arguments: ["TRUEPREDICATE", "rank > 10", "price >= 0"])
  func present(format: String) throws {
    for ascending in [true, false] {
      var sorted = try request(format)
      sorted.sortDescriptors = [FetchSortDescriptor(key: "rank", ascending: ascending)]
      for index in try store.indexAdvice(for: sorted) {
        #expect(index.elements.map(\.property) != ["rank"])
      }
    }
  }

  @Test("a request that the shell cannot read says so", .enabled(if: hasShell, "the shell sqlite3 is not there"))
  func functions() throws {
    let error = #expect(throws: IndexAdviceError.self) { try store.indexAdvice(for: request("name ==[cd] 'N4'")) }
    #expect("\(try #require(error))".contains("no such function"))
  }
}
