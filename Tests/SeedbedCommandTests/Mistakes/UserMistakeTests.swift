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
    let sample = try Self.workspace()
    let outcome = try await sample.run("run", "shop.yaml")
    try #require(outcome.exitCode == 0, "the sample project runs: \(outcome.talk)")
    let store = try sample.bytes("Shop.sqlite")
    for mistake in table.mistakes {
      let workspace = try Self.workspace()
      try mistake.apply(to: workspace, store: store)
      let outcome = try await Tool.run(
        mistake.arguments, in: workspace.folder, environment: mistake.environment,
        input: try mistake.input.map(workspace.bytes))
      let problems = mistake.problems(of: outcome)
      #expect(
        problems.isEmpty,
        "\(mistake.name): \(problems.joined(separator: "; "))\n\(outcome.exitCode)\n\(outcome.text)\(outcome.talk)")
    }
  }
}
