import Foundation
import Testing

/// What reports say a run asked of its store.
@Suite("Work in reports of runs")
struct RunCountTests {
  /// The numbers of a report's `work` by their names, and the seconds of its parts.
  private struct Work {
    var counts: [String: Int] = [:]
    var seconds: [String: Double] = [:]

    /// -1 where the report has no such number.
    subscript(name: String) -> Int { counts[name] ?? -1 }

    init(_ outcome: Tool.Outcome) throws {
      let report = try outcome.object()
      for (name, value) in try #require(report["work"] as? [String: Any]) {
        if let part = value as? [String: Any] {
          counts[name] = try #require(part["count"] as? Int)
          seconds[name] = try #require(part["seconds"] as? Double)
        } else {
          counts[name] = try #require(value as? Int)
        }
      }
    }
  }

  private func workspace(strategy: String, replace: String = "always", more: String = "") throws -> Workspace {
    let workspace = try Workspace.withModel()
    let lines = (0..<500).map { "i\($0),Name \($0),\($0)" }
    try workspace.write("items.csv", "id,name,count\n" + lines.joined(separator: "\n") + "\n")
    var pipeline = ItemPipeline(map: ["identifier: id", "name: name", "count: count"])
    pipeline.settings = ["strategy: \(strategy)"]
    pipeline.replace = replace
    pipeline.more = more
    try pipeline.write(to: workspace)
    return workspace
  }

  @Test("a step that writes finished pages says how many, with the rows in them, and asks nothing by way of objects")
  func pages() async throws {
    let workspace = try workspace(strategy: "bulk")
    var found: [[String: Int]] = []
    for _ in 0..<2 {
      let run = try await workspace.run("run", "items.yaml", "--json", "--jobs", "2")
      #expect(run.exitCode == 0, "\(run.talk)")
      found.append(try Work(run).counts)
    }
    #expect(found[0] == found[1])
    let counts = found[0]
    #expect(counts["pageRows"] == 500)
    #expect(counts["pages"] ?? 0 > 2 && counts["statements"] ?? 0 > 0)
    for name in ["requests", "fetches", "faultsFired", "relationshipFaultsFired", "cacheMisses", "saves"] {
      #expect(counts[name] == 0, "\(name)")
    }
  }

  @Test("peak memory is the run's own, also where the program that starts it has more")
  func peakMemory() async throws {
    let workspace = try workspace(strategy: "bulk")
    // Pages that were written to are resident.
    let held = [UInt8](repeating: 1, count: 512 << 20)
    let run = try await workspace.run("run", "items.yaml", "--json")
    let report = try run.object()
    let peak = try #require(report["peakMemoryBytes"] as? Int)
    #expect(peak > 1 << 20 && peak < held.count / 2)
  }

  @Test("a step that writes objects counts its fetches and saves, with their time")
  func objects() async throws {
    let workspace = try workspace(strategy: "find-or-create", replace: "never")
    let first = try Work(try await workspace.run("run", "items.yaml", "--json"))
    #expect(first["saves"] == 1 && first["pages"] == 0, "\(first)")
    #expect(first["statements"] > 10)
    #expect(first.seconds["saves"] ?? 0 > 0)
    try workspace.write("items.csv", workspace.text("items.csv").replacingOccurrences(of: "Name", with: "Other name"))
    let second = try Work(try await workspace.run("run", "items.yaml", "--json"))
    #expect(second["fetches"] > 0 && second["requests"] > 0, "\(second)")
    #expect(second["saves"] == 1 && second["rows"] >= 500, "\(second)")
    // The objects that change are read many at a time.
    #expect(second["requests"] < 20, "\(second)")
    #expect(second.seconds["fetches"] ?? 0 > 0)
  }

  @Test("exports are among the work, and a run that fails tells it too")
  func others() async throws {
    let plain = try workspace(strategy: "upsert")
    let without = try Work(try await plain.run("run", "items.yaml", "--json"))
    let exporting = try workspace(strategy: "upsert", more: "export: [{ entity: Item, to: out.csv, where: count > 3 }]")
    let with = try Work(try await exporting.run("run", "items.yaml", "--json"))
    #expect(with["statements"] > without["statements"])
    #expect(with["rows"] >= without["rows"] + 496)
    let failing = try workspace(strategy: "find-or-create")
    try failing.write("items.csv", failing.text("items.csv") + "i9999,,1\n")
    let failed = try await failing.run("run", "items.yaml", "--json")
    #expect(failed.exitCode == 65, "\(failed.talk)")
    #expect(try Work(failed)["statements"] > 0)
  }
}
