import Foundation
import Testing

@Suite("Text with tabs")
struct TabSeparatedTests {
  private static let items = "id,name\na,\"A, B\"\nb,\"tab\there\"\n"
  private static let text = "identifier\tname\na\tA, B\nb\t\"tab\there\"\n"

  @Test(
    "an export whose name says so, compressed or not, by the command and by a pipeline",
    arguments: ["out.tsv", "out.tab", "out.tsv.gz", "OUT.TSV"])
  func export(name: String) async throws {
    let workspace = try await Workspace.withItems(Self.items)
    for _ in 0..<2 {
      let outcome = try await workspace.run(
        "export", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "identifier,name", "--order",
        "identifier", "--output", name, "Shop.sqlite")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.inflated(name) == Self.text)
    }
    // With commas it would be another file.
    let commas = try await workspace.run(
      "export", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "identifier,name", "--format", "csv",
      "--output", name, "Shop.sqlite")
    #expect(commas.exitCode == 73, "\(commas.talk)")
    try FileManager.default.removeItem(atPath: workspace.path(name))
    try ItemPipeline(
      map: ["identifier: id", "name: name"],
      more: "export: [{ entity: Item, to: \(name), columns: [identifier, name], order: [identifier] }]"
    ).write(to: workspace)
    for _ in 0..<2 {
      let outcome = try await workspace.run("run", "items.yaml")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.inflated(name) == Self.text)
    }
    // And back again.
    try ItemPipeline(source: name, map: ["identifier: identifier", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(
      try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM ORDER BY ZIDENTIFIER") == ["A, B", "tab\there"])
  }

  @Test("unmapped columns may be without a name, any number of them", arguments: ["null", "\"\"", "~"])
  func nameless(word: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "x,a,y,A,z\nx,b,y,B,z\nx,b,y\n")
    var pipeline = ItemPipeline(map: ["identifier: id", "name: name"], rejects: "file: rejects.csv, limit: 1")
    pipeline.source = "{ path: items.csv, header: false, columns: [\(word), id, \(word), name, \(word)] }"
    try pipeline.write(to: workspace)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 1, "\(outcome.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER || ZNAME FROM ZITEM ORDER BY 1") == ["aA", "bB"])
    pipeline.source = "{ path: items.csv, header: false, columns: [\(word), id, id, name, \(word)] }"
    try pipeline.write(to: workspace)
    let repeated = try await workspace.run("lint", "items.yaml")
    #expect(repeated.exitCode == 78 && repeated.text.contains("\"id\" is given twice"))
  }

  @Test(
    "a size or limit that is none is answered with an example",
    arguments: [
      ["--max-input", "1K"], ["--memory", "much"], ["--max-inflated", "5:2"],
    ])
  func sizes(option: [String]) async throws {
    let workspace = try await Workspace.withItems(Self.items)
    let outcome = try await Tool.run(["run", "items.yaml"] + option, in: workspace.folder)
    #expect(outcome.exitCode == 64)
    #expect(outcome.talk.contains(option[1]) && outcome.talk.contains("for example"), "\(outcome.talk)")
  }
}
