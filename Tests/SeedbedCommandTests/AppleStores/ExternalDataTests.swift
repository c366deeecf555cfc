import Foundation
import Platform
import SQLite
import Testing

/// Binary values that lie in files beside the store.
@Suite("External binary data")
struct ExternalDataTests {
  private static let entities = """
      <entity name="Album">
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="photos" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Photo"
          inverseName="album" inverseEntity="Photo"/>
      </entity>
      <entity name="Photo">
        <attribute name="identifier" attributeType="String"/>
        <attribute name="note" optional="YES" attributeType="String"/>
        <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
        <relationship name="album" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Album"
          inverseName="photos" inverseEntity="Album"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="identifier"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    """
  private static let data = ".Photos_SUPPORT/_EXTERNAL_DATA"
  private static let strategies = ["upsert", "find-or-create"]
  private static let limit = 100 * 1024

  private static func image(_ byte: UInt8, _ count: Int = 150_000) -> [UInt8] { Array(repeating: byte, count: count) }

  /// One record: an identifier and the image's bytes, nil for null.
  private static func record(_ identifier: String, _ image: [UInt8]?, _ more: String = "") -> String {
    let text = image.map { "\"\(Data($0).base64EncodedString())\"" } ?? "null"
    return "{\"identifier\":\"\(identifier)\",\"image\":\(text)\(more)}"
  }

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Photos.xcdatamodeld/Photos.xcdatamodel")
    return workspace
  }

  /// Imports records; into the store that is there unless told otherwise.
  @discardableResult
  private func run(
    _ records: [String], in workspace: Workspace, strategy: String = "automatic", store: String = "replace: never",
    settings: String = "on-match: update", limit: Int = 0
  ) async throws -> Tool.Outcome {
    try workspace.write("photos.ndjson", records.joined(separator: "\n") + "\n")
    try workspace.write(
      "photos.yaml",
      """
      model: Photos.xcdatamodeld
      store: { path: Photos.sqlite, \(store) }
      import:
        - from: photos.ndjson
          entity: Photo
          match: [identifier]
          strategy: \(strategy)
          \(settings)
          map: { identifier: identifier, note: note, image: image, album: { match: title, from: album } }
      rejects: { limit: \(limit) }
      """)
    return try await workspace.run("run", "--quiet", "photos.yaml")
  }

  private func files(_ workspace: Workspace, _ folder: String = Self.data) throws -> [String] {
    workspace.exists(folder) ? try workspace.names(in: folder) : []
  }

  /// `identifier|bytes of the column|version` of every photo.
  private func rows(_ workspace: Workspace) throws -> [String] {
    try workspace.query(
      "Photos.sqlite", "SELECT ZIDENTIFIER, length(ZIMAGE), Z_OPT FROM ZPHOTO ORDER BY ZIDENTIFIER")
  }

  /// Puts a value into the column of one photo.
  private func store(_ bytes: [UInt8], as identifier: String, in workspace: Workspace) throws {
    let connection = try Connection(path: workspace.path("Photos.sqlite"))
    let statement = try Statement(connection, "UPDATE ZPHOTO SET ZIMAGE = ?1 WHERE ZIDENTIFIER = ?2")
    try statement.bind(1, blob: bytes)
    try statement.bind(2, identifier)
    try statement.run()
    statement.finalize()
    try connection.close()
  }

  /// The file that the value of a photo names.
  private func file(of identifier: String, in workspace: Workspace) throws -> String {
    try #require(
      try workspace.query(
        "Photos.sqlite", "SELECT CAST(substr(ZIMAGE, 2, 36) AS TEXT) FROM ZPHOTO WHERE ZIDENTIFIER = '\(identifier)'"
      )
      .first)
  }

  /// Gives the value of a photo a name of another's choice, as Core Data's are.
  private func rename(_ identifier: String, to name: String, in workspace: Workspace) throws {
    let old = try file(of: identifier, in: workspace)
    try store([2] + Array(name.utf8) + [0], as: identifier, in: workspace)
    try FileManager.default.moveItem(
      atPath: workspace.path("\(Self.data)/\(old)"), toPath: workspace.path("\(Self.data)/\(name)"))
  }

  private static let appleName = "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D"

  @Test("long values become files, short ones stay in the row behind a tag", arguments: strategies)
  func limits(strategy: String) async throws {
    let workspace = try workspace()
    let outcome = try await run(
      [
        Self.record("a", Self.image(1)), Self.record("b", Self.image(2, Self.limit)),
        Self.record("c", Self.image(3, Self.limit + 1)), Self.record("d", []), Self.record("e", nil),
        Self.record("f", Self.image(1)),
      ], in: workspace, strategy: strategy)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try rows(workspace) == ["a|38|1", "b|\(Self.limit + 1)|1", "c|38|1", "d|1|1", "e|∅|1", "f|38|1"])
    let named = try workspace.query(
      "Photos.sqlite",
      "SELECT hex(substr(ZIMAGE, 1, 1)) || hex(substr(ZIMAGE, 38)), CAST(substr(ZIMAGE, 2, 36) AS TEXT) FROM ZPHOTO "
        + "WHERE length(ZIMAGE) = 38 ORDER BY ZIDENTIFIER")
    #expect(named.allSatisfy { $0.hasPrefix("0200|") })
    let names = named.map { String($0.dropFirst(5)) }
    #expect(names.allSatisfy { UUID(uuidString: $0)?.uuidString == $0 })
    #expect(try files(workspace) == names.sorted())
    // Equal values of two rows have a file each, as either may change.
    #expect(Set(names).count == 3)
    #expect(try workspace.bytes("\(Self.data)/\(names[0])") == Self.image(1))
    #expect(try workspace.bytes("\(Self.data)/\(names[1])") == Self.image(3, Self.limit + 1))
    #expect(try workspace.query("Photos.sqlite", "SELECT hex(ZIMAGE) FROM ZPHOTO WHERE ZIDENTIFIER = 'd'") == ["01"])

    let exported = try await workspace.run(
      "export", "Photos.sqlite", "--entity", "Photo", "--model", "Photos.xcdatamodeld", "--output", "photos-out.ndjson",
      "--columns", "identifier,image")
    #expect(exported.exitCode == 0, "\(exported.talk)")
    #expect(try workspace.text("photos-out.ndjson").contains(Self.record("c", Self.image(3, Self.limit + 1))))
  }

  @Test("an equal value leaves row and file alone, also where Core Data named the file", arguments: strategies)
  func unchanged(strategy: String) async throws {
    let workspace = try workspace()
    let records = [Self.record("a", Self.image(1)), Self.record("b", Self.image(2, 10))]
    try await run(records, in: workspace)
    try rename("a", to: Self.appleName, in: workspace)
    let before = try StoreContents(workspace, "Photos.sqlite").tables
    #expect(try await run(records, in: workspace, strategy: strategy).exitCode == 0)
    #expect(try StoreContents(workspace, "Photos.sqlite").tables == before)
    #expect(try files(workspace) == [Self.appleName])
    // Another property changes: the value is not written anew.
    try await run(
      [#"{"identifier":"a","note":"changed"}"#], in: workspace, strategy: strategy)
    #expect(try rows(workspace) == ["a|38|2", "b|11|1"])
    #expect(try files(workspace) == [Self.appleName])
  }

  @Test(
    "the file goes when its value is replaced or cleared", arguments: strategies,
    ["other", "short", "null", "cleared", "missing"])
  func replaced(strategy: String, by value: String) async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", Self.image(2))], in: workspace)
    try rename("a", to: Self.appleName, in: workspace)
    if value == "missing" {
      try FileManager.default.removeItem(atPath: workspace.path("\(Self.data)/\(Self.appleName)"))
    }
    let record =
      switch value {
      case "short": Self.record("a", [9])
      case "null": Self.record("a", nil)
      case "cleared": #"{"identifier":"a"}"#
      default: Self.record("a", Self.image(9))
      }
    let outcome = try await run(
      [record], in: workspace, strategy: strategy,
      settings: value == "cleared" ? "on-match: replace" : "on-match: update"
    )
    if value == "missing" && strategy == "find-or-create" {
      // An object that cannot be read is not changed either.
      #expect(outcome.exitCode == 65 && outcome.talk.contains("\(Self.appleName) is missing"), "\(outcome.talk)")
      return
    }
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try rows(workspace).contains { $0.hasPrefix("a|") && $0.hasSuffix("|2") })
    let names = try files(workspace)
    #expect(names.count == (["other", "missing"].contains(value) ? 2 : 1) && !names.contains(Self.appleName))
  }

  @Test("a file that another row names stays", arguments: strategies)
  func shared(strategy: String) async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", Self.image(2))], in: workspace)
    let name = try file(of: "a", in: workspace)
    try store([2] + Array(name.utf8) + [0], as: "b", in: workspace)
    #expect(try await run([Self.record("a", [1])], in: workspace, strategy: strategy).exitCode == 0)
    #expect(try files(workspace).contains(name))
    #expect(try workspace.bytes("\(Self.data)/\(name)") == Self.image(1))
  }

  @Test("a failed run leaves files and store as they were", arguments: strategies)
  func failure(strategy: String) async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1))], in: workspace)
    let store = try workspace.bytes("Photos.sqlite")
    let names = try files(workspace)
    let outcome = try await run(
      [Self.record("a", Self.image(2)), Self.record("b", Self.image(3)), Self.record("c", nil, #","album":"none""#)],
      in: workspace, strategy: strategy)
    #expect(outcome.exitCode == 65)
    #expect(try workspace.bytes("Photos.sqlite") == store)
    #expect(try files(workspace) == names)
    #expect(try workspace.bytes("\(Self.data)/\(names[0])") == Self.image(1))
    #expect(!workspace.exists("Photos.sqlite.partial"))
  }

  @Test("rows that go at the end of a run take their files with them", arguments: ["automatic"] + strategies)
  func lateRejects(strategy: String) async throws {
    let workspace = try workspace()
    let outcome = try await run(
      [Self.record("a", Self.image(1)), Self.record("b", Self.image(2), #","album":"none""#)],
      in: workspace, strategy: strategy, limit: 1)
    #expect(outcome.exitCode == 1, "\(outcome.talk)")
    #expect(try rows(workspace) == ["a|38|1"])
    #expect(try files(workspace).count == 1)
  }

  @Test("a store that is built anew leaves no file of the old one, and no other's goes")
  func rebuilt() async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", Self.image(2))], in: workspace)
    let old = try files(workspace)
    try workspace.write("\(Self.data)/\(Self.appleName)", Self.image(7))
    try await run([Self.record("b", Self.image(3))], in: workspace, store: "replace: always")
    let new = try files(workspace)
    #expect(new.count == 2 && new.contains(Self.appleName) && Set(new).isDisjoint(with: old))
    try FileManager.default.removeItem(atPath: workspace.path("\(Self.data)/\(Self.appleName)"))
    try await run([Self.record("b", [3])], in: workspace, store: "replace: always")
    #expect(try files(workspace).isEmpty && !workspace.exists(".Photos_SUPPORT"))
  }

  @Test("a seed store's files come along under the new store's name, and the seed keeps its own")
  func seeds() async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", Self.image(2))], in: workspace)
    try rename("a", to: Self.appleName, in: workspace)
    for name in ["Photos.sqlite", ".Photos_SUPPORT"] {
      let target = name.replacingOccurrences(of: "Photos", with: "Seed")
      try FileManager.default.moveItem(atPath: workspace.path(name), toPath: workspace.path(target))
    }
    let seedFiles = try files(workspace, ".Seed_SUPPORT/_EXTERNAL_DATA")
    let outcome = try await run(
      [Self.record("b", Self.image(3)), Self.record("c", Self.image(4))], in: workspace,
      store: "seed: Seed.sqlite, replace: always")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try files(workspace, ".Seed_SUPPORT/_EXTERNAL_DATA") == seedFiles)
    let names = try files(workspace)
    #expect(names.count == 3 && Set(names).intersection(seedFiles) == [Self.appleName])
    #expect(try workspace.bytes("\(Self.data)/\(Self.appleName)") == Self.image(1))

    #expect(try await workspace.run("copy", "Photos.sqlite", "Copy.store").exitCode == 0)
    #expect(try files(workspace, ".Copy_SUPPORT/_EXTERNAL_DATA") == names)
    #expect(try workspace.names().filter { $0.contains("copying") }.isEmpty)
  }

  /// Values that point out of the folder, or at nothing that is a file of its own there.
  @Test(
    "no name leads out of the folder",
    arguments: [
      "../../../secret.txt.................", "/etc/passwd.........................", "short", "long", "lower", "link",
      "folder-link", "pipe", "tag",
    ])
  func forged(form: String) async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", [1])], in: workspace)
    let name = try #require(try files(workspace).first)
    try workspace.write("secret.txt", "the secret")
    let place = workspace.path("\(Self.data)/\(name)")
    func store(_ text: String, tag: UInt8 = 2, end: [UInt8] = [0]) throws {
      try self.store([tag] + Array(text.utf8) + end, as: "a", in: workspace)
    }
    switch form {
    case "short": try store(String(name.dropLast(5)))
    case "long": try store(name, end: [0, 65])
    case "lower": try store(name.lowercased())
    case "tag": try store(name, tag: 3)
    case "link", "pipe":
      try FileManager.default.removeItem(atPath: place)
      if form == "link" {
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: workspace.path("secret.txt"))
      } else {
        #expect(unsafe mkfifo(place, 0o600) == 0)
      }
    case "folder-link":
      try FileManager.default.moveItem(atPath: workspace.path(Self.data), toPath: workspace.path("elsewhere"))
      try FileManager.default.createSymbolicLink(
        atPath: workspace.path(Self.data), withDestinationPath: workspace.path("elsewhere"))
    default: try store(form)
    }
    let exported = try await workspace.run(
      "export", "Photos.sqlite", "--entity", "Photo", "--model", "Photos.xcdatamodeld", "--output", "out.ndjson")
    #expect(exported.exitCode == 65 && exported.talk.hasPrefix("error: "), "\(exported.talk)")
    #expect(!workspace.exists("out.ndjson"))
    if ["link", "pipe", "folder-link"].contains(form) {
      let copied = try await workspace.run("copy", "Photos.sqlite", "Copy.sqlite")
      #expect([65, 74].contains(copied.exitCode), "\(copied.talk)")
      #expect(!workspace.exists("Copy.sqlite") && !workspace.exists(".Copy_SUPPORT"))
      let run = try await run([Self.record("a", Self.image(5))], in: workspace, strategy: "upsert")
      #expect([65, 74].contains(run.exitCode), "\(run.talk)")
    }
    #expect(try workspace.text("secret.txt") == "the secret")
    if form == "folder-link" { #expect(try workspace.names(in: "elsewhere") == [name]) }
  }

  @Test("a file that could not be written to its end does not stay")
  func cutOffFile() async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1))], in: workspace)
    let before = try FileManager.default.contentsOfDirectory(atPath: workspace.path(Self.data))
    try workspace.write("photos.ndjson", Self.record("b", Self.image(2, 600_000)) + "\n")
    try workspace.write(
      "photos.yaml", workspace.text("photos.yaml").replacing("replace: never", with: "replace: never, write: in-place"))
    // The shell's unit is 512 or 1,024 bytes: the store fits, the new file does not.
    let outcome = try await Tool.run(
      ["-c", "trap '' XFSZ; ulimit -f 400; exec \"$0\" run photos.yaml", Tool.path], in: workspace.folder,
      executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: workspace.path(Self.data)) == before)
  }

  /// A copy beside the store, with another ending, names the same files.
  @Test(
    "files that a store of nearly the same name needs stay", arguments: ["aside", "in-place", "delete", "update"])
  func sibling(way: String) async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1)), Self.record("b", Self.image(2))], in: workspace)
    try FileManager.default.copyItem(atPath: workspace.path("Photos.sqlite"), toPath: workspace.path("Photos.bak"))
    let before = try FileManager.default.contentsOfDirectory(atPath: workspace.path(Self.data)).sorted()
    let photos = ["Photos.sqlite", "--entity", "Photo", "--where", "TRUEPREDICATE"]
    let outcome: Tool.Outcome
    switch way {
    case "delete": outcome = try await Tool.run(["delete"] + photos, in: workspace.folder)
    case "update": outcome = try await Tool.run(["update"] + photos + ["--set", "image = nil"], in: workspace.folder)
    case "aside": outcome = try await run([Self.record("a", Self.image(3)), Self.record("b", nil)], in: workspace)
    default:
      outcome = try await run(
        [Self.record("a", Self.image(3)), Self.record("b", nil)], in: workspace,
        store: "replace: never, write: in-place")
    }
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let after = try FileManager.default.contentsOfDirectory(atPath: workspace.path(Self.data))
    #expect(Set(after).isSuperset(of: before))
    let check = try await workspace.run("check", "--strict", "Photos.bak")
    #expect(!check.text.contains("externalFile"), "\(check.text)")
  }

  @Test("a store, its files and an export keep the permissions of those that they replace")
  func permissions() async throws {
    let workspace = try workspace()
    try await run([Self.record("a", Self.image(1))], in: workspace)
    let store = workspace.path("Photos.sqlite")
    let export = ["export", "Photos.sqlite", "--entity", "Photo", "--columns", "identifier", "--output", "out.csv"]
    #expect(try await Tool.run(export, in: workspace.folder).exitCode == 0)
    for path in [store, workspace.path("out.csv")] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    for setting in ["replace: never", "replace: never, write: in-place", "replace: always"] {
      try await run(
        [Self.record("a", Self.image(7)), Self.record(setting, Self.image(8))], in: workspace, store: setting)
    }
    #expect(try await Tool.run(export + ["--force"], in: workspace.folder).exitCode == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: workspace.path(Self.data))
    let kept = ["Photos.sqlite", "out.csv"] + names.filter { UUID(uuidString: $0) != nil }.map { Self.data + "/" + $0 }
    for name in kept {
      let mode = try FileManager.default.attributesOfItem(atPath: workspace.path(name))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name): \(mode ?? 0)")
    }
    #expect(kept.count > 3)
  }
}
