import Foundation
import Testing

@Suite("seedbed migrate")
struct MigrateCommandTests {
  /// Depot 2 has a new optional attribute, Depot 3 a mandatory one without default, Depot 4 unique texts of labels.
  private func workspace(_ forgery: String = "") throws -> Workspace {
    let workspace = try DepotStore.workspace(forgery)
    let second = DepotStore.xml.replacingOccurrences(
      of: "<attribute name=\"text\" attributeType=\"String\"/>",
      with: "<attribute name=\"text\" attributeType=\"String\"/>"
        + "<attribute name=\"note\" optional=\"YES\" attributeType=\"String\"/>")
    let third = second.replacingOccurrences(of: "name=\"note\" optional=\"YES\"", with: "name=\"note\"")
    let fourth = second.replacingOccurrences(
      of: "inverseName=\"related\" inverseEntity=\"Label\"/>",
      with: "inverseName=\"related\" inverseEntity=\"Label\"/><uniquenessConstraints><uniquenessConstraint>"
        + "<constraint value=\"text\"/></uniquenessConstraint></uniquenessConstraints>")
    for (name, xml) in [("Depot", DepotStore.xml), ("Depot 2", second), ("Depot 3", third), ("Depot 4", fourth)] {
      try workspace.write("Depot.xcdatamodeld/\(name).xcdatamodel/contents", xml)
    }
    try workspace.writeCurrentVersion("Depot 2", of: "Depot")
    return workspace
  }

  /// Migrates to Depot 4.
  private func migrate(_ workspace: Workspace, _ more: String...) async throws -> Tool.Outcome {
    let line = ["migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--to", "Depot 4"]
    return try await Tool.run(line + more, in: workspace.folder)
  }

  @Test("check names the command, the command does it, and check is content")
  func suggested() async throws {
    let workspace = try workspace()
    let check = try await workspace.run("check", DepotStore.store, "--model", "Depot.xcdatamodeld")
    #expect(check.exitCode == 65)
    #expect(check.text.contains("To migrate it: seedbed migrate Depot.sqlite --model Depot.xcdatamodeld\n"))
    let before = try workspace.bytes(DepotStore.store)
    let plan = try await workspace.run("migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--dry-run")
    #expect(plan.exitCode == 0 && plan.text.contains("table ZLABEL: altered, with new columns ZNOTE\n"))
    #expect(plan.text.contains("Nothing was changed: this was a dry run."))
    #expect(try workspace.bytes(DepotStore.store) == before)
    let result = try await workspace.run("migrate", DepotStore.store, "--model", "Depot.xcdatamodeld")
    #expect(result.exitCode == 0 && result.text.contains("Depot.sqlite is of version Depot 2 now."))
    let after = try await workspace.run("check", DepotStore.store, "--model", "Depot.xcdatamodeld", "--strict")
    #expect(after.exitCode == 0, "\(after.text)")
    let again = try await workspace.run("migrate", DepotStore.store, "--model", "Depot.xcdatamodeld")
    #expect(again.exitCode == 0 && again.text.contains("already: nothing to do"))
    // What a run leaves that is killed when the result has taken its place.
    try workspace.write("Depot.sqlite.partial/.seedbed", "Seedbed makes a result here.")
    try workspace.write("Depot.sqlite.partial/Depot.sqlite-journal", "")
    let line = ["migrate", DepotStore.store, "--model", "Depot.xcdatamodeld"]
    #expect(try await Tool.run(line + ["--dry-run"], in: workspace.folder).exitCode == 0)
    #expect(workspace.exists("Depot.sqlite.partial"))
    #expect(try await Tool.run(line, in: workspace.folder).exitCode == 0)
    #expect(!workspace.exists("Depot.sqlite.partial"))
  }

  @Test("a trigger that no model explains goes, and text and JSON name it")
  func triggers() async throws {
    let workspace = try workspace("CREATE TRIGGER audit AFTER UPDATE ON ZLABEL BEGIN SELECT 1; END")
    let plan = try await workspace.run(
      "migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--dry-run")
    #expect(plan.text.contains("lost: the trigger audit on ZLABEL, which does not belong to the model"), "\(plan.text)")
    let result = try await workspace.run("migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--json")
    #expect(result.exitCode == 0, "\(result.talk)")
    let object = try result.object()
    #expect(object["droppedTriggers"] as? [String] == ["audit on ZLABEL"])
  }

  @Test("what cannot be inferred is refused with its reasons, and the store is left alone")
  func notInferred() async throws {
    let workspace = try workspace()
    let before = try workspace.bytes(DepotStore.store)
    let result = try await workspace.run(
      "migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--to", "Depot 3")
    #expect(result.exitCode == 78)
    #expect(result.talk.contains("Label.note: new and mandatory, without a default value"))
    #expect(try workspace.bytes(DepotStore.store) == before)
  }

  @Test("duplicates end it with 65, in a plan too, until a policy is given")
  func duplicates() async throws {
    let workspace = try workspace("UPDATE ZLABEL SET ZTEXT = 'x'")
    let plan = try await migrate(workspace, "--dry-run", "--json")
    #expect(plan.exitCode == 65 && plan.text.contains("\"kind\": \"duplicateKeys\""))
    let refused = try await migrate(workspace)
    #expect(refused.exitCode == 65)
    #expect(refused.talk.contains("Label: text must be unique now, and 1 value is there more than once: x"))
    for more in [["--dry-run"], []] {
      let merged = try await Tool.run(
        ["migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--to", "Depot 4", "--duplicates", "merge"]
          + more,
        in: workspace.folder)
      #expect(merged.exitCode == 0 && merged.text.contains("duplicates: 2 Label removed") == more.isEmpty)
      #expect(merged.text.contains("resolved by merge: Label: text must be unique now"), "\(merged.text)")
      #expect(!merged.text.contains("in the way"), "\(merged.text)")
    }
    let after = try await workspace.run(
      "check", DepotStore.store, "--model", "Depot.xcdatamodeld", "--model-version", "Depot 4")
    #expect(after.exitCode == 0, "\(after.text)")
  }

  @Test("what a store that is up to date has no use for is told, and what is wrong is refused all the same")
  func unused() async throws {
    let workspace = try workspace()
    let line = ["migrate", DepotStore.store, "--model", "Depot.xcdatamodeld", "--to", "Depot"]
    let before = try workspace.bytes(DepotStore.store)
    let missing = try await Tool.run(line + ["--mapping", "None.cdm"], in: workspace.folder)
    #expect(missing.exitCode == 66 && missing.talk.contains("None.cdm: there is no such mapping model"))
    try workspace.write("Bad.cdm", "no archive")
    let damaged = try await Tool.run(line + ["--mapping", "Bad.cdm"], in: workspace.folder)
    #expect(damaged.exitCode == 78, "\(damaged.text)\(damaged.talk)")
    let unused = try await Tool.run(line + ["--policy", "NotePolicy=none"], in: workspace.folder)
    #expect(
      unused.exitCode == 0
        && unused.text.contains("warning: --policy NotePolicy=none is not used: there is nothing to migrate\n"),
      "\(unused.text)\(unused.talk)")
    #expect(try workspace.bytes(DepotStore.store) == before)
  }

  @Test("what is named as a mapping model must be one, and otherwise nothing is done")
  func noMappingModel() async throws {
    let workspace = try workspace()
    try workspace.write("notes.txt", "no mapping")
    try workspace.write("empty/notes.txt", "no mapping")
    let store = try #require(try workspace.names().first { $0.hasSuffix(".sqlite") })
    let before = try workspace.bytes(store)
    for (name, words) in [("notes.txt", "is no mapping model"), ("empty", "is a folder without mapping models")] {
      let outcome = try await migrate(workspace, "--mapping", name)
      #expect(outcome.exitCode == 78 && outcome.talk.contains(words), "\(outcome.talk)")
    }
    #expect(try workspace.bytes(store) == before)
  }

  @Test("a store that was made with none of the versions is refused")
  func unknownVersion() async throws {
    let workspace = try workspace()
    try workspace.write(
      "Other.xcdatamodel/contents", DepotStore.xml.replacingOccurrences(of: "name=\"weight\"", with: "name=\"mass\""))
    let result = try await workspace.run("migrate", DepotStore.store, "--model", "Other.xcdatamodel")
    #expect(result.exitCode == 78)
    #expect(result.talk.contains("was made with none of the versions of Other.xcdatamodel"), "\(result.talk)")
  }
}
