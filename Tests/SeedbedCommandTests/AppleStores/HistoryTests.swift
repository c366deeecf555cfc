import Foundation
import TestSupport
import Testing

/// Imports into a store that keeps persistent history.
@Suite("History", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct HistoryTests {
  private static let store = "store.sqlite"

  private func imported(_ fixture: AppleStore = .library) async throws -> Workspace {
    let workspace = try Workspace()
    try fixture.copy(to: "origin.sqlite", in: workspace)
    try fixture.write(
      "import.yaml", model: "origin.sqlite", settings: ["path: \(Self.store)", "seed: origin.sqlite"], to: workspace)
    let outcome = try await workspace.run("run", "--quiet", "import.yaml")
    guard outcome.exitCode == 0 else { throw UnexpectedFailure(outcome: outcome) }
    return workspace
  }

  /// `transaction: type entity/key columns` of the changes that were added, in their order.
  private func changes(_ workspace: Workspace) throws -> [String] {
    try workspace.query(
      Self.store,
      """
      SELECT ZTRANSACTIONID || ': ' || ZCHANGETYPE || ' ' || ZENTITY || '/' || ZENTITYPK
        || CASE WHEN ZCOLUMNS IS NULL THEN '' ELSE ' ' || hex(ZCOLUMNS) END
      FROM ACHANGE WHERE Z_PK > 5468 ORDER BY Z_PK
      """)
  }

  @Test("rows have the shape of those that Apple's framework wrote")
  func shape() async throws {
    let workspace = try await imported()
    // The columns that are set, and their storage classes, are the same for old rows and new ones of a type.
    func shapes(_ table: String, _ columns: [String], where condition: String) throws -> [String] {
      let list = columns.map { "typeof(\($0))" }.joined(separator: " || ' ' || ")
      return try workspace.query(Self.store, "SELECT DISTINCT \(list) FROM \(table) WHERE \(condition) ORDER BY 1")
    }
    let change = ["Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
    #expect(
      try shapes("ACHANGE", change, where: "ZCHANGETYPE = 0 AND Z_PK > 5468")
        == shapes("ACHANGE", change, where: "Z_PK <= 5468"))
    #expect(
      try shapes("ACHANGE", change, where: "ZCHANGETYPE = 1")
        == ["integer null integer integer integer integer blob"])
    let transaction = [
      "Z_ENT", "Z_OPT", "ZBUNDLEIDTS", "ZPROCESSIDTS", "ZTIMESTAMP", "ZAUTHOR", "ZPROCESSID", "ZQUERYGEN",
    ]
    #expect(
      try shapes("ATRANSACTION", transaction, where: "Z_PK > 1")
        == shapes("ATRANSACTION", transaction, where: "Z_PK = 1"))
    #expect(
      try workspace.query(Self.store, "SELECT DISTINCT Z_ENT FROM ACHANGE UNION SELECT Z_ENT FROM ATRANSACTION")
        == ["16001", "16002"])
    #expect(
      try workspace.query(Self.store, "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK > 2")
        == ["3|16003|∅|import", "4|16003|∅|seedbed", "5|16003|∅|seedbed.import"])
    #expect(
      try workspace.query(
        Self.store,
        "SELECT DISTINCT ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS FROM ATRANSACTION WHERE Z_PK > 1")
        == ["3|4|5|4"])
    #expect(
      try workspace.query(
        Self.store,
        """
        SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001) - (SELECT max(Z_PK) FROM ACHANGE),
          (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002) - (SELECT max(Z_PK) FROM ATRANSACTION),
          (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16003) - (SELECT max(Z_PK) FROM ATRANSACTIONSTRING)
        """) == ["0|0|0"])
  }

  @Test("every changed object has one row per transaction, with the properties that changed")
  func objects() async throws {
    let workspace = try await imported()
    // Entities: 1 Book, 3 Feedback, 4 Page, 6 Author. Properties in name order from the highest bit: of Author age,
    // alias, books, favFeedbacks (fetched, so not counted), feedbacks, siteURL; of Book author, cover, pages,
    // pagesCount, price, publishedAt, title, uniqueID.
    let found = try changes(workspace)
    #expect(Set(found.prefix(2)) == ["2: 0 6/3", "2: 1 6/1 80"])
    // A new book with its pages. The author who has one more is new, too.
    #expect(Set(found[2..<5]) == ["3: 0 1/53", "3: 0 4/4971", "3: 0 4/4972"])
    // The book of before has one row for what its record says and for the page that it got.
    #expect(found[5...] == ["4: 1 1/1 22", "5: 0 4/4973", "6: 0 3/445"])
  }

  @Test("without a stated time the clock's is taken, and the report says so")
  func timestamps() async throws {
    let workspace = try Workspace()
    try AppleStore.library.copy(to: "origin.sqlite", in: workspace)
    try AppleStore.library.write(
      "import.yaml", model: "origin.sqlite", settings: ["path: \(Self.store)", "seed: origin.sqlite"], to: workspace)
    let begin = Date().timeIntervalSinceReferenceDate
    let outcome = try await workspace.run("run", "import.yaml")
    #expect((outcome.text + outcome.talk).contains("store.now states a time"))
    #expect(
      try workspace.query(
        Self.store,
        "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > 1 AND ZTIMESTAMP BETWEEN \(begin - 1) AND \(begin + 600)")
        == ["5"])
  }

  @Test("a stated time is the transactions' time")
  func statedTime() async throws {
    let workspace = try Workspace()
    try AppleStore.library.copy(to: "origin.sqlite", in: workspace)
    try AppleStore.library.write(
      "import.yaml", model: "origin.sqlite",
      settings: ["path: \(Self.store)", "seed: origin.sqlite", "now: \"2026-01-31T12:00:00Z\""], to: workspace)
    #expect(try await workspace.run("run", "--quiet", "import.yaml").exitCode == 0)
    #expect(
      try workspace.query(
        Self.store, "SELECT DISTINCT datetime(ZTIMESTAMP + 978307200, 'unixepoch') FROM ATRANSACTION WHERE Z_PK > 1")
        == ["2026-01-31 12:00:00"])
  }

  @Test("an import that changes nothing writes no history")
  func unchanged() async throws {
    var fixture = AppleStore.library
    fixture.seeds = ["authors.ndjson": [#"{"alias":"Andrea","age":30}"#]]
    fixture.steps = [fixture.steps[0]]
    #expect(try changes(await imported(fixture)).isEmpty)
  }

  @Test("an object that a late reject takes away was inserted and deleted")
  func lateReject() async throws {
    var fixture = AppleStore.library
    fixture.seeds = [
      "pages.ndjson": [#"{"number":1,"content":"AAEC","book":"00000000-0000-0000-0000-000000000000"}"#]
    ]
    fixture.steps = [fixture.steps[3], "rejects: { limit: 1 }"]
    let workspace = try Workspace()
    try fixture.copy(to: "origin.sqlite", in: workspace)
    try fixture.write(
      "import.yaml", model: "origin.sqlite", settings: ["path: \(Self.store)", "seed: origin.sqlite"], to: workspace)
    #expect(try await workspace.run("run", "--quiet", "import.yaml").exitCode == 1)
    #expect(try changes(workspace) == ["2: 0 4/4971", "3: 2 4/4971"])
    #expect(try workspace.query(Self.store, "SELECT count(*) FROM ZPAGE WHERE Z_PK > 4970") == ["0"])
  }
}
