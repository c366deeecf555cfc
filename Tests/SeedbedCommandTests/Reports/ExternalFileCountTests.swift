import Foundation
import Testing

/// Files of external data are counted where a store's size is told, and where it is said what a bundle needs.
@Suite("Counts of files of external data")
struct ExternalFileCountTests {
  private static let entities = """
      <entity name="Photo" representedClassName="Photo" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      </entity>
    """

  @Test("run, inspect and check --bundle count them")
  func counts() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Photos.xcdatamodeld/Photos.xcdatamodel")
    let image = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) }).base64EncodedString()
    try workspace.write(
      "photos.ndjson",
      "{\"name\":\"a\",\"image\":\"\(image)\"}\n{\"name\":\"b\",\"image\":\"\(image)\"}\n{\"name\":\"c\"}\n")
    try workspace.write(
      "photos.yaml",
      """
      model: Photos.xcdatamodeld
      store: { path: Photos.sqlite, journal: delete }
      import: [{ from: photos.ndjson, entity: Photo, map: { name: name, image: image } }]
      """)
    let text = try await workspace.run("run", "photos.yaml")
    #expect(text.text.contains("with 2 files of external data"), "\(text.talk)")
    let report = try await workspace.run("run", "photos.yaml", "--json")
    let json = try report.object()
    let store = try #require(json["store"] as? [String: Any])
    #expect(store["externalFiles"] as? Int == 2 && store["externalBytes"] as? Int == 300_000)
    #expect(store["bytes"] as? Int == (try workspace.bytes("Photos.sqlite").count) + 300_000)

    let inspect = try await workspace.run("inspect", "Photos.sqlite", "--model", "Photos.xcdatamodeld")
    #expect(inspect.text.contains(" and 300.0 KB in 2 files of external data · journal mode delete"))
    let listing = try await workspace.run("inspect", "Photos.sqlite", "--json")
    let members = try listing.object()
    #expect(members["externalFiles"] as? Int == 2 && members["externalBytes"] as? Int == 300_000)

    let check = try await workspace.run("check", "--bundle", "Photos.sqlite", "--model", "Photos.xcdatamodeld")
    #expect(
      check.text.contains(
        "also from a read-only bundle that has the folder .Photos_SUPPORT beside it (2 files of external data, 300.0 KB)"
      ),
      "\(check.text)")
  }
}
