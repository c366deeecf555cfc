import Foundation
import Testing

/// Counts every allocation of the real tool, built with optimization: without it Swift itself allocates per row.
@Suite("Allocations")
struct AllocationTests {
  /// What may be allocated at most.
  private struct Limits: Decodable {
    let importPerRow: Double
    let exportPerRow: Double
    let stagePerRow: Double

    static func read() throws -> Limits {
      let file = Tool.packageRoot.appendingPathComponent("Tests/SeedbedCommandTests/allocation-limits.json")
      return try JSONDecoder().decode(Limits.self, from: Data(contentsOf: file))
    }
  }

  /// Whether the test must run: then it fails where it would be skipped otherwise.
  private static let isRequired = ProcessInfo.processInfo.environment["SEEDBED_REQUIRE_ALLOCATIONS"] == "1"

  /// How the import writes. Bulk is what the tool itself picks. `scripts/check-allocations` sets find-or-create, which
  /// makes an object of every row, to show that allocations per row are noticed.
  private static let strategy = ProcessInfo.processInfo.environment["SEEDBED_ALLOCATION_STRATEGY"] ?? "bulk"

  private static let optimizedTool = Tool.packageRoot.appendingPathComponent(".build/release/seedbed")

  /// Why nothing can be counted here; nil when it can.
  private static let counterObstacle: String? = {
    #if os(Linux) && canImport(Glibc)
      let compilers = ["/usr/bin/cc", "/usr/local/bin/cc"]
      return compilers.contains(where: FileManager.default.isExecutableFile) ? nil : "there is no C compiler"
    #else
      return "the C library is not glibc"
    #endif
  }()

  /// Why the optimized tool's allocations cannot be counted here; nil when they can.
  private static let obstacle: String? =
    counterObstacle
    ?? {
      func time(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      }
      guard let built = time(optimizedTool.path) else { return "there is no release build" }
      let sources = Tool.packageRoot.appendingPathComponent("Sources").path
      let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
      let isOld = files.contains { $0.hasSuffix(".swift") && (time(sources + "/" + $0) ?? .distantFuture) > built }
      return isOld ? "the release build is older than the sources" : nil
    }()

  private static let isPossible = Comment(rawValue: obstacle ?? "")
  private static let canCount = Comment(rawValue: counterObstacle ?? "")

  /// Builds the counter that `scripts/count-allocations` uses too.
  private func buildCounter(in workspace: Workspace) async throws {
    let source = Tool.packageRoot.appendingPathComponent("scripts/count-allocations.c").path
    let compiled = try await Tool.run(
      ["cc", "-O1", "-shared", "-fPIC", "-o", "counter.so", source], in: workspace.folder, executable: "/usr/bin/env")
    #expect(compiled.exitCode == 0, "\(compiled.talk)")
  }

  private func write(_ workspace: Workspace, rows: Int) throws {
    try workspace.gzip(
      "\(rows)/stops.csv.gz",
      "stop_id,stop_name,stop_lat,stop_lon,location_type,zone_id,parent_station\n"
        + (0..<500).map { "s\($0),Stop \($0),47.5\($0),8.5,0,1,\n" }.joined())
    try workspace.gzip(
      "\(rows)/routes.csv.gz", "route_id,route_short_name,route_long_name,route_type,route_color\nr,1,One,3,\n")
    try workspace.gzip(
      "\(rows)/trips.csv.gz",
      "trip_id,trip_headsign,direction_id,service_id,shape_id,route_id\n"
        + (0..<1_000).map { "t\($0),Home,0,daily,,r\n" }.joined())
    var lines = "trip_id,stop_id,stop_sequence,arrival_time,departure_time,pickup_type,drop_off_type\n"
    for row in 0..<rows { lines += "t\(row % 1_000),s\(row % 499),\(row % 30),08:30:00,08:31:00,,1\n" }
    try workspace.gzip("\(rows)/stop_times.csv.gz", lines)
  }

  private func run(
    _ arguments: [String], _ workspace: Workspace, rows: Int
  ) async throws -> (allocations: Int, output: [UInt8]) {
    let outcome = try await Tool.run(
      arguments, in: workspace.folder,
      environment: [
        "LD_PRELOAD": workspace.path("counter.so"), "ALLOCATION_COUNT": workspace.path("count"),
        "TRANSIT_DATA": workspace.path("\(rows)"), "TRANSIT_OUT": workspace.path("out/\(rows)"),
      ], executable: Self.optimizedTool.path)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    return (Int(try workspace.text("count")) ?? 0, outcome.output)
  }

  @Test("no stage allocates per row", .enabled(if: obstacle == nil || isRequired, isPossible))
  func perRow() async throws {
    try #require(Self.obstacle == nil, Self.isPossible)
    let limits = try Limits.read()
    let workspace = try Workspace.shipped()
    try await buildCounter(in: workspace)
    let sizes = [40_000, 120_000]
    var imported: [Int] = []
    var exported: [Int] = []
    var stages: [[Report.Stage]] = []
    for rows in sizes {
      try FileManager.default.createDirectory(at: workspace.url("\(rows)"), withIntermediateDirectories: true)
      try write(workspace, rows: rows)
      let (count, output) = try await run(
        ["run", "pipelines/transit-full.yaml", "--json", "--strategy", Self.strategy], workspace, rows: rows)
      imported.append(count)
      stages.append(try JSONDecoder().decode(Report.self, from: Data(output)).steps.last?.stages ?? [])
      exported.append(
        try await run(
          [
            "export", "out/\(rows)/Transit.sqlite", "--model", "seeds/transit/Transit.xcdatamodeld", "--entity",
            "StopTime",
            "--columns", "trip.identifier,stop.name,stop.latitude,sequence,arrivalTime", "--output", "out.csv.gz",
            "--quiet",
          ], workspace, rows: rows
        ).allocations)
    }
    for (what, counts, limit) in [
      ("import", imported, limits.importPerRow), ("export", exported, limits.exportPerRow),
    ] {
      let perRow = Double(counts[1] - counts[0]) / Double(sizes[1] - sizes[0])
      #expect(perRow < limit, "\(what): \(counts)")
    }
    #expect(stages[0].map(\.stage).contains("decode") && stages[0].map(\.stage) == stages[1].map(\.stage))
    for (small, large) in zip(stages[0], stages[1]) {
      let counts = [try #require(small.allocations), try #require(large.allocations)]
      let perRow = Double(counts[1] - counts[0]) / Double(sizes[1] - sizes[0])
      #expect(perRow < limits.stagePerRow, "\(small.stage): \(counts)")
    }
  }

  @Test(
    "the stage table has the allocations of every stage where something counts them, and no column where nothing does",
    .enabled(if: counterObstacle == nil, canCount))
  func stageTable() async throws {
    let workspace = try Workspace.withModel()
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try await buildCounter(in: workspace)
    let counter = ["LD_PRELOAD": workspace.path("counter.so")]

    let counted = try await workspace.run("run", "items.yaml", "--json", environment: counter)
    let report = try JSONDecoder().decode(Report.self, from: Data(counted.output))
    let stages = report.steps.flatMap(\.stages) + report.stages
    let ofStages = try stages.reduce(0) { $0 + (try #require($1.allocations)) }
    let ofProcess = try #require(report.allocations)
    #expect(ofStages > 0 && ofStages <= ofProcess)
    let table = try await workspace.run("run", "items.yaml", "--verbose", environment: counter).text
    #expect(table.contains("  allocations  ") && table.contains("  per row\n"), "\(table)")

    let plain = try await workspace.report("items.yaml")
    #expect(plain.allocations == nil && plain.steps.flatMap(\.stages).allSatisfy { $0.allocations == nil })
    #expect(try await workspace.run("run", "items.yaml", "--verbose").text.contains("allocations") == false)
  }
}
