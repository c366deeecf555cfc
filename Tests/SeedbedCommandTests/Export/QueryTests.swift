import Foundation
import Testing

/// `seedbed query`, and what `export` and pipelines' exports choose by predicate.
@Suite("Queries and chosen exports")
struct QueryTests {
  /// `Shop.sqlite` with items a (=1+1), b with parent a, c with what acts on a terminal, d with a long name.
  private func workspace(export: String = "") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.csv",
      """
      id,name,count,ratio,updated,parent
      a,=1+1,3,2.0,2024-01-01,
      b,"B, the second",,1.5,2024-05-01,a
      c,茶\u{1B}[31m,12,,,
      d,\(String(repeating: "long ", count: 30)),1,0.1,2025-01-01,b

      """)
    var pipeline = ItemPipeline(
      map: [
        "identifier: id", "name: name", "count: count", "ratio: ratio", "updatedAt: updated",
        "parent: { match: identifier, from: parent }",
      ])
    pipeline.more = export
    try pipeline.write(to: workspace)
    let outcome = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    return workspace
  }

  private func query(_ workspace: Workspace, _ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.run(["query", "Shop.sqlite"] + arguments + ["--model", "Shop.xcdatamodeld"], in: workspace.folder)
  }

  @Test("the statement that is explained is the one that reads the columns")
  func explainedColumns() async throws {
    let workspace = try await workspace()
    let one = try await query(workspace, "Item WHERE count > 2", "--columns", "identifier,parent.name", "--explain")
    #expect(one.exitCode == 0 && one.text.contains("ZIDENTIFIER") && !one.text.contains("ZRATIO"), "\(one.text)")
    let wrong = try await query(workspace, "Item", "--columns", "nope", "--explain")
    #expect(wrong.exitCode == 78, "\(wrong.talk)")
  }

  @Test("a version without a model is refused", arguments: ["query", "check", "history", "dump", "export"])
  func versionOfNoModel(command: String) async throws {
    let workspace = try await workspace()
    let words = ["query": ["Item"], "export": ["--entity", "Item", "--output", "x.csv"], "dump": ["Folder"]]
    let run = try await Tool.run(
      [command, "Shop.sqlite"] + (words[command] ?? []) + ["--model-version", "Shop"], in: workspace.folder)
    #expect(run.exitCode == 64 && run.talk.contains("--model-version chooses a version of --model"), "\(run.talk)")
  }

  @Test("a query shows a table, CSV, TSV or NDJSON of the objects that meet the predicate")
  func forms() async throws {
    let workspace = try await workspace()
    let store = try workspace.bytes("Shop.sqlite")
    let columns = ["--columns", "identifier,Title=name,count,parent.name"]
    let table = try await query(workspace, "Item", columns[0], columns[1], "--order", "-identifier")
    #expect(table.exitCode == 0)
    #expect(
      table.text == """
        identifier  Title                                                         count  parent.name
        ----------  ------------------------------------------------------------  -----  -------------
        d           long long long long long long long long long long long long…      1  B, the second
        c           茶\\u{1b}[31m                                                     12  NULL
        b           B, the second                                                  NULL  =1+1
        a           =1+1                                                              3  NULL

        """)
    #expect(table.talk == "4 Item\n")
    let csv = try await query(workspace, "Item where count > 2", "--format", "csv", "--columns", "identifier,name")
    #expect(csv.text == "identifier,name\na,=1+1\nc,茶\u{1B}[31m\n")
    let tsv = try await query(workspace, "Item WHERE parent.name == '=1+1'", "--format", "tsv", columns[0], "name")
    #expect(tsv.text == "name\n\"B, the second\"\n" || tsv.text == "name\nB, the second\n")
    let ndjson = try await query(
      workspace, " Item  WHERE ANY children.identifier == 'd'", "--format", "ndjson", "--quiet", columns[0],
      "identifier,ratio")
    #expect(ndjson.text == "{\"identifier\":\"b\",\"ratio\":1.5}\n")
    #expect(ndjson.talk.isEmpty)
    let none = try await query(workspace, "Tag")
    #expect(none.text == "name\n----\n" && none.talk == "0 Tag\n")
    #expect(try workspace.bytes("Shop.sqlite") == store)
  }

  @Test("what SQL does not say of a predicate is found all the same, in order and with the limit")
  func inMemory() async throws {
    let workspace = try await workspace()
    let deep = "count" + String(repeating: " + 1", count: 30)
    let outcome = try await query(
      workspace, "Item WHERE \(deep) > 31", "--format", "csv", "--columns", "identifier", "--order", "-count",
      "--limit",
      "1")
    #expect(outcome.text == "identifier\nc\n", "\(outcome.talk)")
    let all = try await query(
      workspace, "Item WHERE \(deep) > 31", "--format", "csv", "--columns", "identifier", "--order", "-count")
    #expect(all.text == "identifier\nc\na\n")
  }

  @Test("many rows of a table are shown, too")
  func manyRows() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "items.csv", "id,name\n" + (0..<9_500).map { "i\($0 + 10_000),N\($0 + 10_000)\n" }.joined())
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    let outcome = try await query(workspace, "Item", "--columns", "identifier,name")
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.count == 9_502)
    #expect(lines[2] == "i10000      N10000" && lines.last == "i19499      N19499")
  }

  @Test(
    "a query that means nothing is refused, and says where",
    arguments: [
      ("", 64, "the query is empty"), ("Item identifier", 64, "stands where WHERE belongs"),
      ("Item WHERE ", 64, "nothing stands after WHERE"), ("select name from Item", 64, "SQL is not understood"),
      ("Select WHERE name == 'a'", 78, "no entity \"Select\""),
      ("Itm", 78, "did you mean \"Item\"?"), ("Item WHERE cuont > 2", 78, "did you mean \"count\"?"),
      ("Item WHERE name == Alice", 78, "text stands in quotes ('Alice')"),
      ("Item WHERE name == 3", 78, "a String is never equal to an Integer 64"),
      ("Item WHERE name == ", 78, "(column 9)"),
      ("Item WHERE updatedAt > '2024-03-01'", 78, "CAST(730944000, 'NSDate')"),
      ("Item WHERE updatedAt > 'soon'", 78, "CAST(SECONDS, 'NSDate')"),
    ] as [(String, Int32, String)])
  func refused(query text: String, exitCode: Int32, words: String) async throws {
    let workspace = try await workspace()
    let outcome = try await query(workspace, text)
    #expect(outcome.exitCode == exitCode)
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
    #expect(outcome.text.isEmpty)
  }

  @Test(
    "an export takes a predicate, a limit, a delimiter and a byte order mark, and replaces an earlier one of the same")
  func exportOptions() async throws {
    let workspace = try await workspace()
    for _ in 0..<2 {
      let outcome = try await workspace.run(
        "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "identifier,count",
        "--where", "count != nil", "--order", "-count", "--limit", "2", "--delimiter", ";", "--bom", "--output",
        "out.csv")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.bytes("out.csv") == [0xEF, 0xBB, 0xBF] + Array("identifier;count\nc;12\na;3\n".utf8))
    }
    let tabs = try await workspace.run(
      "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "identifier,count",
      "--limit", "1", "--delimiter", "tab")
    #expect(tabs.text == "identifier\tcount\na\t3\n")
    // What is read back is the same.
    try ItemPipeline(source: "{ path: out.csv, delimiter: \";\" }", map: ["identifier: identifier", "name: count"])
      .write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM") == ["c|12", "a|3"])
  }

  @Test(
    "options of an export that mean nothing are refused",
    arguments: [
      ["--limit", "0"], ["--format", "ndjson", "--delimiter", ";"], ["--format", "ndjson", "--bom"],
      ["--format", "tsv", "--delimiter", ";"], ["--delimiter", "::"], ["--delimiter", "\""],
    ])
  func uselessOptions(arguments: [String]) async throws {
    let workspace = try Workspace()
    let outcome = try await Tool.run(["export", "S.sqlite", "--entity", "Item"] + arguments, in: workspace.folder)
    #expect(outcome.exitCode == 64, "\(outcome.talk)")
  }

  @Test(
    "a name that means another format than the one written is refused",
    arguments: [
      ("out.json", "csv", "a JSON document"), ("out.xlsx", "csv", "an Excel workbook"),
      ("out.SQLITE", "csv", "an SQLite database"), ("out.csv", "ndjson", "CSV"), ("out.csv", "tsv", "CSV"),
      ("out.tsv", "csv", "tab-separated values"), ("out.jsonl.gz", "csv", "NDJSON"),
      ("out.zip", "csv", "a zip archive"), ("out.csv.zst", "csv", "Zstandard"),
      ("out.ndjson.ZST", "ndjson", "Zstandard"), ("out.csv.GZ", "csv", nil),
      ("out.csv.gz", "csv", nil), ("out.tsv", "tsv", nil), ("out.data", "ndjson", nil), ("out", "csv", nil),
    ] as [(String, String, String?)])
  func names(name: String, format: String, meaning: String?) async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run(
      "export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--format", format, "--output", name)
    #expect(outcome.exitCode == (meaning == nil ? 0 : 73))
    #expect(workspace.exists(name) == (meaning == nil))
    if let meaning { #expect(outcome.talk.contains("names \(name), which means \(meaning), and ")) }
    let yaml = "export: [{ entity: Item, to: \(name), format: \(format) }]"
    try workspace.write("e.yaml", "model: Shop.xcdatamodeld\nstore: { path: Shop.sqlite, replace: never }\n\(yaml)\n")
    let lint = try await workspace.run("lint", "e.yaml")
    #expect(lint.exitCode == (meaning == nil ? 0 : 78), "\(lint.text)")
    if let meaning { #expect(lint.text.contains("e.yaml:3:30: \"to\" names \(name), which means \(meaning), and ")) }
  }

  @Test("a pipeline's export takes them as well, and lint checks the predicate with its position")
  func pipelineExport() async throws {
    let export = """
      export:
        - entity: Item
          to: out.csv
          where: "count > 2 OR ANY children.identifier == 'd'"
          order: [-identifier]
          limit: 2
          delimiter: ";"
          bom: true
          columns: [identifier, count]
      """
    let workspace = try await workspace(export: export)
    #expect(try workspace.bytes("out.csv") == [0xEF, 0xBB, 0xBF] + Array("identifier;count\nc;12\nb;\n".utf8))
    for (old, new, message) in [
      ("count > 2", "cuont > 2", "Item has no property \"cuont\""),
      ("count > 2", "name > 2", "a String is never equal to an Integer 64"),
      ("count > 2", "count >", "stands where a value"), ("limit: 2", "limit: 0", "expected integer from 1 on"),
      ("\";\"", "\"\\\"\"", "the delimiter of an export can be no quote"),
      ("to: out.csv", "to: out.ndjson", "\"bom\" means nothing for format ndjson"),
    ] {
      let yaml = try workspace.text("items.yaml")
      try workspace.write("wrong.yaml", yaml.replacingOccurrences(of: old, with: new))
      let outcome = try await workspace.run("lint", "wrong.yaml")
      #expect(outcome.exitCode == 78)
      #expect(outcome.text.contains(message) && outcome.text.hasPrefix("wrong.yaml:"), "\(outcome.text)")
    }
  }
}
