import Foundation
import Testing

/// Sources that cannot be read on: the run fails with a position, and the previous store stays.
@Suite("Unreadable sources")
struct UnreadableSourceTests {
  enum Damage: Sendable {
    /// The text as it is.
    case none
    /// Compressed and cut off after so many bytes.
    case truncated(Int)
    /// Compressed, with a bit of the checksum turned.
    case wrongChecksum
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var file = "items.csv"
    var text: String
    var damage = Damage.none
    var exitCode: Int32 = 65
    var code: String
    /// What the message starts with.
    var place: String
    /// What message and hint hold between them.
    var says: [String] = []
    var testDescription: String { name }
  }

  private static let good = ItemPipeline.header + "\na,Apple,1,2,3,4.5,6,AB1,,\n"

  static let cases: [Case] = [
    Case(
      name: "truncated gzip", file: "items.csv.gz", text: good, damage: .truncated(60), exitCode: 74,
      code: "gzip.truncated", place: "items.csv.gz:byte 60: ", says: ["cut off"]),
    Case(
      name: "gzip cut inside its header", file: "items.csv.gz", text: good, damage: .truncated(5), exitCode: 74,
      code: "gzip.truncated", place: "items.csv.gz:byte 5: "),
    Case(
      name: "a wrong checksum", file: "items.csv.gz", text: good, damage: .wrongChecksum, exitCode: 74,
      code: "gzip.damaged", place: "items.csv.gz:byte "),
    Case(
      name: "a quote that is never closed", text: good + "b,\"Banana,,,,,,,,\nc,Cherry,,,,,,,,\n",
      code: "csv.unterminated-quote", place: "items.csv:3:3: ", says: ["never closed"]),
    Case(
      name: "a column named twice", text: "id,name,small,name\n", code: "csv.duplicate-column",
      place: "items.csv:1:15: ", says: ["2 and 4", "\"name\""]),
    Case(
      name: "a column that the map names and the file lacks",
      text: ItemPipeline.header.replacingOccurrences(of: "ratio", with: "ration") + "\n", code: "csv.unknown-column",
      place: "items.yaml:13:7: ", says: ["\"ratio\" in items.csv", "did you mean \"ration\"", "\"parent\""]),
    Case(name: "an empty file", text: "", code: "csv.empty", place: "items.csv:1:1: "),
    Case(
      name: "a JSON document that ends too early", file: "items.json",
      text: "[{\"id\":\"a\",\"name\":\"A\"},\n{\"id\":",
      code: "json.malformed", place: "items.json:2:"),
    Case(
      name: "a JSON document with text after it", file: "items.json", text: "[{\"id\":\"a\",\"name\":\"A\"}] 5",
      code: "json.malformed", place: "items.json:1:"),
  ]

  @Test("a source that cannot be read on ends the run and leaves the previous store", arguments: cases)
  func unreadable(_ bad: Case) async throws {
    let workspace = try Workspace.withModel()
    var pipeline = ItemPipeline(rejects: "file: rejects.csv, limit: 100")
    try pipeline.write(to: workspace)
    try workspace.write("items.csv", Self.good)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")

    try write(bad, to: workspace)
    pipeline.source = bad.file
    try pipeline.write(to: workspace)
    let names = try workspace.names()
    let outcome = try await workspace.run("run", "--log-format", "json", "items.yaml")
    #expect(outcome.exitCode == bad.exitCode)
    #expect(outcome.text.isEmpty)
    let error = try JSONDecoder().decode(LoggedError.self, from: Data(outcome.talk.utf8))
    #expect(error.level == "error")
    #expect(error.code == bad.code)
    #expect(error.message.hasPrefix(bad.place), "\(error.message)")
    for part in bad.says { #expect((error.message + (error.hint ?? "")).contains(part), "\(error)") }
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(try workspace.names() == names, "something was left behind")
  }

  private func write(_ bad: Case, to workspace: Workspace) throws {
    switch bad.damage {
    case .none: try workspace.write(bad.file, bad.text)
    case .truncated(let count):
      try workspace.gzip(bad.file, bad.text)
      try workspace.write(bad.file, Array(workspace.bytes(bad.file).prefix(count)))
    case .wrongChecksum:
      try workspace.gzip(bad.file, bad.text)
      var bytes = try workspace.bytes(bad.file)
      bytes[bytes.count - 8] ^= 1
      try workspace.write(bad.file, bytes)
    }
  }

  @Test("text shows the place and what to do")
  func shownAsText() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", Self.good + "b,\"Banana\n")
    try ItemPipeline().write(to: workspace)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(
      outcome.talk == """
        error: items.csv:3:3: the quote that opens here is never closed
          hint: close the field with a quote; a quote inside quotes is written twice

        """)
  }

  @Test(
    "a source that is not there, or is a folder, or a pipeline that is not there",
    arguments: [("items.csv", "items.yaml"), ("folder.csv", "items.yaml"), ("items.csv", "none.yaml")])
  func missing(source: String, pipeline: String) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("folder.csv/inside.csv", Self.good)
    try ItemPipeline(source: source).write(to: workspace)
    let names = try workspace.names()
    let outcome = try await workspace.run("run", pipeline)
    #expect(outcome.exitCode == 66)
    #expect(outcome.talk.contains(pipeline == "none.yaml" ? pipeline : source))
    #expect(try workspace.names() == names)
  }
}
