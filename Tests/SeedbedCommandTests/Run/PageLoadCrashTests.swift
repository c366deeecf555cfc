import Foundation
import Platform
import Testing

/// A run that is killed while it writes finished pages behind SQLite's back.
@Suite("Killed page loads")
struct PageLoadCrashTests {
  enum Moment: String, CaseIterable, Sendable {
    /// Pages of the table are in the file, its header does not know of them.
    case rows
    /// The table is finished, and pages of an index are being added.
    case indexes
  }

  @Test("a run that is killed in the midst of its pages leaves the previous store", arguments: Moment.allCases)
  func killed(moment: Moment) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\nbefore,B\n")
    try ItemPipeline(settings: ["strategy: bulk"], map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")
    let names = try workspace.names()

    // On a loaded machine the moment may pass unseen: then there are more records.
    var wasKilled = false
    for attempt in 0..<6 where !wasKilled {
      var text = "id,name\n"
      for number in 0..<(40_000 << attempt) {
        text += "i\(number * 7_919 % 1_000_003),\(String(repeating: "N", count: 40))\n"
      }
      try workspace.write("items.csv", text)
      let outcome = try await workspace.run("run", "items.yaml") { process in
        // At once: after a turn of the pool the new store might be there, and the process not ended yet.
        _ = try await process.wait { Self.isReached(moment, workspace) && kill(process.identifier, SIGKILL) == 0 }
      }
      wasKilled = outcome.exitCode == -SIGKILL
      if !wasKilled { try workspace.write("Shop.sqlite", store) }
    }
    #expect(wasKilled)
    #expect(try workspace.bytes("Shop.sqlite") == store)
    let left = Set(try workspace.names()).subtracting(names)
    #expect(
      left.allSatisfy { $0.hasPrefix("Shop.sqlite.partial") || $0 == "Shop.sqlite.lock" || $0.hasPrefix("rejects") })

    try workspace.write("items.csv", "id,name\nafter,A\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM") == ["after"])
    #expect(try workspace.query("Shop.sqlite", "PRAGMA integrity_check") == ["ok"])
    #expect(try workspace.names() == names)
  }

  /// Whether the file is longer than its header says, and the header is that of the moment.
  private static func isReached(_ moment: Moment, _ workspace: Workspace) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: workspace.path("Shop.sqlite.partial/Shop.sqlite")) else {
      return false
    }
    defer { try? handle.close() }
    guard let header = try? handle.read(upToCount: 100), header.count == 100, let size = try? handle.seekToEnd() else {
      return false
    }
    let bytes = [UInt8](header)
    let pages = bytes[28..<32].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let pageSize = UInt64(bytes[16]) << 8 | UInt64(bytes[17])
    guard pageSize > 0, size > pages * pageSize else { return false }
    return (pages > 250) == (moment == .indexes)
  }
}
