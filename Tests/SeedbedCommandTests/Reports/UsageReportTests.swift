import Foundation
import Testing

/// Reports of runs whose command line is wrong.
@Suite("Reports of wrong command lines")
struct UsageReportTests {
  @Test(
    "a report is written where the command line asks for one",
    arguments: [
      (
        ["run", "items.yaml", "--jbos", "2", "--json", "--report", "run.json"], "Unknown option '--jbos'", "items.yaml"
      ),
      (
        ["run", "--json", "--report=run.json", "items.yaml", "--jobs", "0"], "--jobs takes a number from 1 to 64",
        "items.yaml"
      ),
      (["run", "--json", "--report", "run.json"], "Missing expected argument '<pipeline>'", ""),
      (["run", "items.yaml", "--json", "--report", "run.json", "--max-inflated", "5"], "5 has no unit", "items.yaml"),
      (["runn", "items.yaml", "--json", "--report", "run.json"], "there is no command runn", "items.yaml"),
      (
        ["run", "items.yaml", "--model", "x", "--json", "--report", "run.json"], "Unknown option '--model'",
        "items.yaml"
      ),
    ] as [([String], String, String)])
  func written(arguments: [String], message: String, pipeline: String) async throws {
    let workspace = try Workspace()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 64)
    #expect(outcome.talk.contains(message), "\(outcome.talk)")
    #expect(try workspace.bytes("run.json") == outcome.output)
    let report = try await Report.checked(outcome.output)
    #expect(report["result"] as? String == "failed" && report["exitCode"] as? Int == 64)
    #expect(report["pipeline"] as? String == pipeline)
    let error = try #require(report["error"] as? [String: Any])
    #expect(error["code"] as? String == "usage")
    #expect((error["message"] as? String)?.contains(message) == true, "\(error)")
    #expect((error["hint"] as? String)?.isEmpty == false)
  }

  @Test("no report is written where none was asked for, or where the file is another's")
  func elsewhere() async throws {
    let workspace = try Workspace()
    try workspace.write("notes.json", "mine")
    for arguments in [
      ["run", "items.yaml", "--jobs", "0"], ["check", "a.sqlite", "--jsn", "--json"], ["run", "--help", "--json"],
      ["run", "a.yaml", "--jobs", "0", "--report", "notes.json"],
      ["run", "a.yaml", "--jobs", "0", "--report", "a.yaml"],
    ] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(!outcome.text.contains("seedbedReport"), "\(arguments)")
      #expect(try workspace.names() == ["notes.json"] && workspace.text("notes.json") == "mine")
    }
  }
}
