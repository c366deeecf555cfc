import Foundation
import SQLite
import Testing

/// What commands that only read leave of a store, and what a dump does with what leads nowhere.
@Suite("Reading leaves a store alone")
struct ReadingTests {
  private static let entities = """
      <entity name="Album" representedClassName="Album" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="photos" optional="YES" toMany="YES" destinationEntity="Photo" inverseName="album" inverseEntity="Photo"/>
        <relationship name="covers" optional="YES" toMany="YES" destinationEntity="Photo"/>
      </entity>
      <entity name="Photo" representedClassName="Photo" syncable="YES">
        <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="album" optional="YES" maxCount="1" destinationEntity="Album" inverseName="photos" inverseEntity="Album"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="photos" inverseEntity="Tag"/>
      </entity>
      <entity name="Tag" representedClassName="Tag" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="photos" optional="YES" toMany="YES" destinationEntity="Photo" inverseName="tags" inverseEntity="Photo"/>
      </entity>
    """

  /// A workspace with `data/Photos.sqlite`: two albums with a photo each, one of whose image lies in a file.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Photos.xcdatamodel")
    try workspace.write("albums.ndjson", "{\"name\":\"a\"}\n{\"name\":\"b\"}\n")
    let image = Data(repeating: 7, count: 200_000).base64EncodedString()
    try workspace.write(
      "photos.ndjson",
      "{\"name\":\"p\",\"album\":\"a\",\"tags\":[\"t\"],\"image\":\"\(image)\"}\n{\"name\":\"q\",\"album\":\"b\"}\n")
    try workspace.write("tags.ndjson", "{\"name\":\"t\"}\n")
    try workspace.write(
      "p.yaml",
      """
      model: Photos.xcdatamodel
      store: { path: data/Photos.sqlite }
      import:
        - { from: albums.ndjson, entity: Album, match: [name], map: { name: name } }
        - { from: tags.ndjson, entity: Tag, match: [name], map: { name: name } }
        - from: photos.ndjson
          entity: Photo
          match: [name]
          map:
            name: name
            image: image
            album: { match: name, from: album }
            tags: { match: name, from: tags }
      """)
    let outcome = try await workspace.run("run", "--quiet", "p.yaml")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    return workspace
  }

  /// Names, bytes and times of everything in the store's folder.
  private func state(_ workspace: Workspace) throws -> [String] {
    let folder = workspace.url("data").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    return try names.map { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      let bytes = FileManager.default.contents(atPath: folder + "/" + name)?.hashValue ?? 0
      return "\(name) \(attributes[.modificationDate] ?? "") \(attributes[.posixPermissions] ?? 0) \(bytes)"
    }
  }

  enum Sidecars: CaseIterable, Sendable { case none, log, logAlone, emptyLog, journal }

  /// Changes the store by a connection that leaves its log, and hands out what keeps it there.
  private func leave(_ sidecars: Sidecars, _ workspace: Workspace) throws {
    let path = workspace.path("data/Photos.sqlite")
    if sidecars == .none { return }
    let connection = try Connection(path: path)
    if sidecars == .journal {
      // What a killed writer leaves: the store with half a change, and the journal that takes it back.
      try connection.execute(
        "PRAGMA synchronous = FULL; PRAGMA cache_size = 1; BEGIN; UPDATE ZALBUM SET ZNAME = 'half'")
      try connection.execute("PRAGMA cache_spill = 1; UPDATE ZPHOTO SET ZNAME = hex(zeroblob(9000))")
      let copy = path + ".copy"
      for suffix in ["", "-journal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      try connection.execute("ROLLBACK")
      try connection.close()
      for suffix in ["", "-journal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
        try FileManager.default.moveItem(atPath: copy + suffix, toPath: path + suffix)
      }
      return
    }
    _ = try connection.string("PRAGMA journal_mode = WAL")
    try connection.set(.noCheckpointOnClose, true)
    try connection.setKeepsWriteAheadLog(true)
    if sidecars == .emptyLog { _ = try connection.checkpoint(.truncate) }
    if sidecars != .emptyLog { try connection.execute("UPDATE ZALBUM SET ZNAME = ZNAME || '!'") }
    try connection.close()
    if sidecars == .logAlone { try FileManager.default.removeItem(atPath: path + "-shm") }
  }

  static let commands: [[String]] = [
    ["dump", "data/Photos.sqlite", "dump", "--model", "Photos.xcdatamodel"],
    ["export", "data/Photos.sqlite", "--entity", "Album", "--model", "Photos.xcdatamodel"],
    ["inspect", "data/Photos.sqlite"],
    ["check", "data/Photos.sqlite", "--model", "Photos.xcdatamodel"],
  ]

  @Test(
    "no byte, no time and no file beside it changes, in a read-only folder too", arguments: Sidecars.allCases, commands)
  func untouched(sidecars: Sidecars, command: [String]) async throws {
    let workspace = try await workspace()
    try leave(sidecars, workspace)
    let before = try state(workspace)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: workspace.path("data"))
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: workspace.path("data")) }
    let outcome = try await Tool.run(command, in: workspace.folder)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try state(workspace) == before)
    if command[0] == "dump" {
      let text = try String(contentsOf: workspace.url("dump/Album.ndjson"), encoding: .utf8)
      #expect(text.contains("a!") == (sidecars == .log || sidecars == .logAlone) && !text.contains("half"))
    }
  }

  @Test("what is wrong in a log is said of the store, not of a copy", arguments: commands)
  func names(command: [String]) async throws {
    let workspace = try await workspace()
    try leave(.log, workspace)
    let connection = try Connection(path: workspace.path("data/Photos.sqlite"))
    try connection.set(.noCheckpointOnClose, true)
    try connection.setKeepsWriteAheadLog(true)
    try connection.execute("DELETE FROM Z_METADATA")
    try connection.close()
    let outcome = try await Tool.run(command, in: workspace.folder)
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    #expect(outcome.talk.contains("data/Photos.sqlite") && !outcome.talk.contains("seedbed-"), "\(outcome.talk)")
  }

  @Test("a dump keeps aside what leads nowhere, names what is missing, and restores the rest")
  func leftOut() async throws {
    let workspace = try await workspace()
    let store = workspace.path("data/Photos.sqlite")
    let connection = try Connection(path: store)
    let join = try connection.string("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*'") ?? ""
    try connection.execute(
      """
      UPDATE ZPHOTO SET ZALBUM = 77, Z1COVERS = 78 WHERE ZNAME = 'q';
      INSERT INTO \(join) VALUES (55, 66), (1, 66)
      """)
    try connection.close()
    let data = workspace.path("data/.Photos_SUPPORT/_EXTERNAL_DATA")
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: data).first)
    try FileManager.default.removeItem(atPath: data + "/" + file)
    let outcome = try await Tool.run(
      ["dump", "--quiet", "data/Photos.sqlite", "dump", "--model", "Photos.xcdatamodel"], in: workspace.folder)
    #expect(outcome.exitCode == 1)
    #expect(outcome.talk.contains("4 references lead nowhere") && outcome.talk.contains("dump/left-out.ndjson"))
    #expect(outcome.talk.contains("missing: Photo.image of row 1: the file \(file) is missing"))
    let lines = try String(contentsOf: workspace.url("dump/left-out.ndjson"), encoding: .utf8).split(separator: "\n")
    #expect(
      lines.filter { !$0.contains("\"attribute\"") }.map { $0.contains("\"missing\":\"both\"") }.filter(\.self).count
        == 1)
    #expect(
      lines.contains(#"{"_id":"Photo/p2","relationship":"album","destination":"Album/p77","missing":"destination"}"#))
    #expect(lines.contains(#"{"_id":"Album/p78","relationship":"covers","destination":"Photo/p2","missing":"owner"}"#))
    #expect(lines.contains { $0 == "{\"_id\":\"Photo/p1\",\"attribute\":\"image\",\"file\":\"\(file)\"}" })
    #expect(lines.count == 5)
    let restored = try await workspace.run("run", "--quiet", "dump/restore.yaml")
    #expect(restored.exitCode == 0, "\(restored.talk)")
    #expect(
      try workspace.query("dump/Photos.sqlite", "SELECT ZNAME, ZALBUM, ZIMAGE FROM ZPHOTO ORDER BY 1") == [
        "p|1|∅", "q|∅|∅",
      ])
    #expect(try workspace.query("dump/Photos.sqlite", "SELECT count(*) FROM \(join)") == ["1"])
  }
}
