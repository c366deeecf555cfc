import Foundation
import Testing

/// `seedbed delete` and `seedbed update`.
@Suite("Batches of the command line")
struct BatchCommandTests {
  /// `Shop.sqlite` with items a, b below a, c without a count and d below b; parts p of a and q of b, which go with
  /// them.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.csv", "id,name,count,parent\na,Ale,3,\nb,Bread,5,a\nc,Cheese,,\nd,Dates,9,b\n")
    try workspace.write("parts.csv", "id,item\np,a\nq,b\n")
    try workspace.write(
      "shop.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite }
      import:
        - from: items.csv
          entity: Item
          match: identifier
          map: { identifier: id, name: name, count: count, parent: { match: identifier, from: parent } }
        - from: parts.csv
          entity: Part
          map: { identifier: id, item: { match: identifier, from: item } }

      """)
    let outcome = try await workspace.run("run", "--quiet", "shop.yaml")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    return workspace
  }

  private func items(_ workspace: Workspace) async throws -> String {
    try await workspace.run(
      "query", "Shop.sqlite", "Item", "--columns", "identifier,count,parent.identifier", "--order", "identifier",
      "--format", "csv", "--quiet"
    ).text
  }

  @Test("delete follows the delete rules, says what it did, and leaves a sound store")
  func delete() async throws {
    let workspace = try await workspace()
    let before = try workspace.bytes("Shop.sqlite")
    let line = ["delete", "Shop.sqlite", "--entity", "Item", "--where", "count < 5"]
    let plan = try await Tool.run(line + ["--dry-run"], in: workspace.folder)
    #expect(plan.exitCode == 0 && plan.talk.isEmpty, "\(plan.talk)")
    #expect(
      plan.text
        == "Dry run, nothing was changed: 2 objects deleted, relationships of 1 others changed.\n")
    #expect(try workspace.bytes("Shop.sqlite") == before)
    let result = try await Tool.run(line + ["--json"], in: workspace.folder)
    #expect(result.exitCode == 0)
    let json = try result.object()
    #expect(json["deleted"] as? Int == 2 && json["related"] as? Int == 1 && json["dryRun"] as? Bool == false)
    let work = try #require(json["work"] as? [String: Int])
    #expect(work["statements"] ?? 0 > 0 && work["rows"] != nil && work["pages"] == 0 && work["pageRows"] == 0)
    #expect(try await items(workspace) == "identifier,count,parent.identifier\nb,5,\nc,,\nd,9,b\n")
    let parts = try await workspace.run("query", "Shop.sqlite", "Part", "--format", "csv", "--columns", "identifier")
    #expect(parts.text == "identifier\nq\n")
    let limited = try await workspace.run(
      "delete", "Shop.sqlite", "--entity", "Item", "--where", "TRUEPREDICATE", "--order", "-identifier", "--limit", "1")
    #expect(limited.text == "1 object deleted, relationships of 1 others changed.\n")
    #expect(try await items(workspace) == "identifier,count,parent.identifier\nb,5,\nc,,\n")
    let check = try await workspace.run("check", "Shop.sqlite", "--strict")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("update sets constants, nothing and expressions, and leaves alone what is so already")
  func update() async throws {
    let workspace = try await workspace()
    let line = [
      "update", "Shop.sqlite", "--entity", "Item", "--where", "count != nil", "--set",
      "count = TERNARY(count > 4, count * 2, count + 1)", "--set", "note=NULL", "--set", "name = uppercase:(name)",
    ]
    let plan = try await Tool.run(line + ["--dry-run"], in: workspace.folder)
    #expect(plan.text == "Dry run, nothing was changed: 3 objects updated.\n", "\(plan.talk)")
    #expect(try await Tool.run(line, in: workspace.folder).text == "3 objects updated.\n")
    #expect(try await items(workspace) == "identifier,count,parent.identifier\na,4,\nb,10,a\nc,,\nd,18,b\n")
    let again = try await workspace.run(
      "update", "Shop.sqlite", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "name = uppercase:(name)")
    #expect(again.text == "1 object updated.\n")
    let check = try await workspace.run("check", "Shop.sqlite", "--strict")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test(
    "what is wrong is told, and nothing is changed",
    arguments: [
      (["delete", "--entity", "Part", "--where", "TRUEPREDICAT"], 78, "in the predicate"),
      (["delete", "--entity", "Parts", "--where", "TRUEPREDICATE"], 78, "did you mean \"Part\"?"),
      (["delete", "--entity", "Item", "--where", "cuont > 1"], 78, "did you mean \"count\"?"),
      (["delete", "--entity", "Item", "--where", "TRUEPREDICATE", "--order", "-cuont"], 78, "cuont"),
      (["delete", "--entity", "Item"], 64, "--where"),
      (["delete", "--entity", "Item", "--where", "TRUEPREDICATE", "--limit", "0"], 64, "--limit"),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count"], 78, "ATTRIBUTE = EXPRESSION"),
      (
        ["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "cuont = 1"], 78, "did you mean \"count\"?"
      ),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count = "], 78, "ATTRIBUTE = EXPRESSION"),
      (
        ["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count == 1"], 78, "ATTRIBUTE = EXPRESSION"
      ),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count = (1"], 78, "in the expression"),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "parent = NULL"], 78, "is a relationship"),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count = 1/0"], 78, "cannot be computed"),
      (
        ["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "count = 6 / (count - 3)"], 65,
        "cannot be computed: (6 / (count - 3)) has no result"
      ),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "name = SELF"], 78, "is an object"),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "name = parent"], 78, "is an object"),
      (
        ["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "name = TERNARY(count > 4, parent, 'x')"],
        78,
        "is an object"
      ),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "ratio = 1e308 * 10"], 65, "Item.ratio"),
      (
        ["update", "--entity", "Item", "--where", "count != nil", "--set", "ratio = (count * 1e308) * 10"], 65, "ratio"
      ),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "rank = 11"], 65, "Item.rank"),
      (["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "rank = rank + 6"], 65, "Item/p1"),
      (
        ["update", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", "identifier = 'x'"], 65,
        "p1 and Item/p4 would"
      ),
    ] as [([String], Int32, String)])
  func refused(arguments: [String], exitCode: Int32, words: String) async throws {
    let workspace = try await workspace()
    let before = try await items(workspace)
    let outcome = try await Tool.run(
      [arguments[0], "Shop.sqlite"] + arguments.dropFirst(), in: workspace.folder)
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
    #expect(outcome.text.isEmpty)
    #expect(try await items(workspace) == before)
  }

  @Test("a constant text is the URI or UUID that it says")
  func constantTexts() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      "<entity name=\"A\"><attribute name=\"link\" optional=\"YES\" attributeType=\"URI\"/>"
        + "<attribute name=\"token\" optional=\"YES\" attributeType=\"UUID\"/></entity>")
    try workspace.write("a.csv", "link\nhttp://a.b/\n")
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: A.sqlite }\nimport:\n- { from: a.csv, entity: A, map: { link: link } }\n")
    try await workspace.succeed("run", "p.yaml")
    try await workspace.succeed(
      "update", "A.sqlite", "--entity", "A", "--where", "TRUEPREDICATE", "--set", "link = \"http://c.d/e\"", "--set",
      "token = \"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11\"")
    #expect(
      try workspace.query("A.sqlite", "SELECT ZLINK, hex(ZTOKEN) FROM ZA")
        == ["http://c.d/e|6E9A3E9C3A0E4B6E9C550E6A5B0D9B11"])
    let wrong = try await workspace.run(
      "update", "A.sqlite", "--entity", "A", "--where", "TRUEPREDICATE", "--set", "token = \"x\"")
    #expect(wrong.exitCode != 0 && wrong.talk.contains("of type uuid"), "\(wrong)")
  }
}
