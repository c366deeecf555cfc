import Foundation
import Testing

/// Counts every allocation of the real tool, built with optimization: without it Swift itself allocates per row.
@Suite("Allocations")
struct AllocationTests {
  /// Every import stage works with 8,192 records at a time, and may allocate for a batch but not for a row.
  private static let mostPerRow = 0.1

  /// Stands before the C library's functions and writes how often they were called when the process ends.
  private static let counter = """
    #include <errno.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    extern void *__libc_malloc(size_t);
    extern void *__libc_calloc(size_t, size_t);
    extern void *__libc_realloc(void *, size_t);
    extern void *__libc_memalign(size_t, size_t);
    static atomic_ulong count;
    void *malloc(size_t size) { count++; return __libc_malloc(size); }
    void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
    void *realloc(void *old, size_t size) { count++; return __libc_realloc(old, size); }
    void *aligned_alloc(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
    int posix_memalign(void **result, size_t alignment, size_t size) {
      count++;
      *result = __libc_memalign(alignment, size);
      return *result ? 0 : ENOMEM;
    }
    __attribute__((destructor)) static void report(void) {
      const char *path = getenv("ALLOCATION_COUNT");
      FILE *file = path ? fopen(path, "w") : NULL;
      if (file) { fprintf(file, "%lu", (unsigned long)count); fclose(file); }
    }
    """

  private static let optimizedTool = Tool.packageRoot.appendingPathComponent(".build/release/seedbed")

  /// Why the count cannot be made here; nil when it can.
  private static let obstacle: String? = {
    #if os(Linux) && canImport(Glibc)
      let compilers = ["/usr/bin/cc", "/usr/local/bin/cc"]
      guard compilers.contains(where: FileManager.default.isExecutableFile) else { return "there is no C compiler" }
      func time(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      }
      guard let built = time(optimizedTool.path) else { return "there is no release build" }
      let sources = Tool.packageRoot.appendingPathComponent("Sources").path
      let files = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String } ?? []
      let isOld = files.contains { $0.hasSuffix(".swift") && (time(sources + "/" + $0) ?? .distantFuture) > built }
      return isOld ? "the release build is older than the sources" : nil
    #else
      return "the C library is not glibc"
    #endif
  }()

  private static let isPossible = Comment(rawValue: obstacle ?? "")

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

  private func run(_ arguments: [String], _ workspace: Workspace, rows: Int) async throws -> Int {
    let outcome = try await Tool.run(
      arguments, in: workspace.folder,
      environment: [
        "LD_PRELOAD": workspace.path("counter.so"), "ALLOCATION_COUNT": workspace.path("count"),
        "TRANSIT_DATA": workspace.path("\(rows)"), "TRANSIT_OUT": workspace.path("out/\(rows)"),
      ], executable: Self.optimizedTool.path)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    return Int(try workspace.text("count")) ?? 0
  }

  @Test("no stage allocates per row", .enabled(if: obstacle == nil, isPossible))
  func perRow() async throws {
    let workspace = try Workspace.shipped()
    try workspace.write("counter.c", Self.counter)
    let compiled = try await Tool.run(
      ["cc", "-O1", "-shared", "-fPIC", "-o", "counter.so", "counter.c"], in: workspace.folder,
      executable: "/usr/bin/env")
    #expect(compiled.exitCode == 0, "\(compiled.talk)")

    let sizes = [40_000, 120_000]
    var imported: [Int] = []
    var exported: [Int] = []
    for rows in sizes {
      try FileManager.default.createDirectory(at: workspace.url("\(rows)"), withIntermediateDirectories: true)
      try write(workspace, rows: rows)
      imported.append(try await run(["run", "pipelines/transit-full.yaml", "--quiet"], workspace, rows: rows))
      exported.append(
        try await run(
          [
            "export", "out/\(rows)/Transit.sqlite", "--model", "seeds/transit/Transit.xcdatamodeld", "--entity",
            "StopTime",
            "--columns", "trip.identifier,stop.name,stop.latitude,sequence,arrivalTime", "--output", "out.csv.gz",
            "--quiet",
          ], workspace, rows: rows))
    }
    for (what, counts) in [("import", imported), ("export", exported)] {
      let perRow = Double(counts[1] - counts[0]) / Double(sizes[1] - sizes[0])
      #expect(perRow < Self.mostPerRow, "\(what): \(counts)")
    }
  }
}
