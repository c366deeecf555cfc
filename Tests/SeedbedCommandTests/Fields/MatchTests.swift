import Testing

/// What happens to objects that exist already.
@Suite("Matching")
struct MatchTests {
  /// Both ways of writing to a table that has rows.
  static let strategies = ["upsert", "find-or-create"]
  private static let rows = "SELECT ZIDENTIFIER, ZNAME, ZCOUNT, ZRANK, ZNOTE, Z_OPT FROM ZITEM ORDER BY Z_PK"
  private static let map = [
    "identifier: id", "name: name", "count: count", "rank: rank", "note: note",
    "parent: { match: identifier, from: parent }",
  ]
  private static let first = """
    {"id":"a","name":"Apple","count":1,"rank":2,"note":"one"}
    {"id":"b","name":"Banana","count":2,"rank":3,"note":"two","parent":"a"}
    """

  /// A store with two items, and the pipeline for what comes next.
  private func prepared(_ strategy: String, _ settings: [String] = []) async throws -> (Workspace, ItemPipeline) {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", Self.first)
    var pipeline = ItemPipeline(source: "items.ndjson", map: Self.map, rejects: "file: rejects.csv, limit: 2")
    try pipeline.write(to: workspace)
    #expect(try await workspace.report("items.yaml").total.inserted == 2)
    pipeline.settings = ["strategy: \(strategy)"] + settings
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    return (workspace, pipeline)
  }

  @Test("update changes what the record carries: absent is not null", arguments: strategies)
  func update(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy)
    try workspace.write(
      "items.ndjson",
      """
      {"id":"a","note":null}
      {"id":"b","count":7,"parent":null}
      {"id":"c","name":"Cherry"}
      """)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 3, inserted: 1, updated: 2))
    #expect(report.steps.map(\.strategy) == [strategy])
    #expect(
      try workspace.query("Shop.sqlite", Self.rows)
        == ["a|Apple|1|2|∅|2", "b|Banana|7|3|two|2", "c|Cherry|∅|5|∅|1"])
    #expect(try workspace.query("Shop.sqlite", "SELECT count(ZPARENT) FROM ZITEM") == ["0"])
  }

  @Test("records that say nothing new leave their rows untouched", arguments: strategies)
  func unchanged(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy)
    let rows = try workspace.query("Shop.sqlite", "SELECT * FROM ZITEM")
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, unchanged: 2))
    #expect(try workspace.query("Shop.sqlite", "SELECT * FROM ZITEM") == rows)
    #expect(try workspace.query("Shop.sqlite", "SELECT DISTINCT Z_OPT FROM ZITEM") == ["1"])
  }

  @Test("keep leaves objects as they are", arguments: strategies)
  func keep(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy, ["on-match: keep"])
    try workspace.write("items.ndjson", #"{"id":"a","name":"Changed"}"# + "\n" + #"{"id":"c","name":"Cherry"}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, unchanged: 1))
    #expect(
      try workspace.query("Shop.sqlite", Self.rows)
        == ["a|Apple|1|2|one|1", "b|Banana|2|3|two|1", "c|Cherry|∅|5|∅|1"])
  }

  @Test("replace clears what the record does not carry", arguments: strategies)
  func replace(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy, ["on-match: replace"])
    try workspace.write("items.ndjson", #"{"id":"b","name":"Berry"}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 1, updated: 1))
    // The version of the parent rises, too: it has lost a member.
    #expect(report.ownersUpdated == 1)
    #expect(
      try workspace.query("Shop.sqlite", Self.rows) == ["a|Apple|1|2|one|2", "b|Berry|∅|5|∅|2"])
    #expect(try workspace.query("Shop.sqlite", "SELECT count(ZPARENT) FROM ZITEM") == ["0"])
  }

  @Test("fail rejects records whose objects exist", arguments: strategies)
  func fail(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy, ["on-match: fail"])
    try workspace.write("items.ndjson", #"{"id":"c","name":"Cherry"}"# + "\n" + #"{"id":"a","name":"Again"}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, rejected: 1))
    #expect(report.rejects.map(\.code) == ["match.exists"])
    #expect(report.rejects.map(\.value) == ["a"])
    #expect(report.rejects.map(\.line) == [2])
    #expect(
      try workspace.query("Shop.sqlite", Self.rows)
        == ["a|Apple|1|2|one|1", "b|Banana|2|3|two|1", "c|Cherry|∅|5|∅|1"])
  }

  @Test("an update that breaks a rule of the model is rejected and changes nothing", arguments: strategies)
  func badUpdate(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy)
    try workspace.write("items.ndjson", #"{"id":"a","rank":11}"# + "\n" + #"{"id":"b","name":null}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, rejected: 2))
    #expect(report.rejects.map(\.code) == ["value.above-maximum", "value.missing"])
    #expect(try workspace.query("Shop.sqlite", Self.rows) == ["a|Apple|1|2|one|1", "b|Banana|2|3|two|1"])
  }

  @Test("a new object needs what is required, an existing one has it", arguments: strategies)
  func incomplete(strategy: String) async throws {
    let (workspace, _) = try await prepared(strategy)
    try workspace.write("items.ndjson", #"{"id":"a","count":9}"# + "\n" + #"{"id":"z","count":9}"#)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, updated: 1, rejected: 1))
    #expect(report.rejects.map(\.code) == ["value.missing"])
    #expect(report.rejects.map(\.property) == ["name"])
  }

  // MARK: - Duplicates within one payload

  @Test(
    "of several records with one key, the stated one wins",
    arguments: [("last", "A3"), ("first", "A1"), ("reject", "A1")], ["automatic", "upsert", "find-or-create"])
  func duplicates(rule: (String, String), strategy: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A1\nb,B\na,A2\na,A3\n")
    let pipeline = ItemPipeline(
      settings: ["strategy: \(strategy)", "duplicates: \(rule.0)"], map: ["identifier: id", "name: name"],
      rejects: "limit: 2")
    try pipeline.write(to: workspace)
    let report = try await workspace.report("items.yaml")
    let isRejecting = rule.0 == "reject"
    #expect(
      report.total
        == Report.Counts(read: 4, inserted: 2, duplicate: isRejecting ? 0 : 2, rejected: isRejecting ? 2 : 0))
    #expect(report.rejects.map(\.line) == (isRejecting ? [4, 5] : []))
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM ORDER BY 1")
        == ["a|\(rule.1)", "b|B"])
  }

  @Test("the winner among duplicates does not depend on the number of workers")
  func duplicatesAcrossBatches() async throws {
    var stores: [[UInt8]] = []
    for jobs in ["1", "2", "5"] {
      let workspace = try Workspace.withModel()
      var text = "id,name\n"
      for number in 0..<20_000 { text += "i\(number % 7_000),N\(number)\n" }
      try workspace.write("items.csv", text)
      try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
      let report = try await workspace.report("items.yaml", "--jobs", jobs)
      #expect(report.total == Report.Counts(read: 20_000, inserted: 7_000, duplicate: 13_000))
      stores.append(try workspace.bytes("Shop.sqlite"))
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM WHERE ZIDENTIFIER = 'i3'") == ["N14003"])
    }
    #expect(stores.allSatisfy { $0 == stores[0] })
  }

  @Test("records that where: leaves out are counted as filtered")
  func filtered() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,count\na,A,1\nb,B,2\nc,C,3\nd,D,\n")
    try ItemPipeline(
      settings: ["where: \"count != 2\""], map: ["identifier: id", "name: name", "count: count"]
    ).write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 4, inserted: 3, filtered: 1))
  }
}
