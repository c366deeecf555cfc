import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import Testing

/// `lint` reads model and seed store as `run` does.
@Suite("Lint and run agree on seed stores")
struct LintVerdictTests {
  @Test(
    "where the model's hashes rest on a rule that is not confirmed, those of the seed store count",
    arguments: ["seed: Start.sqlite", "path: Start.sqlite, replace: never"])
  func unconfirmed(setting: String) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Item">
      <attribute name="größe" optional="YES" attributeType="String"/>
      </entity>
      """)
    let model = try ModelReader.read(path: workspace.path("M.xcdatamodel"))
      .takingUnconfirmedHashes(from: ["Item": Data(repeating: 7, count: 32)])
    try SQLiteStore.create(path: workspace.path("Start.sqlite"), model: model).close()
    try workspace.write("a.csv", "g\nx\n")
    try workspace.write(
      "a.yaml",
      "model: M.xcdatamodel\nstore: { \(setting.hasPrefix("path") ? "" : "path: A.sqlite, ")\(setting) }\n"
        + "import: [{ from: a.csv, entity: Item, map: { größe: g } }]\n")
    let lint = try await workspace.run("lint", "a.yaml")
    #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
    let run = try await workspace.run("run", "--quiet", "a.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
  }

  @Test("a pipeline whose model comes from its seed store gets one verdict, for a good store and a bad one")
  func ownModel() async throws {
    for (bytes, code) in [(nil, 0), ([UInt8]("no store".utf8), 65), ([UInt8]("SQLite format 3\0".utf8), 65)] {
      let workspace = try Workspace.withModel()
      try workspace.write("items.csv", "id,name\na,A\n")
      try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
      #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
      if let bytes { try workspace.write("Shop.sqlite", bytes) }
      let yaml = try workspace.text("items.yaml")
      try workspace.write(
        "next.yaml",
        yaml.replacingOccurrences(of: "path: Shop.sqlite", with: "path: Next.sqlite, seed: Shop.sqlite"))
      let lint = try await workspace.run("lint", "next.yaml")
      let run = try await workspace.run("run", "--quiet", "next.yaml")
      #expect(Int(lint.exitCode) == code, "\(lint.text)\(lint.talk)")
      #expect(Int(run.exitCode) == code, "\(run.talk)")
    }
  }

  @Test("files that only some records ask for are warnings, and those that are there are nothing")
  func valueFiles() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,picture\nA,ada.jpg\n", "faces/ada.jpg": "ada", "none.jpg": "none"],
      pipeline: StopFeed.pipeline(["picture: 'PICTURE'"]))
    let yaml = try workspace.text("stops.yaml")
    for (expression, code, words) in [
      ("file(\"faces/\" & picture)", 0, ""), ("file(picture)", 0, ""), ("file(\"none.jpg\")", 0, ""),
      ("file(concat(\"faces/\", null, picture, \".jpg\"))", 0, ""), ("file(\"fac\" & picture)", 0, ""),
      ("file(picture ?? \"nix.jpg\")", 0, "warning: file(): there is no file nix.jpg"),
      ("file(id == \"B\" ? \"b/\" & picture : \"none.jpg\")", 0, "warning: file(): there is no folder b"),
      ("id == \"B\" ? file(\"b.jpg\") : null", 0, "warning: file(): there is no file b.jpg"),
      ("file(\"none.jpg/\" & picture)", 78, "none.jpg is a file, and the path goes on"),
      ("file(concat(\"face/\", \"x/\", picture))", 66, "there is no folder face/x"),
      ("file(\"/etc/\" & picture)", 78, "leaves the project folder"),
    ] {
      try workspace.write(
        "stops.yaml",
        yaml.replacingOccurrences(of: "'PICTURE'", with: "'\(expression.replacingOccurrences(of: "'", with: "''"))'"))
      let lint = try await workspace.run("lint", "stops.yaml")
      #expect(Int(lint.exitCode) == code, "\(expression): \(lint.text)\(lint.talk)")
      #expect(words.isEmpty ? !lint.text.contains("file()") : lint.text.contains(words), "\(expression): \(lint.text)")
      if !words.isEmpty { #expect(lint.text.contains("stops.yaml:"), "\(lint.text)") }
    }
  }

  @Test("a model with more columns than a table can have is refused in a line")
  func tooManyColumns() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      "<entity name=\"Wide\">"
        + (0..<2100).map { "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"String\"/>" }.joined()
        + "</entity>")
    try workspace.write("a.csv", "g\nx\n")
    try workspace.write(
      "a.yaml",
      "model: M.xcdatamodel\nstore: { path: A.sqlite }\n"
        + "import: [{ from: a.csv, entity: Wide, map: { a0: g } }]\n")
    let run = try await workspace.run("run", "a.yaml")
    #expect(run.exitCode == 78, "\(run.talk)")
    #expect(run.talk.contains("too many columns on ZWIDE") && run.talk.contains("at most 2,000 in SQLite"))
    #expect(run.talk.utf8.count < 600, "\(run.talk.utf8.count)")
    #expect(!workspace.exists("A.sqlite"))
  }
}
