import Foundation
import TestSupport
import Testing

/// What `check` says of a migration is what `migrate` does.
@Suite("Check and migrate agree")
struct CheckMigrationTests {
  /// Versions of one entity with a name, each with these attributes besides, and a store of the first.
  private func workspace(_ versions: [String]) async throws -> Workspace {
    let workspace = try Workspace()
    try VersionedShop.write(
      versions.enumerated().map { index, attributes in
        ("Shop \(index + 1)", VersionedShop.entity("Item", VersionedShop.attribute("name"), attributes))
      }, to: workspace)
    try workspace.write("items.csv", "name,a\none,same\ntwo,same\n")
    try workspace.write(
      "items.yaml",
      """
      model: { path: Shop.xcdatamodeld, version: Shop 1 }
      store: { path: Shop.sqlite }
      import: [{ from: items.csv, entity: Item, map: { name: name, a: a } }]
      """)
    let run = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return workspace
  }

  private static func text(_ name: String, _ more: String = "") -> String {
    "<attribute name=\"\(name)\"\(more) optional=\"YES\" attributeType=\"String\"/>"
  }

  private static let number = "<attribute name=\"a\" optional=\"YES\" attributeType=\"Integer 64\"/>"
  private static let unique = ModelXML.unique("c")

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var versions: [String]
    var version: String?
    var exitCode: Int32
    /// What stands in the answer.
    var said: [String]
    /// What does not.
    var unsaid: [String] = []
  }

  private static let cases = [
    Case(
      testDescription: "one step that loses nothing", versions: [text("a"), text("a") + text("b")], exitCode: 0,
      said: [
        "A lightweight migration would do.\n", "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld\n",
      ], unsaid: ["takes", "drops", "in the way"]),
    Case(
      testDescription: "one step that loses a value", versions: [text("a"), ""], exitCode: 0,
      said: [
        "Item.a: removed, its values go\n", "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld\n",
      ]),
    Case(
      testDescription: "renames of renames, which one step would lose",
      versions: [text("a"), text("b", " elementID=\"a\""), text("c", " elementID=\"b\"")], exitCode: 0,
      said: [
        "seedbed migrate takes these steps:\n  Shop 1 → Shop 2: inferred\n  Shop 2 → Shop 3: inferred\n",
        "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld\n",
      ], unsaid: ["drops", "its values go"]),
    Case(
      testDescription: "a detour that loses what both have", versions: [text("a"), "", number], exitCode: 78,
      said: ["would lose what the last version has: Item.a", "A lightweight migration would not do:\n"],
      unsaid: ["To migrate it"]),
    Case(
      testDescription: "the same to a version that is named", versions: [text("a"), "", number], version: "Shop 3",
      exitCode: 0,
      said: [
        "  Shop 1 → Shop 2: inferred\n    lost: Item.a: removed, its values go\n",
        "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld --to 'Shop 3'\n",
      ]),
    Case(
      testDescription: "no way at all", versions: [text("a"), number], exitCode: 78,
      said: ["Item.a: changes its type from string to integer64"], unsaid: ["To migrate it"]),
    Case(
      testDescription: "duplicates that the last of several steps does not allow",
      versions: [text("a"), text("b", " elementID=\"a\""), text("c", " elementID=\"b\"") + unique], exitCode: 65,
      said: [
        "in the way: Item: c must be unique now, and 1 value is there more than once: same",
        "To migrate it: seedbed migrate Shop.sqlite --model Shop.xcdatamodeld --duplicates POLICY, where POLICY is one of "
          + "keep-first, keep-last, merge\n",
      ]),
  ]

  @Test("in several versions, with losses, detours and duplicates", arguments: cases)
  func agrees(_ wanted: Case) async throws {
    let workspace = try await workspace(wanted.versions)
    let before = try workspace.bytes("Shop.sqlite")
    let line = ["check", "Shop.sqlite", "Shop.xcdatamodeld"] + (wanted.version.map { ["--model-version", $0] } ?? [])
    let check = try await Tool.run(line, in: workspace.folder)
    #expect(check.exitCode == 65)
    for text in wanted.said { #expect(check.text.contains(text), "\(text)\n\(check.text)") }
    for text in wanted.unsaid { #expect(!check.text.contains(text), "\(text)\n\(check.text)") }
    let json = try await Tool.run(line + ["--json"], in: workspace.folder)
    let object = try json.object()
    let verdict = try #require(object["migration"] as? [String: Any])
    #expect(verdict["exitCode"] as? Int == Int(wanted.exitCode))
    #expect((verdict["command"] as? String == nil) == (wanted.exitCode == 78))
    #expect((verdict["refusal"] as? String == nil) == (wanted.exitCode != 78))
    // The very line that is suggested, and where none is the plain one.
    let command =
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld"]
      + (wanted.version.map { ["--to", $0] } ?? [])
    let plan = try await Tool.run(command + ["--dry-run"], in: workspace.folder)
    #expect(plan.exitCode == wanted.exitCode, "\(plan.text)\(plan.talk)")
    if let refusal = verdict["refusal"] as? String { #expect(plan.talk.contains(refusal), "\(plan.talk)") }
    #expect(try workspace.bytes("Shop.sqlite") == before)
    let more = wanted.exitCode == 65 ? ["--duplicates", "merge"] : []
    let done = try await Tool.run(command + more, in: workspace.folder)
    #expect(done.exitCode == (wanted.exitCode == 78 ? 78 : 0), "\(done.talk)")
    // What goes is told before anything is written.
    let isLossy = check.text.contains("its values go")
    #expect(done.talk.contains("warning: will be lost: Item.a: removed, its values go") == isLossy, "\(done.talk)")
    if wanted.exitCode == 78 {
      #expect(try workspace.bytes("Shop.sqlite") == before)
    } else {
      #expect(!done.text.contains("in the way"), "\(done.text)")
      let after = try await Tool.run(line, in: workspace.folder)
      #expect(after.exitCode == 0, "\(after.text)")
    }
  }
}
