import CoreDataLayout
import Foundation
import Testing

/// The documents name what the tool has.
@Suite("Documents and the tool")
struct DocumentationTests {
  private static func document(_ name: String) throws -> String {
    try String(contentsOf: Tool.packageRoot.appendingPathComponent(name), encoding: .utf8)
  }

  @Test("every finding of check stands in its table", arguments: StoreFinding.Code.allCases)
  func findings(code: StoreFinding.Code) throws {
    let text = try Self.document("docs/CHECK.md")
    let headings: [StoreFinding.Severity: String] = [.problem: "Problems", .warning: "Warnings", .note: "Notes"]
    let heading = "\n## \(headings[code.severity] ?? "")"
    let section = try #require(text.components(separatedBy: heading).last?.components(separatedBy: "\n## ").first)
    #expect(section.contains("\n| `\(code.rawValue)` | "))
  }

  @Test("the table of commands in README.md is that of --help")
  func commands() async throws {
    let workspace = try Workspace()
    let help = try await workspace.run("--help").text
    let listed = try #require(
      help.components(separatedBy: "SUBCOMMANDS:\n").last?.components(separatedBy: "\n\n").first)
    let commands = listed.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(commands.count > 5)
    let readme = try Self.document("README.md")
    let section = try #require(
      readme.components(separatedBy: "\n## Commands\n").last?.components(separatedBy: "\n## ").first)
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
      .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    #expect(rows.sorted() == commands.sorted())
  }
}
