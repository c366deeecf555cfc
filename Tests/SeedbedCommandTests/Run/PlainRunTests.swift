import Foundation
import Testing

/// Command lines of `run` with a pipeline file and flags alone, which are not given to the parser.
@Suite("Plain command lines of run")
struct PlainRunTests {
  private static let lines = [
    "run items.yaml", "run items.yaml --quiet", "run --quiet items.yaml", "run --quiet --quiet items.yaml",
    "run --dry-run items.yaml", "run --verbose --dry-run items.yaml", "run none.yaml", "run none.yaml --json", "run",
    "run --quiet", "run items.yaml items.yaml", "run items.yaml --quit", "run -q items.yaml",
    "run --quiet=yes items.yaml",
    "run foreign.yaml", "run --force foreign.yaml", "run outside.yaml", "run outside.yaml --allow-outside",
    "run -- items.yaml", "run items.yaml --help", "run items.yaml --version", "run items.yaml --no-quiet",
  ]

  private func workspace() throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,\n")
    let pipeline = ItemPipeline(map: ["identifier: id", "name: name"], rejects: "limit: 5")
    try pipeline.write(to: workspace)
    let text = try workspace.text("items.yaml")
    try workspace.write("foreign.sqlite", "no store")
    try workspace.write("foreign.yaml", text.replacingOccurrences(of: "Shop.sqlite", with: "foreign.sqlite"))
    try workspace.write("outside.yaml", text.replacingOccurrences(of: "items.csv", with: "/dev/null"))
    return workspace
  }

  /// Without what differs from run to run.
  private func steady(_ text: String) -> String {
    text.replacing(/seedbed-test-[0-9A-F-]+/, with: "N").replacing(
      // Times from 100 seconds on are minutes.
      /[0-9]+\.[0-9]+ (s|MB)|[0-9]+(:[0-9]{2})+/, with: "N"
    ).replacing(/"[a-zA-Z]*(Seconds|seconds|At|Bytes|run)": [^\n]*/, with: "N")
      .split(separator: " ").joined(separator: " ")
  }

  @Test("they do and say what the parser makes of them", arguments: lines)
  func same(line: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    // An option with its default changes nothing, and brings the parser in.
    let plain = try workspace()
    let parsed = try workspace()
    let first = try await Tool.run(words, in: plain.folder)
    let second = try await Tool.run(["run", "--log-format", "text"] + words.dropFirst(), in: parsed.folder)
    #expect(first.exitCode == second.exitCode)
    #expect(steady(first.text) == steady(second.text))
    #expect(steady(first.talk) == steady(second.talk))
    #expect(try plain.names() == parsed.names())
    if plain.exists("Shop.sqlite") { #expect(try plain.bytes("Shop.sqlite") == parsed.bytes("Shop.sqlite")) }
  }
}
