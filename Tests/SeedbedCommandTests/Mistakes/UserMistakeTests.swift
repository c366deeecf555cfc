import Foundation
import Testing

/// The table of mistakes: what a newcomer does wrong is answered with where, what, and how to mend it.
@Suite("Mistakes of users", .enabled(if: Tool.picksStrategies, "another strategy is asked for"))
struct UserMistakeTests {
  private static let tables = MistakeTable.collectedByReaders + MistakeTable.collectedFromSources

  private static func workspace() throws -> Workspace {
    let workspace = try Workspace()
    for name in try FileManager.default.contentsOfDirectory(atPath: MistakeTable.project.path) {
      try FileManager.default.copyItem(
        at: MistakeTable.project.appendingPathComponent(name), to: workspace.url(name))
    }
    return workspace
  }

  @Test("a hundred mistakes and more, eighty of them collected by readers of the documentation, none twice")
  func size() {
    let collected = MistakeTable.collectedByReaders.flatMap(\.mistakes)
    let all = Self.tables.flatMap(\.mistakes)
    #expect(collected.count >= 80)
    #expect(all.count >= 100)
    #expect(Set(all.map(\.name)).count == all.count)
    for mistake in all {
      #expect(!mistake.arguments.isEmpty, "\(mistake.name)")
      #expect(mistake.exitCode != nil, "\(mistake.name)")
      #expect(!mistake.words.isEmpty, "\(mistake.name)")
    }
  }

  /// A file of the table runs one mistake after the other, so that only a few processes run at once.
  @Test("every mistake has its exit code and its words", arguments: tables)
  func mistakes(_ table: MistakeTable) async throws {
    try await run(table.mistakes.filter { $0.disk == nil })
  }

  @Test("so has a result that does not fit on its disk", .enabled(if: canMount, "no file system can be mounted here"))
  func fullDisks() async throws {
    let mistakes = Self.tables.flatMap(\.mistakes).filter { $0.disk != nil }
    #expect(!mistakes.isEmpty)
    try await run(mistakes)
  }

  private func run(_ mistakes: [Mistake]) async throws {
    let sample = try Self.workspace()
    let outcome = try await sample.run("run", "shop.yaml")
    try #require(outcome.exitCode == 0, "the sample project runs: \(outcome.talk)")
    let store = try sample.bytes("Shop.sqlite")
    for mistake in mistakes {
      let workspace = try Self.workspace()
      try mistake.apply(to: workspace, store: store)
      let input = try mistake.input.map(workspace.bytes)
      let outcome: Tool.Outcome
      if let disk = mistake.disk {
        outcome = try await Self.run(mistake.arguments, in: workspace, folder: disk.folder, size: disk.size)
      } else {
        outcome = try await Tool.run(
          mistake.arguments, in: workspace.folder, environment: mistake.environment, input: input)
      }
      let problems = mistake.problems(of: outcome)
      #expect(
        problems.isEmpty,
        "\(mistake.name): \(problems.joined(separator: "; "))\n\(outcome.exitCode)\n\(outcome.text)\(outcome.talk)")
    }
  }

  /// Runs the tool where a folder is a small file system, which no other process sees and which goes with the process.
  private static func run(
    _ arguments: [String], in workspace: Workspace, folder: String, size: String
  ) async throws -> Tool.Outcome {
    let mount = "mount -t tmpfs -o size=\"$2\" tmpfs \"$1\" && shift 2 && exec \"$@\""
    return try await Tool.run(
      ["-rm", "sh", "-c", mount, "sh", workspace.path(folder), size, Tool.path] + arguments, in: workspace.folder,
      executable: "unshare")
  }

  /// Whether a file system can be mounted for one process: on Linux, where user namespaces are allowed.
  private static let canMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "unshare -rm mount -t tmpfs -o size=32k tmpfs /tmp 2>/dev/null"]
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}
