import Foundation
import Testing

/// Fetch indexes in stores that the tool makes, and queries that are meant for them.
@Suite("Indexes of built stores")
struct PlaceIndexTests {
  private static func model(_ indexes: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Post" syncable="YES">
        <attribute name="kind" attributeType="Integer 32" usesScalarValueType="YES" defaultValueString="0"/>
        <attribute name="latitude" attributeType="Double" usesScalarValueType="YES" defaultValueString="0"/>
        <attribute name="longitude" attributeType="Double" usesScalarValueType="YES" defaultValueString="0"/>
        <attribute name="rank" attributeType="Integer 32" usesScalarValueType="YES" defaultValueString="0"/>
        \(indexes)
      </entity>
    </model>
    """
  }

  private static let indexes = """
    <fetchIndex name="byLocation">
      <fetchIndexElement property="latitude" type="RTree" order="ascending"/>
      <fetchIndexElement property="longitude" type="RTree" order="ascending"/>
    </fetchIndex>
    <fetchIndex name="byKindAndRank">
      <fetchIndexElement property="kind" type="Binary" order="ascending"/>
      <fetchIndexElement property="rank" type="Binary" order="descending"/>
    </fetchIndex>
    """

  private func workspace(_ indexes: String) async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("Posts.xcdatamodeld/Posts.xcdatamodel/contents", Self.model(indexes))
    let lines = (0..<600).map { "\($0 % 20),\(40 + Double($0 % 97) / 10),\(Double($0 % 89) / 10),\($0 * 7 % 101)" }
    try workspace.write("posts.csv", "kind,lat,lon,rank\n" + lines.joined(separator: "\n"))
    try workspace.write(
      "posts.yaml",
      """
      model: Posts.xcdatamodeld
      store: { path: Posts.sqlite }
      import: [{ from: posts.csv, entity: Post, map: { kind: kind, latitude: lat, longitude: lon, rank: rank } }]
      """)
    let run = try await workspace.run("run", "--quiet", "posts.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return workspace
  }

  private static let box =
    "Post WHERE indexed:by:(latitude, 'byLocation') BETWEEN {42, 43} AND indexed:by:(longitude, 'byLocation') BETWEEN {2, 4}"
  private static let plainBox = "Post WHERE latitude BETWEEN {42, 43} AND longitude BETWEEN {2, 4}"

  @Test(
    "a box is looked for in the R-tree, and order comes from a compound index; without them rows are scanned and sorted"
  )
  func plans() async throws {
    let indexed = try await workspace(Self.indexes)
    let bare = try await workspace("")
    for (workspace, isIndexed) in [(indexed, true), (bare, false)] {
      let spatial = try await workspace.run(
        "query", "Posts.sqlite", isIndexed ? Self.box : Self.plainBox, "--explain")
      #expect(spatial.exitCode == 0, "\(spatial.talk)")
      #expect(spatial.text.contains("VIRTUAL TABLE INDEX") == isIndexed, "\(spatial.text)")
      #expect(spatial.text.contains("<- every row of the table") != isIndexed, "\(spatial.text)")
      #expect(!spatial.text.contains("unable to process SQL"), "\(spatial.text)")
      let sorted = try await workspace.run(
        "query", "Posts.sqlite", "Post WHERE kind == 7", "--order", "-rank", "--explain")
      #expect(sorted.text.contains("Z_Post_byKindAndRank (ZKIND=?)") == isIndexed, "\(sorted.text)")
      #expect(sorted.text.contains("<- sorts in a temporary b-tree") != isIndexed, "\(sorted.text)")
    }
    let answers = try await [(indexed, Self.box), (indexed, Self.plainBox), (bare, Self.plainBox)].asyncMap {
      place, query in
      try await place.run("query", "Posts.sqlite", query, "--format", "csv", "--quiet").text
    }
    #expect(Set(answers).count == 1 && answers[0].split(separator: "\n").count > 1, "\(answers)")
  }
}

extension Array {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}
