import Foundation
import Testing

/// `map: { name: . }`: objects of an array of bare values.
@Suite("Arrays of bare values")
struct ElementMapTests {
  private static let tags = "SELECT ZNAME FROM ZTAG ORDER BY 1"
  private static func links(_ identifier: String) -> String {
    """
    SELECT t.ZNAME FROM ZITEM i JOIN Z_2TAGS l ON l.Z_2ITEMS = i.Z_PK JOIN ZTAG t ON t.Z_PK = l.Z_4TAGS
    WHERE i.ZIDENTIFIER = '\(identifier)' ORDER BY 1
    """
  }

  private func workspace(
    _ records: [String], tags: String = "{ from: tags, match: name, map: { name: . } }", more: [String] = [],
    replace: String = "always", rejects: String = "file: rejects.csv, limit: 0"
  ) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.ndjson", records.joined(separator: "\n"))
    try ItemPipeline(
      source: "items.ndjson", map: ["identifier: id", "name: name", "tags: \(tags)"] + more, replace: replace,
      rejects: rejects
    ).write(to: workspace)
    return workspace
  }

  @Test("texts become objects that records share; absent, null and empty arrays have none")
  func texts() async throws {
    let workspace = try workspace([
      #"{"id":"a","name":"A","tags":["music","b\u00e4r","{\"name\":1}"]}"#,
      #"{"id":"b","name":"B","tags":["music","music"]}"#, #"{"id":"c","name":"C"}"#,
      #"{"id":"d","name":"D","tags":null}"#, #"{"id":"e","name":"E","tags":[]}"#,
    ])
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.text)\(run.talk)")
    #expect(try workspace.query("Shop.sqlite", Self.tags) == ["bär", "music", #"{"name":1}"#].sorted())
    #expect(try workspace.query("Shop.sqlite", "SELECT COUNT(*) FROM Z_2TAGS") == ["4"])
  }

  @Test("the value goes through expressions, numbers are texts as they are written, and one value needs no array")
  func expressions() async throws {
    let workspace = try workspace(
      [#"{"id":"a","name":"A","tags":[" Music ",7,1.50,true]}"#, #"{"id":"b","name":"B","tags":"solo"}"#],
      tags: "{ from: tags, match: name, map: { name: upper(trim(.)) } }")
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.text)\(run.talk)")
    #expect(try workspace.query("Shop.sqlite", Self.tags).contains("MUSIC"))
    #expect(try workspace.query("Shop.sqlite", Self.tags).contains("SOLO"))
    #expect(try workspace.query("Shop.sqlite", "SELECT COUNT(*) FROM ZTAG") == ["5"])
  }

  @Test("without match every element is an object of its own")
  func owned() async throws {
    let workspace = try workspace(
      [#"{"id":"a","name":"A","tags":[],"keys":["p","p","q"]}"#],
      more: ["parts: { from: keys, map: { identifier: . } }"])
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.text)\(run.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZPART ORDER BY 1") == ["p", "p", "q"])
  }

  @Test("another import finds the same objects")
  func again() async throws {
    let workspace = try workspace([#"{"id":"a","name":"A","tags":["music","bar"]}"#], replace: "never")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    try workspace.write("items.ndjson", #"{"id":"a","name":"A","tags":["bar","new"]}"#)
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Shop.sqlite", Self.tags) == ["bar", "music", "new"])
  }

  @Test("null and an array among the elements are refused, not left out")
  func refused() async throws {
    for element in ["null", "[\"x\"]", "{\"name\":\"x\"}"] {
      let workspace = try workspace(
        [#"{"id":"a","name":"A","tags":["music",\#(element)]}"#], rejects: "file: bad.ndjson, limit: 1")
      let run = try await workspace.run("run", "items.yaml")
      #expect(run.exitCode == 1, "\(element): \(run.text)\(run.talk)")
      #expect(try workspace.query("Shop.sqlite", "SELECT COUNT(*) FROM ZITEM") == ["0"])
    }
  }

  @Test("a map of fields says what reads bare values, and . has no meaning in a record of CSV")
  func messages() async throws {
    let workspace = try workspace(
      [#"{"id":"a","name":"A","tags":["music"]}"#], tags: "{ from: tags, match: name, map: { name: title } }")
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 65 && run.talk.contains("as in map: { name: . }"), "\(run.talk)")
    try workspace.write("items.csv", "id,name\na,A\n")
    try ItemPipeline(map: ["identifier: id", "name: ."]).write(to: workspace)
    let csv = try await workspace.run("run", "items.yaml")
    #expect(csv.exitCode == 78 && csv.talk.contains("\".\" is an element of an array"), "\(csv.talk)")
  }
}
