import Foundation
import Testing

/// `expect:` of steps and of the store: a run that does not meet it leaves the store that is there.
@Suite("Expectations")
struct ExpectationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// `expect:` of the step.
    var step = ""
    /// Items of `expect:` of the store.
    var store: [String] = []
    /// Parts of the message; none: it is met.
    var says: [String] = []
    var testDescription: String { step + store.joined(separator: " ") }
  }

  /// Two of four records are taken up, one is filtered, one rejected; before there were five rows.
  private static let before = "id,name\na,A\nb,B\nc,C\nd,D\ne,E\n"
  private static let after = "id,name\na,A\nb,B\n,no key\nz,leave\n"

  static let cases = [
    Case(step: "{ min: 2, max: 2, rejects: 1, shrink: 60% }"),
    Case(
      step: "{ min: 3 }", says: ["items.yaml:7:20: step Item: 2 of 4 records were taken up, at least 3 are expected"]),
    Case(step: "{ max: 1 }", says: ["2 of 4 records were taken up, at most 1 are expected"]),
    Case(step: "{ rejects: 0 }", says: ["1 of 4 records were rejected, at most 0 are expected"]),
    Case(step: "{ rejects: 25% }"),
    Case(step: "{ rejects: 24.9% }", says: ["1 of 4 records were rejected, at most 24.9% are expected"]),
    Case(
      step: "{ shrink: 59% }",
      says: ["Item has 2 rows, 60.0% fewer than the 5 of Shop.sqlite; at most 59% fewer are expected"]),
    Case(
      step: "{ min: 9, max: 1, shrink: 0% }".replacingOccurrences(of: "max: 1", with: "max: 99"),
      says: ["at least 9", "60.0%"]),
    Case(store: ["{ entity: Item }", "{ entity: Item, count: 2 }", "{ entity: Tag, max: 0 }"]),
    Case(store: ["{ entity: Tag }"], says: ["the store has 0 Tag, at least 1 are expected"]),
    Case(store: ["{ entity: Item, count: 3 }"], says: ["the store has 2 Item, exactly 3 are expected"]),
    Case(
      store: [#"{ entity: Item, predicate: "name == 'A' AND count == nil", max: 0, name: named A }"#],
      says: ["named A: the store has 1 Item with name == 'A' AND count == nil, none are expected"]),
    Case(store: [
      #"{ entity: Item, predicate: "parent.name CONTAINS[c] 'x' OR SUBQUERY(parts, $p, TRUEPREDICATE).@count > 0", max: 0 }"#
    ]),
    Case(
      store: ["{ entity: Item, min: 3, max: 5 }", "{ entity: Tag, min: 1 }"],
      says: ["the store has 2 Item, 3 to 5 are expected", "the store has 0 Tag"]),
  ]

  private func pipeline(_ source: String, _ expected: Case = Case()) -> ItemPipeline {
    var pipeline = ItemPipeline(source: source, map: ["identifier: id", "name: name"], rejects: "limit: 5")
    pipeline.settings = [expected.step.isEmpty ? "name: Item" : "expect: \(expected.step)", "where: name != 'leave'"]
    if !expected.store.isEmpty {
      pipeline.more = "expect:\n" + expected.store.map { "  - \($0)\n" }.joined()
    }
    return pipeline
  }

  @Test("what is expected is met, or the run ends with 65 and the store that is there stays", arguments: cases)
  func expectation(expected: Case) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("before.csv", Self.before)
    try workspace.write("after.csv", Self.after)
    try pipeline("before.csv").write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")

    try pipeline("after.csv", expected).write(to: workspace)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    let names = try workspace.names()
    for arguments in [["--dry-run"], []] {
      let outcome = try await Tool.run(["run", "items.yaml"] + arguments, in: workspace.folder)
      #expect(outcome.exitCode == (expected.says.isEmpty ? 1 : 65), "\(outcome.talk)")
      for part in expected.says { #expect(outcome.talk.contains(part), "\(outcome.talk)") }
      if expected.says.isEmpty { #expect(outcome.text.contains("met ")) }
      if !arguments.isEmpty || !expected.says.isEmpty {
        #expect(try workspace.bytes("Shop.sqlite") == store)
        #expect(try workspace.names() == names)
      }
    }
  }

  @Test("the JSON report says where each expectation stands that is not met")
  func positions() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.before)
    try pipeline("items.csv", Case(step: "{ min: 9 }", store: ["{ entity: Tag }", "{ entity: Item, max: 1 }"]))
      .write(to: workspace)
    let lines = try workspace.text("items.yaml").split(separator: "\n", omittingEmptySubsequences: false)
    let expected = ["{ min: 9 }", "entity: Tag", "max: 1"].map { words in
      lines.firstIndex { $0.contains(words) }.map { $0 + 1 }
    }
    let run = try await workspace.run("run", "items.yaml", "--json")
    let report = try run.object()
    let error = try #require(report["error"] as? [String: Any])
    let problems = try #require(error["problems"] as? [[String: Any]])
    let positions = ([error] + problems).compactMap { $0["position"] as? [String: Any] }
    #expect(positions.map { $0["line"] as? Int } == [expected[0]] + expected)
    #expect(positions.allSatisfy { $0["file"] as? String == "items.yaml" && $0["column"] is Int })
  }

  @Test("nothing can shrink where no store is there, and growing is no shrinking")
  func shrink() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.after)
    try pipeline("items.csv", Case(step: "{ shrink: 0% }")).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 1)
    try workspace.write("items.csv", Self.before)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    try workspace.write("items.csv", "id,name\na,A\nb,B\nc,C\nd,D\n")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 65)
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZITEM") == ["5"])
  }

  @Test("an export is not written where the store is not as expected")
  func exports() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.before)
    var pipeline = pipeline("items.csv", Case(store: ["{ entity: Item, max: 1 }"]))
    pipeline.more += "export: [{ entity: Item, to: out.csv }, { entity: Item, to: \"-\", format: csv }]\n"
    try pipeline.write(to: workspace)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65)
    #expect(outcome.text.isEmpty)
    #expect(!workspace.exists("out.csv"))
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test(
    "lint and run refuse expectations that mean nothing",
    arguments: [
      ("{ entity: Itm }", "Itm"), ("{ entity: Item, predicate: \"nme == 'x'\" }", "nme"),
      ("{ entity: Item, predicate: \"name == \" }", "column"),
      ("{ entity: Item, predicate: \"count == 'x'\" }", "Integer 32"),
      ("{ entity: Item, predicate: \"name > 5\" }", "String"),
      ("{ entity: Item, predicate: \"large LIKE 'x*'\" }", "LIKE"),
      ("{ entity: Item, predicate: \"name IN {1, 2}\" }", "never equal"),
      ("{ entity: Item, predicate: \"tags == 'x'\" }", "tags"),
      ("{ entity: Item, predicate: \"name == %@\" }", "argument"),
      ("{ entity: Item, min: 3, max: 2 }", "no number is both"),
      ("{ entity: Item, count: 3, max: 2 }", "count"), ("{ entity: Item, min: -1 }", "integer from 0"),
      ("{ min: 1 }", "entity"),
    ])
  func refused(item: String, says: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.before)
    try pipeline("items.csv", Case(store: [item])).write(to: workspace)
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "items.yaml")
      #expect(outcome.exitCode == 78)
      #expect((outcome.text + outcome.talk).contains(says), "\(outcome.text + outcome.talk)")
      #expect((outcome.text + outcome.talk).contains("items.yaml:"))
    }
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test(
    "an expectation of a step that is none is a mistake",
    arguments: [
      "{ shrink: 20 }", "{ shrink: 120% }", "{ rejects: x% }", "{ rejects: -1 }", "{ min: 2, max: 1 }", "{ least: 1 }",
    ])
  func refusedOfStep(step: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.before)
    try pipeline("items.csv", Case(step: step)).write(to: workspace)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 78)
  }
}
