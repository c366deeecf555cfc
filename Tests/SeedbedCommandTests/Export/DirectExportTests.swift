import Foundation
import Platform
import Testing

/// Exports that go out at once: to devices, FIFOs and standard output.
@Suite("Exports that go out at once")
struct DirectExportTests {
  private static let map = ["identifier: id", "name: name"]

  private func pipeline(to target: String, replace: String = "always") -> ItemPipeline {
    var pipeline = ItemPipeline(map: Self.map)
    pipeline.replace = replace
    pipeline.more = "export: [{ entity: Item, to: \(target), format: csv, columns: [identifier] }]"
    return pipeline
  }

  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\n")
    try ItemPipeline(map: Self.map).write(to: workspace)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    return workspace
  }

  @Test(
    "an export that fails keeps an import in place from being committed",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: ["/dev/full", "\"-\""])
  func full(target: String) async throws {
    let workspace = try await workspace()
    try pipeline(to: target, replace: "never, write: in-place").write(to: workspace)
    let outcome = try await Tool.run(
      ["-c", "exec \"$0\" run --allow-outside items.yaml >/dev/full", Tool.path], in: workspace.folder,
      executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM") == ["a"])
  }

  @Test(
    "a signal ends a run that waits for the reader of a FIFO, and the store stays",
    arguments: ["always", "never, write: in-place"], [SIGINT, SIGTERM])
  func waiting(replace: String, signal: Int32) async throws {
    let workspace = try await workspace()
    #expect(unsafe mkfifo(workspace.path("out.csv"), 0o600) == 0)
    try pipeline(to: "out.csv", replace: replace).write(to: workspace)
    let before = try workspace.names()
    let outcome = try await Tool.run(["run", "items.yaml"], in: workspace.folder) { process in
      let isLocked = try await process.wait { workspace.exists("Shop.sqlite.lock") }
      let isWaiting = try await process.waitUntilIdle()
      #expect(isLocked && isWaiting)
      kill(process.identifier, signal)
    }
    #expect(outcome.exitCode == 130, "\(outcome.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM") == ["a"])
    #expect(try workspace.names() == before)
  }

  @Test("a run does not write into the FIFO that it reads")
  func ownSource() async throws {
    let workspace = try await workspace()
    #expect(unsafe mkfifo(workspace.path("out.csv"), 0o600) == 0)
    try pipeline(to: "out.csv").write(to: workspace)
    let yaml = try workspace.text("items.yaml").replacing("items.csv", with: "out.csv")
    try workspace.write("items.yaml", yaml)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("out.csv, which the run reads"), "\(outcome.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM") == ["a"])
  }

  @Test("a reader of a FIFO that comes late gets all of it")
  func lateReader() async throws {
    let workspace = try await workspace()
    let rows = 40_000
    try workspace.write("items.csv", "id,name\n" + (0..<rows).map { "i\($0),A\n" }.joined())
    #expect(unsafe mkfifo(workspace.path("out.csv"), 0o600) == 0)
    try pipeline(to: "out.csv").write(to: workspace)
    var got = Data()
    let outcome = try await workspace.run("run", "items.yaml") { process in
      // Once for a reader, and once because a pipe does not hold all of it.
      let isLocked = try await process.wait { workspace.exists("Shop.sqlite.lock") }
      let isWaiting = try await process.waitUntilIdle()
      #expect(isLocked && isWaiting)
      let reader = try #require(FileHandle(forReadingAtPath: workspace.path("out.csv")))
      let isFull = try await process.waitUntilIdle()
      #expect(isFull)
      got = try #require(try reader.readToEnd())
    }
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let expected = "identifier\n" + (0..<rows).map { "i\($0)\n" }.joined()
    #expect(String(decoding: got, as: UTF8.self).replacing("\r\n", with: "\n") == expected)
  }
}
