import TestSupport
import Testing

/// Nested objects without a key of their own belong to their owner: what becomes of them when its list changes.
@Suite("Nested lists that change")
struct NestedListTests {
  private static let entities = """
    <entity name="Album"><attribute name="ident" attributeType="String"/>
     <relationship name="media" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Medium" inverseName="album" inverseEntity="Album"/>
     <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="albums" inverseEntity="Album"/>
     \(ModelXML.unique("ident"))</entity>
    <entity name="Medium"><attribute name="n" optional="YES" attributeType="Integer 32"/>
     <relationship name="album" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Album" inverseName="media" inverseEntity="Album"/>
     <relationship name="tracks" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Track" inverseName="medium" inverseEntity="Medium"/></entity>
    <entity name="Track"><attribute name="t" optional="YES" attributeType="String"/>
     <relationship name="medium" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Medium" inverseName="tracks" inverseEntity="Medium"/></entity>
    <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/>
     <relationship name="albums" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Album" inverseName="tags" inverseEntity="Tag"/>
     \(ModelXML.unique("name"))</entity>
    """

  private static func workspace(_ source: String, _ map: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities)
    try workspace.write(
      "albums.yaml",
      """
      model: M.xcdatamodel
      store: { path: M.sqlite, replace: never }
      import:
        - { from: \(source), entity: Album, match: ident, map: { ident: id, \(map) } }

      """)
    return workspace
  }

  private static let media = "media: { from: media, map: { n: n, tracks: { from: tracks, map: { t: t } } } }"
  private static let full =
    #"{"id": "1", "media": [{"n": 1, "tracks": [{"t": "x"}, {"t": "y"}]}, {"n": 2, "tracks": [{"t": "z"}]}]}"#

  @Test(
    "an object that a list has no more goes by the model's delete rules, and its record is an updated one",
    arguments: [
      (#"{"id": "1", "media": []}"#, 2, ["0", "0"]), (#"{"id": "1", "media": null}"#, 2, ["0", "0"]),
      (#"{"id": "1", "media": [{"n": 1, "tracks": [{"t": "x"}, {"t": "y"}]}]}"#, 1, ["1", "2"]),
      (
        #"{"id": "1", "media": [{"n": 1, "tracks": [{"t": "x"}]}, {"n": 2, "tracks": [{"t": "z"}]}]}"#, 1, ["2", "2"]
      ),
    ])
  func shorter(next: String, deleted: Int, left: [String]) async throws {
    let workspace = try Self.workspace("albums.ndjson", Self.media)
    try workspace.write("albums.ndjson", Self.full + "\n")
    _ = try await workspace.report("albums.yaml")
    try workspace.write("albums.ndjson", next + "\n")
    let step = try #require(try await workspace.report("albums.yaml").steps.first)
    #expect(step.counts.updated == 1 && step.counts.unchanged == 0)
    #expect(step.nestedDeleted == deleted && step.nestedInserted == 0 && step.nestedUpdated == 0)
    #expect(
      try workspace.query("M.sqlite", "SELECT count(*) FROM ZMEDIUM UNION ALL SELECT count(*) FROM ZTRACK") == left)
    #expect(try workspace.query("M.sqlite", "SELECT count(*) FROM ZTRACK WHERE ZMEDIUM IS NULL") == ["0"])
    #expect(try await workspace.run("check", "--strict", "M.sqlite").exitCode == 0)
    let text = try await workspace.run("run", "albums.yaml")
    #expect(text.exitCode == 0 && !text.text.contains("deleted"), "\(text.text)")
  }

  @Test("a reject of a nested object names its entity and property")
  func rejects() async throws {
    let workspace = try Self.workspace("albums.ndjson", Self.media)
    try workspace.write("albums.ndjson", #"{"id": "1", "media": [{"n": "x"}]}"# + "\n")
    let run = try await workspace.run("run", "albums.yaml", "--json")
    #expect(run.exitCode == 65)
    #expect(run.text.contains("\"entity\": \"Medium\"") && run.text.contains("\"property\": \"n\""), "\(run.text)")
  }

  @Test("a report says in words what was deleted")
  func words() async throws {
    let workspace = try Self.workspace("albums.ndjson", Self.media)
    try workspace.write("albums.ndjson", Self.full + "\n")
    _ = try await workspace.report("albums.yaml")
    try workspace.write("albums.ndjson", #"{"id": "1", "media": []}"# + "\n")
    let text = try await workspace.run("run", "albums.yaml").text
    #expect(text.contains("nested objects 0 inserted, 0 updated, 2 deleted"), "\(text)")
  }

  @Test("empty pieces of a text that is split are no objects, however often it is imported")
  func emptyPieces() async throws {
    let workspace = try Self.workspace(
      "albums.csv", #"tags: { from: 'split(tags, "|")', match: name, map: { name: . } }"#)
    try workspace.write("albums.csv", "id,tags\n1,a|b\n2,a||b\n3,|\n4,\n5,b|\n")
    for run in 0..<3 {
      let step = try #require(try await workspace.report("albums.yaml").steps.first)
      #expect(run == 0 ? step.counts.inserted == 5 && step.nestedInserted == 2 : step.nestedInserted == 0)
      #expect(step.counts.updated == 0)
      #expect(try workspace.query("M.sqlite", "SELECT ZNAME FROM ZTAG ORDER BY 1") == ["a", "b"])
      #expect(try workspace.query("M.sqlite", "SELECT count(*) FROM Z_1TAGS") == ["5"])
    }
  }
}
