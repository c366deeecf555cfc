import Foundation
import SQLite
import TestSupport
import Testing

/// A new store carries its model when the model was compiled, and version hashes of a template are taken where ours
/// rest on an unconfirmed rule.
@Suite("Models that stores carry")
struct ModelCacheTests {
  private static let isAvailable = FixtureFolder.isAvailable

  /// A workspace with a pipeline that imports one cart, with the model at the given path.
  private func carts(model: String, copyModelFrom source: String) throws -> Workspace {
    let workspace = try Workspace()
    try FileManager.default.copyItem(atPath: source, toPath: workspace.path(model))
    try workspace.write("carts.csv", "id,made\na,2026-01-02T03:04:05Z\n")
    try workspace.write(
      "carts.yaml",
      """
      model: \(model)
      store: { path: Carts.sqlite }
      import:
        - from: carts.csv
          entity: CDCart
          map: { id: id, createdAt: made, updatedAt: made, storeId: id, status: id }
      """)
    return workspace
  }

  @Test(
    "a store that was made from a compiled model is checked, exported and inspected without any other",
    .enabled(if: isAvailable, "\(FixtureFolder.absenceReason)"))
  func compiled() async throws {
    let workspace = try carts(
      model: "CartStorage.momd", copyModelFrom: FixtureFolder.path("models/cartkit/CartStorage.momd"))
    let run = try await workspace.run("run", "carts.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(
      try workspace.query("Carts.sqlite", "SELECT count(*), length(Z_CONTENT) > 1000 FROM Z_MODELCACHE") == ["1|1"])
    let first = try workspace.bytes("Carts.sqlite")
    #expect(try await workspace.run("run", "--quiet", "carts.yaml").exitCode == 0)
    #expect(try workspace.bytes("Carts.sqlite") == first)

    try FileManager.default.removeItem(at: workspace.url("CartStorage.momd"))
    let check = try await workspace.run("check", "Carts.sqlite")
    #expect(check.exitCode == 0, "\(check.text)\(check.talk)")
    let inspection = try await workspace.run("inspect", "Carts.sqlite")
    #expect(inspection.text.contains("CDCart · number 1 · table ZCDCART · 1 row"))
    #expect(!inspection.text.contains("note:"))
    let export = try await workspace.run(
      "export", "--quiet", "Carts.sqlite", "--entity", "CDCart", "--columns", "id,createdAt")
    #expect(export.text == "id,createdAt\na,2026-01-02T03:04:05Z\n")
  }

  @Test(
    "the model that a store carries goes into the store that is made with it",
    .enabled(if: isAvailable, "\(FixtureFolder.absenceReason)"))
  func fromStore() async throws {
    let workspace = try carts(
      model: "App.sqlite", copyModelFrom: FixtureFolder.path("stores/cartkit/CartStorage_v1.sqlite"))
    for suffix in ["-wal", "-shm"] {
      let sidecar = FixtureFolder.path("stores/cartkit/CartStorage_v1.sqlite" + suffix)
      if FileManager.default.fileExists(atPath: sidecar) {
        try FileManager.default.copyItem(atPath: sidecar, toPath: workspace.path("App.sqlite" + suffix))
      }
    }
    let run = try await workspace.run("run", "carts.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try await workspace.run("check", "Carts.sqlite").exitCode == 0)
  }

  @Test("a store that was made from XML carries the model too, and is checked and queried without any other")
  func source() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\n")
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM Z_MODELCACHE") == ["1"])
    let check = try await workspace.run("check", "Shop.sqlite")
    #expect(check.exitCode == 0, "\(check.text)\(check.talk)")
    let query = try await workspace.run(
      "query", "Shop.sqlite", "Item WHERE identifier == 'a'", "--columns", "identifier,name", "--format", "csv")
    #expect(query.text == "identifier,name\na,A\n", "\(query.talk)")
  }

  @Test("where the hash of an entity rests on an unconfirmed rule, that of the template store counts")
  func template() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "Map.xcdatamodel/contents",
      """
      <model documentVersion="1.0">
        <entity name="Place">
          <attribute name="name" attributeType="String"/>
          <attribute name="höhe" optional="YES" attributeType="Double"/>
        </entity>
        <entity name="Note"><attribute name="text" optional="YES" attributeType="String"/></entity>
      </model>
      """)
    try workspace.write("places.csv", "name\nhere\n")
    func write(_ store: String) throws {
      try workspace.write(
        "places.yaml",
        """
        model: Map.xcdatamodel
        store: \(store)
        import: [{ from: places.csv, entity: Place, map: { name: name } }]
        """)
    }
    try write("{ path: Template.sqlite }")
    #expect(try await workspace.run("run", "places.yaml").exitCode == 0)
    var check = try await workspace.run("check", "Template.sqlite", "--model", "Map.xcdatamodel")
    #expect(check.exitCode == 0)
    #expect(check.text.contains("the hash of Place rests on an unconfirmed rule: höhe: a name with letters"))

    // As if Apple's framework had another rule for such names.
    let ours = try await hashes("Template.sqlite", workspace)
    try replaceHash(ours["Place"] ?? [], in: "Template.sqlite", workspace)
    check = try await workspace.run("check", "Template.sqlite", "--model", "Map.xcdatamodel")
    #expect(check.exitCode == 65)
    try write("{ path: Map.sqlite, seed: Template.sqlite }")
    let run = try await workspace.run("run", "places.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Map.sqlite", "SELECT count(*) FROM ZPLACE") == ["2"])
    #expect(try await hashes("Map.sqlite", workspace)["Place"] == [UInt8](repeating: 7, count: 32))
    // An entity whose hash is certain gets no such indulgence.
    try replaceHash(ours["Note"] ?? [], in: "Template.sqlite", workspace)
    #expect(try await workspace.run("run", "places.yaml").exitCode == 78)
  }

  private func hashes(_ store: String, _ workspace: Workspace) async throws -> [String: [UInt8]] {
    let outcome = try await workspace.run("inspect", "--json", store)
    let object = try outcome.object()
    return try #require(object["versionHashes"] as? [String: String]).mapValues { text in
      stride(from: 0, to: text.count, by: 2).map { position in
        UInt8(text.dropFirst(position).prefix(2), radix: 16) ?? 0
      }
    }
  }

  /// Replaces a hash inside the stored property list with bytes of the same number.
  private func replaceHash(_ hash: [UInt8], in store: String, _ workspace: Workspace) throws {
    let connection = try Connection(path: workspace.path(store))
    let read = try Statement(connection, "SELECT Z_PLIST FROM Z_METADATA")
    _ = try read.step()
    var bytes = try #require(read.blob(at: 0))
    read.finalize()
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: hash) })
    bytes.replaceSubrange(start..<(start + hash.count), with: [UInt8](repeating: 7, count: hash.count))
    let write = try Statement(connection, "UPDATE Z_METADATA SET Z_PLIST = ?1")
    try write.bind(1, blob: bytes)
    try write.run()
    write.finalize()
    try connection.close()
  }
}
