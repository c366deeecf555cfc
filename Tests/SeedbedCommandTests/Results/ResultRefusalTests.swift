import Foundation
import Testing

/// What a refusal says, so that who reads the mail of a nightly job knows what to do.
@Suite("Refused results say why")
struct ResultRefusalTests {
  private func workspace(_ more: String = "") async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\n" + (0..<200).map { "i\($0),Name \($0)\n" }.joined())
    try ItemPipeline(map: ["identifier: id", "name: name"], more: more).write(to: workspace)
    return workspace
  }

  @Test("a damaged store is told from another program's, and --force replaces it")
  func damaged() async throws {
    let workspace = try await workspace()
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    let made = try workspace.bytes("Shop.sqlite")
    let key = try #require(Data(made).range(of: Data("SeedbedInputDigest".utf8))?.lowerBound)
    try workspace.execute(
      "notes.sqlite", "CREATE TABLE NOTES (TEXT); INSERT INTO NOTES VALUES ('mine')", createsFile: true)
    var blank = made
    for index in 4096..<blank.count { blank[index] = 0 }
    let cases: [([UInt8], String)] = [
      (Array(made.prefix(min(key, 5000))), "damaged database: no metadata can be read"),
      (Array(made.prefix(60)), "damaged database: no metadata can be read"),
      (blank, "damaged database: no metadata can be read"),
      (Array(repeating: 0, count: 8192), "begins with zeros"),
      (try workspace.bytes("notes.sqlite"), "a database that Seedbed did not make"),
    ]
    for (bytes, message) in cases {
      for command in [["run", "--quiet", "items.yaml"], ["copy", "--replace", "Good.sqlite", "Shop.sqlite"]] {
        try workspace.write("Good.sqlite", made)
        try workspace.write("Shop.sqlite", bytes)
        var outcome = try await Tool.run(command, in: workspace.folder)
        #expect(outcome.exitCode == 73, "\(outcome.talk)")
        #expect(outcome.talk.contains(message) && outcome.talk.contains("--force"), "\(message): \(outcome.talk)")
        #expect(try workspace.bytes("Shop.sqlite") == bytes)
        outcome = try await Tool.run(command + ["--force"], in: workspace.folder)
        #expect(outcome.exitCode == 0, "\(outcome.talk)")
        #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZITEM") == ["200"])
      }
    }
  }

  @Test(
    "an export whose columns have changed shows the old and the new ones",
    arguments: [
      ("out.csv", "identifier,name", "identifier,name,note"), ("out.csv.gz", "identifier,name", "identifier,name,note"),
      ("out.ndjson", "identifier, name", "identifier, name, note"),
    ])
  func columns(name: String, old: String, new: String) async throws {
    let workspace = try await workspace("export: [{ entity: Item, to: \(name), columns: [identifier, name] }]")
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    let bytes = try workspace.bytes(name)
    try workspace.write(
      "items.yaml", workspace.text("items.yaml").replacingOccurrences(of: "name] }]", with: "name, note] }]"))
    var outcome = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    for text in ["“\(old)”", "“\(new)”", "differ", "--force"] {
      #expect(outcome.talk.contains(text), "\(text): \(outcome.talk)")
    }
    #expect(try workspace.bytes(name) == bytes)
    outcome = try await workspace.run("run", "--quiet", "--force", "items.yaml")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
  }

  @Test("long headers are shortened to where they differ, and nothing in them reaches a terminal raw")
  func longHeaders() async throws {
    let workspace = try await workspace("export: [{ entity: Item, to: out.csv, columns: [identifier, name] }]")
    for (old, shown) in [
      ("identifier,name," + Array(repeating: "column", count: 50).joined(separator: ","), "“identifier,name,column,"),
      ("identifier\u{1b}[2J,name", "\\u{1b}"), ("PK\u{3}\u{4}\0\0", "cannot be read as text"),
    ] {
      try workspace.write("out.csv", old + "\n")
      let outcome = try await workspace.run("run", "--quiet", "items.yaml")
      #expect(outcome.exitCode == 73 && outcome.talk.contains(shown), "\(outcome.talk)")
      #expect(!outcome.talk.contains("\u{1b}") && outcome.talk.utf8.count < 500, "\(outcome.talk)")
    }
  }

  @Test("a file of rejects that was cut short in its header is one, and a letter is none")
  func cutRejects() async throws {
    let workspace = try await workspace()
    try workspace.write("items.csv", "id,name\na,A\nb,\n")
    try workspace.write("rejects.csv", "file,line,col")
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 65)
    #expect(try workspace.text("rejects.csv").hasPrefix("file,line,column,"))
    try workspace.write("rejects.csv", "file a complaint")
    let outcome = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("“file a complaint”"), "\(outcome.talk)")
    #expect(try workspace.text("rejects.csv") == "file a complaint")
  }
}
