import Foundation
import Testing

/// What `seedbed run` logs to standard error.
@Suite("Logs of runs")
struct RunLogTests {
  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,count\na,A,1\nb,B,many\n")
    var pipeline = ItemPipeline(
      map: ["identifier: id", "name: name", "count: count"], rejects: "file: bad.csv, limit: 5")
    pipeline.more = "export: [{ entity: Item, to: out.csv }]"
    try pipeline.write(to: workspace)
    return workspace
  }

  private func lines(_ outcome: Tool.Outcome) throws -> [[String: Any]] {
    try outcome.talk.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  @Test("events are lines of JSON with the run and the time, and numbers are numbers")
  func events() async throws {
    let workspace = try workspace()
    let outcome = try await workspace.run(
      "run", "items.yaml", "--json", "--log-format", "json", "--log-level", "info")
    #expect(outcome.exitCode == 1)
    let lines = try lines(outcome)
    #expect(
      lines.map { $0["event"] as? String ?? "" } == [
        "run.begun", "step.begun", "step.ended", "rejects", "seal.begun", "export.ended", "seal.ended", "run.ended",
      ])
    let report = try outcome.object()
    #expect(Set(lines.map { $0["run"] as? String }) == [report["run"] as? String])
    let times = lines.map { $0["time"] as? String ?? "" }
    #expect(times.allSatisfy { $0.hasPrefix("20") && $0.hasSuffix("Z") })
    #expect(
      lines[2]["inserted"] as? Int == 1 && lines[2]["rejected"] as? Int == 1 && lines[2]["step"] as? String == "Item")
    #expect(lines[3]["code"] as? String == "value.not-a-number" && lines[3]["level"] as? String == "notice")
    #expect((lines[3]["files"] as? [String])?.count == 1)
    #expect(lines[6]["bytes"] as? Int == (report["store"] as? [String: Any])?["bytes"] as? Int)
  }

  @Test("the level says what is logged: reasons of rejects with notice, nothing of a good run by default")
  func levels() async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "items.yaml", "--log-format", "json").talk.isEmpty)
    #expect(try await workspace.run("run", "items.yaml").talk.isEmpty)
    let notice = try await workspace.run("run", "items.yaml", "--log-format", "json", "--log-level", "notice")
    #expect(try lines(notice).map { $0["event"] as? String } == ["rejects"])
    let text = try await workspace.run("run", "items.yaml", "--log-level", "info")
    #expect(text.talk.contains("Z info: step begun entity=Item number=1 source=items.csv step=Item\n"), "\(text.talk)")
    #expect(try await workspace.run("run", "items.yaml", "--log-level", "loud").exitCode == 64)
  }

  @Test("every line is JSON, with the hint by itself and the files of its own step")
  func everyLine() async throws {
    let workspace = try workspace()
    try workspace.write("more.csv", "id,name,count\nc,C,few\nd,,1\n")
    var pipeline = ItemPipeline(
      map: ["identifier: id", "name: name", "count: count"], rejects: "file: bad.csv, limit: 5")
    pipeline.more = """
        - { from: more.csv, name: more, entity: Item, match: [identifier], map: { identifier: id, name: name, count: count } }
      """
    try pipeline.write(to: workspace)
    let outcome = try await workspace.run(
      "run", "items.yaml", "--quiet", "--log-format", "json", "--log-level", "notice")
    #expect(outcome.exitCode == 1)
    let lines = try lines(outcome)
    #expect(lines.map { $0["event"] as? String } == ["rejects", "rejects", "rejects.total"])
    #expect(lines.allSatisfy { !"\($0["message"] ?? "")\($0["first"] ?? "")".contains("\n") })
    #expect((lines[0]["hint"] as? String)?.contains("expected a whole number") == true)
    let files = lines.map { ($0["files"] as? [String] ?? []).map { ($0 as NSString).lastPathComponent } }
    #expect(
      files == [["bad.1-Item.csv", "bad.2-more.csv"], ["bad.2-more.csv"], ["bad.1-Item.csv", "bad.2-more.csv"]])
    #expect(lines[2]["count"] as? Int == 3 && lines[2]["read"] as? Int == 4)
    for arguments in [["run", "--nothing"], ["runn", "items.yaml"], ["run", "none.yaml"]] {
      let failed = try await Tool.run(arguments + ["--log-format", "json"], in: workspace.folder)
      let line = try #require(try self.lines(failed).first)
      #expect(line["level"] as? String == "error" && line["message"] is String, "\(failed.talk)")
    }
  }

  @Test("an error in JSON has the run, the time and its position")
  func errors() async throws {
    let workspace = try workspace()
    try workspace.write(
      "items.yaml", workspace.text("items.yaml").replacingOccurrences(of: "limit: 5", with: "limit: 0"))
    let outcome = try await workspace.run("run", "items.yaml", "--json", "--log-format", "json")
    #expect(outcome.exitCode == 65)
    let line = try #require(try lines(outcome).last)
    #expect(line["level"] as? String == "error" && line["code"] as? String == "rejects.over-limit")
    #expect((line["position"] as? [String: Any])?["line"] as? Int == 3)
    let report = try outcome.object()
    #expect(line["run"] as? String == report["run"] as? String && line["time"] != nil)
    let other = try await workspace.run("check", "none.sqlite", "--log-format", "json")
    #expect(try lines(other).map { $0["run"] is String } == [true])
  }

  @Test(
    "what other commands say beside their data is JSON, too, a line each",
    arguments: [
      ["export", "Shop.sqlite", "--entity", "Item", "--output", "out.csv", "--model", "Shop.xcdatamodeld"],
      ["query", "Shop.sqlite", "Item", "--model", "Shop.xcdatamodeld"],
      ["dump", "Shop.sqlite", "dumped", "--model", "Shop.xcdatamodeld"],
      ["generate", "Shop.xcdatamodeld", "classes"], ["lint", "items.yaml"],
      ["init", "items.csv", "--name", "New", "--output", "new"],
      ["inspect", "Shop.xcdatamodeld", "--er", "model.svg"],
    ])
  func otherCommands(arguments: [String]) async throws {
    let workspace = try workspace()
    try workspace.write("items.csv", "id,name,count\na,A,1\n")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let outcome = try await Tool.run(arguments + ["--log-format", "json"], in: workspace.folder)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let lines = try lines(outcome)
    #expect(!lines.isEmpty)
    #expect(lines.allSatisfy { $0["event"] is String && $0["message"] is String && $0["level"] is String })
  }

  @Test("every single reject is an event at the level debug, with its place and its reason, and at no other level")
  func singleRejects() async throws {
    let workspace = try workspace()
    try workspace.write("items.csv", "id,name,count\na,A,1\nb,B,many\nc,C,few\n")
    for level in ["debug", "trace"] {
      let outcome = try await workspace.run("run", "items.yaml", "--log-format", "json", "--log-level", level)
      let rejects = try lines(outcome).filter { $0["event"] as? String == "reject" }
      #expect(
        rejects.map { $0["line"] as? Int } == [3, 4] && rejects.map { $0["value"] as? String } == ["many", "few"])
      #expect(rejects.allSatisfy { $0["level"] as? String == "debug" && $0["code"] as? String == "value.not-a-number" })
      #expect((rejects.first?["reason"] as? String)?.contains("is not an Integer 32") == true)
    }
    for level in ["info", "notice"] {
      let outcome = try await workspace.run("run", "items.yaml", "--log-format", "json", "--log-level", level)
      #expect(try !lines(outcome).contains { $0["event"] as? String == "reject" })
    }
  }
}
