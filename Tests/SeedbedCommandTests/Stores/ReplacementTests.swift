import Foundation
import Testing

/// `store.replace` and what a second run does with the store of the first.
@Suite("Replacing a store")
struct ReplacementTests {
  private func workspace(_ replace: String) async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try pipeline(replace).write(to: workspace)
    #expect(try await workspace.report("items.yaml").total.inserted == 2)
    return workspace
  }

  private func pipeline(_ replace: String) -> ItemPipeline {
    ItemPipeline(map: ["identifier: id", "name: name"], replace: replace)
  }

  private func names(_ workspace: Workspace) throws -> [String] {
    try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM ORDER BY Z_PK")
  }

  @Test("always builds anew")
  func always() async throws {
    let workspace = try await workspace("always")
    try workspace.write("items.csv", "id,name\nc,C\n")
    let report = try await workspace.report("items.yaml")
    #expect(report.result == "built")
    #expect(report.total.inserted == 1)
    #expect(try names(workspace) == ["c"])
  }

  @Test("never imports into the store that is there and keeps its identity")
  func never() async throws {
    let workspace = try await workspace("never")
    let uuid = try workspace.query("Shop.sqlite", "SELECT Z_UUID FROM Z_METADATA")
    try workspace.write("items.csv", "id,name\nc,C\na,A\n")
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, unchanged: 1))
    #expect(try names(workspace) == ["a", "b", "c"])
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_UUID FROM Z_METADATA") == uuid)
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'") == ["3"])
  }

  @Test("when-changed does nothing until a source, the pipeline or the model changes")
  func whenChanged() async throws {
    let workspace = try await workspace("when-changed")
    let attributes = try FileManager.default.attributesOfItem(atPath: workspace.path("Shop.sqlite"))
    let report = try await workspace.report("items.yaml")
    #expect(report.result == "up-to-date")
    #expect(report.exitCode == 0)
    let after = try FileManager.default.attributesOfItem(atPath: workspace.path("Shop.sqlite"))
    #expect(after[.systemFileNumber] as? Int == attributes[.systemFileNumber] as? Int)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(
      outcome.text
        == "Unchanged Shop.sqlite · it is up to date: neither the pipeline, the model nor a source has changed\n")

    try workspace.write("items.csv", "id,name\na,A\nb,Changed\n")
    #expect(try await workspace.report("items.yaml").result == "built")
    #expect(try await workspace.report("items.yaml").result == "up-to-date")
    try workspace.write("items.yaml", workspace.text("items.yaml") + "# changed\n")
    #expect(try await workspace.report("items.yaml").result == "built")
    #expect(try await workspace.report("items.yaml").result == "up-to-date")
    try workspace.write(
      "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      ShopModel.xml.replacingOccurrences(of: "<attribute name=\"email\"", with: "<attribute name=\"mail\"")
        .replacingOccurrences(of: "<constraint value=\"email\"", with: "<constraint value=\"mail\""))
    #expect(try await workspace.report("items.yaml").result == "built")
  }

  @Test("a store of another model is refused, and stays")
  func otherModel() async throws {
    let workspace = try await workspace("never")
    let store = try workspace.bytes("Shop.sqlite")
    try workspace.write(
      "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      ShopModel.xml.replacingOccurrences(
        of: "<attribute name=\"ratio\" optional=\"YES\"", with: "<attribute name=\"quotient\" optional=\"YES\""))
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("Item"))
    #expect(try workspace.bytes("Shop.sqlite") == store)
  }
}
