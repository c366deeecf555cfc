import Foundation
import Testing

@Suite("Files as values")
struct FileValueTests {
  private static let source = "id,picture\nA,ada.jpg\nB,\nC,sub/c.bin\n"
  private static let map = ["picture: file(\"faces/\" & picture)"]
  private static let rows = "SELECT ZIDENTIFIER, hex(ZPICTURE) FROM ZSTOP ORDER BY 1"

  private func workspace(_ map: [String] = map, source: String = source, store: String = "replace: always") throws
    -> Workspace
  {
    try StopFeed.workspace(
      ["stops.csv": source, "faces/ada.jpg": "\u{1}ada", "faces/sub/c.bin": ""],
      pipeline: StopFeed.pipeline(map, store: store))
  }

  @Test("file() reads what a file of the project holds; without a name there is no value")
  func values() async throws {
    let workspace = try workspace()
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", Self.rows) == ["A|01616461", "B|", "C|"])
    #expect(
      try workspace.query("Stops.sqlite", "SELECT ZIDENTIFIER FROM ZSTOP WHERE ZPICTURE IS NULL") == ["B"])
    let first = try workspace.bytes("Stops.sqlite")
    _ = try await workspace.run("run", "--quiet", "--jobs", "1", "stops.yaml")
    #expect(try workspace.bytes("Stops.sqlite") == first)
  }

  @Test("large files in many records come out whole")
  func large() async throws {
    let workspace = try workspace(
      source: "id,picture\n" + (0..<100).map { "\($0),\($0).bin\n" }.joined(), store: "replace: always")
    for index in 0..<100 {
      try workspace.write("faces/\(index).bin", [UInt8](repeating: UInt8(index), count: 100_000 + index))
    }
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    let wrong = try workspace.query(
      "Stops.sqlite", "SELECT count(*) FROM ZSTOP WHERE length(ZPICTURE) = 100000 + CAST(ZIDENTIFIER AS INTEGER)")
    #expect(wrong == ["100"])
  }

  @Test("when-changed notices a file that changed, came or went")
  func whenChanged() async throws {
    let workspace = try workspace(store: "replace: when-changed")
    func run() async throws -> (String, [String]) {
      let outcome = try await workspace.run("run", "--json", "stops.yaml")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      return (outcome.text, try workspace.query("Stops.sqlite", Self.rows))
    }
    _ = try await run()
    let made = try workspace.bytes("Stops.sqlite")
    _ = try await run()
    #expect(try workspace.bytes("Stops.sqlite") == made)
    try workspace.write("faces/ada.jpg", "new")
    let (_, rows) = try await run()
    #expect(rows.first == "A|6E6577")
  }

  @Test(
    "a file that cannot be a value is a reject with its path",
    arguments: [
      ("gone.jpg", "faces/gone.jpg: there is no such file"), ("sub", "faces/sub is a folder"),
      ("../../secret.txt", "leaves the project folder"), ("link.txt", "leaves the project folder"),
    ])
  func rejects(name: String, words: String) async throws {
    let outside = try Workspace()
    try outside.write("secret.txt", "x")
    let workspace = try workspace(source: "id,picture\nA,\(name)\nB,ada.jpg\n")
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("faces/link.txt"), withDestinationPath: outside.path("secret.txt"))
    let run = try await workspace.run("run", "stops.yaml")
    #expect(run.exitCode == 65)
    #expect((run.text + run.talk).contains("stops.csv:2:3: "), "\(run.talk)")
    #expect((run.text + run.talk).contains(words), "\(run.talk)")
    if name == "link.txt" {
      let allowed = try await workspace.run("run", "--quiet", "--allow-outside", "stops.yaml")
      #expect(allowed.exitCode == 0, "\(allowed.talk)")
    }
  }

  @Test("a file is no text")
  func wrongType() async throws {
    let workspace = try workspace(["name: file(\"faces/\" & picture)"])
    let run = try await workspace.run("run", "stops.yaml")
    #expect((run.text + run.talk).contains("a file is not a String (Stop.name)"), "\(run.talk)")
  }
}
