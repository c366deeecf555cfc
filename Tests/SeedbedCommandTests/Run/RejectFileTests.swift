import Foundation
import Testing

/// Files of rejects in sources of every shape: each can be fed back with the step it comes from.
@Suite("Reject files")
struct RejectFileTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var name: String
    var source: String
    var text: String
    var encoding = String.Encoding.utf8
    /// What the last record looks like before and after it is mended.
    var bad: String
    var good: String
    var testDescription: String { name }
  }

  static let shapes: [Shape] = [
    Shape(
      name: "columns that are named as the reasons are", source: "format: csv",
      text: "code,value,message\na,A,1\nb,B,x\n", bad: "b,B,x", good: "b,B,2"),
    Shape(
      name: "no header", source: "format: csv, header: false, columns: [code, value, message]", text: "a,A,1\nb,B,x\n",
      bad: "b,B,x", good: "b,B,2"),
    Shape(
      name: "names in place of the header's", source: "format: csv, columns: [code, value, message]",
      text: "one,two,three\na,A,1\nb,B,x\n", bad: "b,B,x", good: "b,B,2"),
    Shape(
      name: "tabs", source: "format: tsv", text: "code\tvalue\tmessage\na\tA\t1\nb\tB, the second\tx\n",
      bad: "b\tB, the second\tx", good: "b\tB, the second\t2"),
    Shape(
      name: "no quotes", source: "format: csv, delimiter: \";\", quote: null",
      text: "code;value;message\na;A;1\nb;\"B;x\n", bad: "b;\"B;x", good: "b;\"B;2"),
    Shape(
      name: "Latin-1", source: "format: csv, encoding: latin-1", text: "code,value,message\na,A,1\nb,Bäume,x\n",
      encoding: .isoLatin1, bad: "b,Bäume,x", good: "b,Bäume,2"),
    Shape(
      name: "Windows-1252", source: "format: csv, encoding: windows-1252",
      text: "code,value,message\na,A,1\nb,„Bäume“ – €,x\n", encoding: .windowsCP1252, bad: "b,„Bäume“ – €,x",
      good: "b,„Bäume“ – €,2"),
    Shape(
      name: "UTF-16 without a mark", source: "format: csv, encoding: utf-16le",
      text: "code,value,message\na,A,1\nb,Bäume 🌳,x\n", encoding: .utf16LittleEndian, bad: "b,Bäume 🌳,x",
      good: "b,Bäume 🌳,2"),
    Shape(
      name: "a value with a line end", source: "format: csv",
      text: "code,value,message\na,A,1\nb,\"B,\nthe \"\"second\"\"\",x\n", bad: "b,\"B,\nthe \"\"second\"\"\",x",
      good: "b,\"B,\nthe \"\"second\"\"\",2"),
  ]

  @Test("a file of rejects keeps the form of its source and can be fed back", arguments: shapes)
  func feedBack(_ shape: Shape) async throws {
    let workspace = try Workspace.withModel()
    func write(_ text: String) throws {
      try workspace.write("items.csv", Array(try #require(text.data(using: shape.encoding))))
    }
    try write(shape.text)
    var pipeline = ItemPipeline(
      source: "{ path: items.csv, \(shape.source) }", map: ["identifier: code", "name: value", "count: message"],
      rejects: "file: rejects.csv, limit: 1")
    try pipeline.write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 1, rejected: 1))
    let name = try #require(report.rejectFiles.first)
    let text = try #require(String(data: Data(contentsOf: URL(fileURLWithPath: name)), encoding: shape.encoding))
    #expect(text.hasSuffix(shape.bad + "\n"))

    // As it is, it is rejected again, from its new place; the first reason is not kept beside the second.
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    try write(text)
    let again = try await workspace.report("items.yaml")
    #expect(again.total == Report.Counts(read: 1, rejected: 1))
    #expect(again.rejects.map(\.code) == report.rejects.map(\.code))
    let secondText = try #require(String(data: Data(contentsOf: URL(fileURLWithPath: name)), encoding: shape.encoding))
    #expect(secondText.hasSuffix(shape.bad + "\n"))
    #expect(secondText.components(separatedBy: "is not an Integer 32").count == 2)
    let position = try #require(again.rejects.first)
    let lines = text.components(separatedBy: "\n")
    #expect(String(Array(lines[position.line - 1])[position.column - 1]) == "x")

    try write(String(text.dropLast(shape.bad.count + 1)) + shape.good + "\n")
    #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 1, inserted: 1))
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZCOUNT FROM ZITEM ORDER BY 1") == ["a|1", "b|2"])
  }

  @Test(
    "lines of rejects are read by the step of a document with a pointer",
    arguments: ["pointer: /data/items", "format: json, pointer: /data/items", "format: json, lenient: true"])
  func pointer(settings: String) async throws {
    let workspace = try Workspace.withModel()
    let records = #"[{"id":"a","name":"A","count":1},\#n{"id":"b","name":"B","count":"x"}]"#
    try workspace.write(
      "items.json", settings.contains("pointer") ? "{\"data\":{\"items\":\(records)}}" : records)
    var pipeline = ItemPipeline(
      source: "{ path: items.json, \(settings) }", map: ["identifier: id", "name: name", "count: count"],
      rejects: "file: bad.ndjson, limit: 1")
    try pipeline.write(to: workspace)
    #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 2, inserted: 1, rejected: 1))
    let mended = try workspace.text("bad.ndjson").replacingOccurrences(of: "\"count\":\"x\"", with: "\"count\":2")
    try workspace.write("mended.ndjson", mended)
    pipeline.source = "{ path: mended.ndjson, \(settings) }"
    pipeline.replace = "never"
    try pipeline.write(to: workspace)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 1, inserted: 1))
    // Under the name of the document, too.
    try workspace.write("items.json", mended)
    pipeline.source = "{ path: items.json, \(settings) }"
    pipeline.replace = "always"
    try pipeline.write(to: workspace)
    #expect(try await workspace.report("items.yaml").total == Report.Counts(read: 1, inserted: 1))
  }

  @Test("files of one source with other columns have files of rejects of their own")
  func otherColumns() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("part-1.csv", "id,name,parent\na,,\nb,B,nowhere\n")
    try workspace.write("part-2.csv", "parent,name,id\n,,c\nnowhere,D,d\n")
    try ItemPipeline(
      source: "part-*.csv", map: ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"],
      rejects: "file: rejects.csv, limit: 4"
    ).write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 4, rejected: 4))
    #expect(report.rejectFiles.count == 2)
    for (name, header, records) in [
      ("rejects.csv", ",id,name,parent", [",a,,", ",b,B,nowhere"]),
      ("rejects.2.csv", ",parent,name,id", [",,,c", ",nowhere,D,d"]),
    ] {
      let lines = try workspace.text(name).split(separator: "\n").map(String.init)
      #expect(lines.count == 3)
      #expect(zip(lines, [header] + records).allSatisfy { $0.hasSuffix($1) }, "\(lines)")
    }
    // The next run takes both away when nothing is left to mend.
    try workspace.write("part-1.csv", "id,name,parent\na,A,\n")
    try workspace.write("part-2.csv", "parent,name,id\n,C,c\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 2)
    #expect(!workspace.exists("rejects.csv") && !workspace.exists("rejects.2.csv"))
  }

  /// A pipeline that allows one reject, with another section: in place of its `rejects`, or behind all others.
  private static func pipeline(with section: String = "") -> String {
    let yaml = ItemPipeline(map: ["identifier: id", "name: name"], rejects: "limit: 1").yaml
    return section.hasPrefix("rejects")
      ? yaml.replacingOccurrences(of: "rejects: { limit: 1 }", with: section) : yaml + "\n" + section
  }

  @Test(
    "a run never writes over what it reads",
    arguments: [
      "rejects: { file: items.csv }", "export: [{ entity: Item, to: items.csv }]",
      "export: [{ entity: Item, to: \"./items.csv\", format: csv }]",
    ])
  func outputIsInput(section: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\n")
    try workspace.write("items.yaml", Self.pipeline(with: section))
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 73)
    #expect(outcome.talk.contains("which the run reads"))
    #expect(try workspace.text("items.csv") == "id,name\na,A\n")
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test(
    "an output that cannot take its place ends the run before anything is replaced",
    arguments: [
      ("rejects: { file: taken.csv, limit: 1 }", "which is a folder"),
      ("export: [{ entity: Item, to: a.csv }, { entity: Item, to: taken.csv }]", "which is a folder"),
      ("export: [{ entity: Item, to: Shop.sqlite.partial/items.csv }]", "where the store is built"),
    ])
  func impossibleOutput(section: String, message: String) async throws {
    let workspace = try Workspace.withModel()
    try FileManager.default.createDirectory(at: workspace.url("taken.csv"), withIntermediateDirectories: true)
    try workspace.write("items.csv", "id,name\na,A\n")
    try workspace.write("items.yaml", Self.pipeline())
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let before = try Data(contentsOf: workspace.url("Shop.sqlite"))
    try workspace.write("items.csv", "id,name\nb,B\n")
    try workspace.write("items.yaml", Self.pipeline(with: section))
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 73)
    #expect(outcome.talk.contains(message), "\(outcome.talk)")
    #expect(try Data(contentsOf: workspace.url("Shop.sqlite")) == before)
    #expect(!workspace.exists("a.csv"))
  }
}
