import Foundation
import SQLite
import TestSupport
import Testing

/// What work in a store itself does before it may change the store, and what it takes back.
@Suite("Failures of work in place")
struct InPlaceFailureTests {
  /// Puts the log or journal of another database beside `Shop.sqlite`.
  private func putForeignLog(_ sidecar: String, in workspace: Workspace) throws {
    let other = try Connection(path: workspace.path("Other.db"), options: .init(createsFile: true))
    if sidecar == "-wal" {
      _ = try other.string("PRAGMA journal_mode = WAL")
      try other.execute("CREATE TABLE notes (x)")
    } else {
      // The journal is written before the transaction ends where the cache has no room.
      try other.execute(
        "CREATE TABLE notes (x); INSERT INTO notes VALUES (zeroblob(50000)); "
          + "PRAGMA cache_size = 1; BEGIN; UPDATE notes SET x = randomblob(50000); CREATE TABLE filler (x); "
          + "INSERT INTO filler VALUES (zeroblob(500000))")
    }
    try workspace.write("Shop.sqlite" + sidecar, workspace.bytes("Other.db" + sidecar))
    try? other.rollback()
    try other.close()
  }

  @Test(
    "the log of another database beside a store is not moved into it", arguments: ["-wal", "-journal"],
    [
      ["run", "items.yaml"],
      ["delete", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--where", "name == 'A'"],
      ["migrate", "Shop.sqlite", "--model", "Shop.xcdatamodeld"],
    ])
  func foreignLog(sidecar: String, command: [String]) async throws {
    let workspace = try await Workspace.withItems()
    let yaml = try workspace.text("items.yaml").replacingOccurrences(of: "replace: always", with: "write: in-place")
    try workspace.write("items.yaml", yaml)
    try putForeignLog(sidecar, in: workspace)
    let files = ["Shop.sqlite", "Shop.sqlite" + sidecar]
    let before = try files.map { try workspace.bytes($0) }
    let outcome = try await Tool.run(command, in: workspace.folder)
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    #expect(outcome.talk.contains("Shop.sqlite is not a Core Data store: there is no table Z_METADATA"))
    #expect(try files.map { try workspace.bytes($0) } == before)
    for file in files.dropFirst() { try FileManager.default.removeItem(at: workspace.url(file)) }
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == ["A"])
  }

  @Test(
    "an import in place whose rejects cannot take their place leaves no file of external data",
    .enabled(if: Tool.unprivilegedCommand?.isEmpty == false, "it takes files of two users"))
  func unplacedRejects() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Photo"><attribute name="name" attributeType="String"/><attribute name="image" optional="YES" \
      attributeType="Binary" allowsExternalBinaryDataStorage="YES"/></entity>
      """)
    func write(_ store: String, _ records: String) throws {
      try workspace.write("photos.ndjson", records)
      try workspace.write(
        "photos.yaml",
        """
        model: M.xcdatamodel
        store: { path: Photos.sqlite, \(store) }
        import: [{ from: photos.ndjson, entity: Photo, match: [name], map: { name: name, image: image } }]
        rejects: { file: rejects/photos.ndjson, limit: 9 }

        """)
    }
    func image(_ byte: UInt8) -> String { Data(repeating: byte, count: 150_000).base64EncodedString() }
    let rejected = "{\"name\": null}\n"
    try write("replace: always", rejected + "{\"name\": \"a\", \"image\": \"\(image(1))\"}\n")
    #expect(try await workspace.run("run", "--quiet", "photos.yaml").exitCode == 1)
    let external = ".Photos_SUPPORT/_EXTERNAL_DATA"
    let (names, bytes) = (try workspace.names(in: external), try workspace.bytes("Photos.sqlite"))
    #expect(names.count == 1)
    try write("write: in-place", rejected + "{\"name\": \"b\", \"image\": \"\(image(2))\"}\n")
    try await Tool.withoutPrivileges(in: workspace.folder) {
      // In a folder such as /tmp nobody may replace the files of others.
      for (path, mode) in [("rejects", 0o1777), ("rejects/photos.ndjson", 0o644)] {
        try FileManager.default.setAttributes(
          [.ownerAccountID: 0, .posixPermissions: mode], ofItemAtPath: workspace.path(path))
      }
      let outcome = try await workspace.run("run", "--quiet", "photos.yaml")
      #expect(outcome.exitCode == 73 && outcome.talk.contains("rejects/photos.ndjson"), "\(outcome.talk)")
    }
    #expect(try workspace.names(in: external) == names && workspace.bytes("Photos.sqlite") == bytes)
  }
}
