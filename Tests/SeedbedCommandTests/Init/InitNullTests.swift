import ModelFiles
import ObjectModel
import Testing

/// Texts that stand for no value, through `init` and `run`.
@Suite("Null markers through seedbed init and run")
struct InitNullTests {
  /// Makes a project of files, lints and runs it.
  private func made(_ files: [(String, String)], _ arguments: String...) async throws -> (Workspace, talk: String) {
    let workspace = try Workspace()
    for (name, text) in files { try workspace.write(name, text) }
    let made = try await Tool.run(
      ["init"] + files.map(\.0) + ["--name", "t", "--export"] + arguments, in: workspace.folder)
    try #require(made.exitCode == 0, "\(made.talk)")
    let lint = try await workspace.run("lint", "pipelines/t.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")
    let run = try await workspace.run("run", "--quiet", "pipelines/t.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return (workspace, made.talk)
  }

  private static let flights = """
    id,country,seats,delay,since,paid
    1,DE,12,1.5,2024-01-05,true
    2,NA,NA,\\N,\\N,NULL
    3,FR,"NA",2.25,2024-02-06,false
    4,,5,,,
    """

  @Test("numbers, dates and booleans have null for them, and a text stays: NA is Namibia")
  func columns() async throws {
    let (workspace, talk) = try await made([("flights.csv", Self.flights)])
    #expect(
      talk.contains("flights.csv: seats: 2 of 4 are \"NA\" and become null: empty in an export (line 3)"), "\(talk)")
    #expect(!talk.contains("flights.csv: country"), "\(talk)")
    let pipeline = try workspace.text("pipelines/t.yaml")
    #expect(pipeline.contains("seats: { from: seats, nulls: [\"\", \"NA\"] }"), "\(pipeline)")
    #expect(pipeline.contains("delay: { from: delay, nulls: [\"\", \"\\\\N\"] }"), "\(pipeline)")
    #expect(
      try workspace.text("build/flights.csv") == """
        id,country,seats,delay,since,paid
        1,DE,12,1.5,2024-01-05T00:00:00Z,true
        2,NA,,,,
        3,FR,,2.25,2024-02-06T00:00:00Z,false
        4,,5,,,

        """)
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    let types = model["Flight"]?.attributes.map { ($0.name, $0.type) } ?? []
    for (name, type) in types {
      let expected: [String: AttributeType] = [
        "id": .integer64, "country": .string, "seats": .integer32, "delay": .decimal, "since": .date, "paid": .boolean,
      ]
      #expect(type == expected[name], "\(name)")
    }
  }

  @Test("with --keep-text they stay, and the column with them")
  func keptText() async throws {
    let (workspace, talk) = try await made([("flights.csv", Self.flights)], "--keep-text")
    #expect(talk.contains("stay text"), "\(talk)")
    #expect(try workspace.text("build/flights.csv").contains("2,NA,NA,\\N,\\N,NULL\n"))
  }

  @Test("a reference with one leads nowhere, whatever its key is", arguments: ["", "K"])
  func references(prefix: String) async throws {
    let keys = (1...6).map { "\(prefix)\($0 + 10)" }
    let (workspace, _) = try await made([
      ("airports.csv", "airport id,name\n" + keys.map { "\($0),x\n" }.joined()),
      ("routes.csv", "n,airport id\n" + (0..<8).map { "x,\($0 == 3 ? "\\N" : keys[$0 % 4])\n" }.joined()),
    ])
    let pipeline = try workspace.text("pipelines/t.yaml")
    #expect(pipeline.contains("\\\"\\\\N\\\" means none") || pipeline.contains("means none"), "\(pipeline)")
    let rows = try workspace.text("build/routes.csv").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows[1] == "x,\(keys[0])" && rows[4] == "x,", "\(rows)")
  }

  @Test("a model that is there gets null for them too")
  func givenModel() async throws {
    let (workspace, _) = try await made([("flights.csv", Self.flights)])
    let made = try await workspace.run("init", "--model", "t.xcdatamodeld", "flights.csv", "--name", "u")
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/u.yaml")
    #expect(pipeline.contains("seats: { from: seats, nulls: [\"\", \"NA\"] }"), "\(pipeline)")
    #expect(try await workspace.run("run", "--quiet", "pipelines/u.yaml").exitCode == 0)
  }
}
