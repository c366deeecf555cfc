import Foundation
import Platform
import SQLite
import Testing

/// Files of external data, and what commands do about those that are not theirs.
@Suite("Places of external data")
struct OddPlaceTests {
  /// `Photos.sqlite` with two photos, whose images are files, and one whose image is in its row.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      "Photos.xcdatamodel/contents",
      """
      <model documentVersion="1.0">
      <entity name="Photo">
      <attribute name="name" optional="YES" attributeType="String"/>
      <attribute name="image" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      </entity>
      </model>
      """)
    func image(_ byte: UInt8, _ count: Int) -> String { Data(repeating: byte, count: count).base64EncodedString() }
    try workspace.write(
      "photos.ndjson",
      """
      {"name": "a", "image": "\(image(1, 150_000))"}
      {"name": "b", "image": "\(image(2, 150_000))"}
      {"name": "c", "image": "\(image(3, 10))"}

      """)
    try workspace.write("photos.yaml", Self.pipeline("Photos.sqlite"))
    #expect(try await workspace.run("run", "--quiet", "photos.yaml").exitCode == 0)
    #expect(try files(workspace).count == 2)
    return workspace
  }

  private static func pipeline(_ store: String) -> String {
    """
    model: Photos.xcdatamodel
    store: { path: \(store) }
    import:
      - { from: photos.ndjson, entity: Photo, match: [name], map: { name: name, image: image } }

    """
  }

  private static let data = ".Photos_SUPPORT/_EXTERNAL_DATA"
  private func files(_ workspace: Workspace) throws -> [String] { try workspace.names(in: Self.data) }

  @Test("a store whose name differs by its ending alone is not made: both would share their files")
  func sharedFolder() async throws {
    let workspace = try await workspace()
    let before = try files(workspace).map { try workspace.bytes("\(Self.data)/\($0)") }
    try workspace.write("other.yaml", Self.pipeline("Photos.db"))
    for arguments in [["copy", "Photos.sqlite", "Photos.db"], ["run", "other.yaml"]] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 73, "\(arguments)")
      #expect(outcome.talk.contains("both would have their external data in one folder"), "\(outcome.talk)")
    }
    #expect(!workspace.exists("Photos.db"))
    #expect(try files(workspace).map { try workspace.bytes("\(Self.data)/\($0)") } == before)
    // What has no such files is nothing to keep apart: another database, a FIFO, a text.
    let plain = try Connection(path: workspace.path("Photos.other"), options: .init(createsFile: true))
    try plain.execute("CREATE TABLE t (a)")
    try plain.close()
    let status = unsafe mkfifo(workspace.path("Photos.pipe"), 0o600)
    #expect(status == 0)
    try workspace.write("Photos.txt", "text")
    // The store itself is built anew, and a copy of another name made.
    #expect(try await workspace.run("run", "--quiet", "photos.yaml").exitCode == 0)
    #expect(try await workspace.run("copy", "--quiet", "Photos.sqlite", "Copy.db").exitCode == 0)
  }

  @Test(
    "nothing is written into the folder of the source's files",
    arguments: [["copy", "Photos.sqlite", "@", "--force"], ["dump", "Photos.sqlite", "@.dump"]])
  func insideFolder(arguments: [String]) async throws {
    let workspace = try await workspace()
    let name = try #require(try files(workspace).first)
    let before = try workspace.bytes("\(Self.data)/\(name)")
    let outcome = try await Tool.run(
      arguments.map { $0.replacing("@", with: "\(Self.data)/\(name)") }, in: workspace.folder)
    #expect(outcome.exitCode == 73 && outcome.talk.contains("external data"), "\(outcome.talk)")
    #expect(try files(workspace).count == 2)
    #expect(try workspace.bytes("\(Self.data)/\(name)") == before)
  }

  @Test("a copy takes along the files of the store alone, not those of another one in the same folder")
  func neighbour() async throws {
    let workspace = try await workspace()
    try FileManager.default.copyItem(at: workspace.url("Photos.sqlite"), to: workspace.url("Photos.bak"))
    let deletion = try await workspace.run("delete", "Photos.sqlite", "--entity", "Photo", "--where", "name == 'b'")
    #expect(deletion.exitCode == 0, "\(deletion.talk)")
    #expect(try files(workspace).count == 2)
    #expect(try await workspace.run("copy", "--quiet", "Photos.sqlite", "Copy.sqlite").exitCode == 0)
    #expect(try workspace.names(in: ".Copy_SUPPORT/_EXTERNAL_DATA").count == 1)
    #expect(try await workspace.run("check", "--strict", "Copy.sqlite").exitCode == 0)
  }

  @Test("something else than a folder where the files would be is told before a row is read", arguments: [true, false])
  func noFolder(isLink: Bool) async throws {
    let workspace = try await workspace()
    try workspace.write("other.yaml", Self.pipeline("Other.sqlite"))
    if isLink {
      try FileManager.default.createSymbolicLink(
        at: workspace.url(".Other_SUPPORT"), withDestinationURL: workspace.url(".Photos_SUPPORT"))
    } else {
      try workspace.write(".Other_SUPPORT", "notes")
    }
    try workspace.write(
      "never.yaml",
      Self.pipeline("Other.sqlite").replacing("path: Other.sqlite", with: "path: Other.sqlite, replace: never"))
    for arguments in [["copy", "Photos.sqlite", "Other.sqlite"], ["run", "other.yaml"], ["run", "never.yaml"]] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 73, "\(arguments) \(outcome.talk)")
      #expect(outcome.talk.contains("Other_SUPPORT") && outcome.talk.contains("external data"), "\(outcome.talk)")
    }
    #expect(!workspace.exists("Other.sqlite") && !workspace.exists("Other.sqlite.partial"))
  }

  @Test("files that differ are a difference, and a file that is gone is told")
  func differentFiles() async throws {
    let workspace = try await workspace()
    #expect(try await workspace.run("copy", "--quiet", "Photos.sqlite", "Copy.sqlite").exitCode == 0)
    #expect(try await workspace.run("diff", "Photos.sqlite", "Copy.sqlite").exitCode == 0)
    let file = try ".Copy_SUPPORT/_EXTERNAL_DATA/" + #require(try files(workspace).first)
    try workspace.write(file, [UInt8](repeating: 9, count: 120_000))
    let outcome = try await workspace.run("diff", "Photos.sqlite", "Copy.sqlite")
    #expect(outcome.exitCode == 1 && outcome.text.contains("image"), "\(outcome.text)")
    try FileManager.default.removeItem(at: workspace.url(file))
    let missing = try await workspace.run("diff", "Photos.sqlite", "Copy.sqlite")
    #expect(missing.exitCode == 65 && missing.talk.contains("Copy.sqlite"), "\(missing.talk)")
    // A copy of a store that lacks a file is none.
    let copy = try await workspace.run("copy", "Copy.sqlite", "Again.sqlite")
    #expect(copy.exitCode == 65 && copy.talk.contains("it lacks a file of external data"), "\(copy.talk)")
    #expect(!workspace.exists("Again.sqlite"))
  }

  @Test(
    "objects are not sorted by what may lie in a file",
    arguments: [
      ["query", "Photos.sqlite", "Photo", "--order", "image"],
      ["export", "Photos.sqlite", "--entity", "Photo", "--order", "-image"],
    ])
  func sorting(arguments: [String]) async throws {
    let workspace = try await workspace()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 78 && outcome.talk.contains("objects cannot be sorted by it"), "\(outcome.talk)")
  }

  @Test("a store that was cut off inside of its last page is damaged to every command")
  func cutOff() async throws {
    let workspace = try await workspace()
    try workspace.write("cut.sqlite", Array(try workspace.bytes("Photos.sqlite").dropLast()))
    for arguments in [
      ["copy", "cut.sqlite", "copy.sqlite"], ["export", "cut.sqlite", "--entity", "Photo", "--columns", "name"],
      ["query", "cut.sqlite", "Photo", "--columns", "name"], ["dump", "cut.sqlite", "dump"],
      ["diff", "cut.sqlite", "Photos.sqlite"],
    ] {
      let outcome = try await Tool.run(arguments, in: workspace.folder)
      #expect(outcome.exitCode == 65, "\(arguments)")
      #expect(outcome.talk.contains("cut.sqlite"), "\(outcome.talk)")
    }
    let copy = try await workspace.run("copy", "cut.sqlite", "copy.sqlite")
    #expect(copy.talk.contains("cut.sqlite is not a Core Data store: it was cut off"), "\(copy.talk)")
    #expect(try workspace.names().filter { $0.hasPrefix("copy") || $0.hasPrefix("dump") }.isEmpty)
  }

  @Test("two columns of one title are refused")
  func repeatedColumns() async throws {
    let workspace = try await workspace()
    let outcome = try await workspace.run(
      "export", "Photos.sqlite", "--entity", "Photo", "--columns", "x=name,x=image", "--output", "out.ndjson")
    #expect(outcome.exitCode == 78 && outcome.talk.contains("there are two columns \"x\""), "\(outcome.talk)")
  }

  @Test(
    "a result without a name, or with that of a folder, is a mistake of the command line",
    arguments: [
      ["copy", "Photos.sqlite", ""], ["copy", "Photos.sqlite", "new/x/"], ["dump", "Photos.sqlite", ""],
      ["export", "Photos.sqlite", "--entity", "Photo", "--output", ""],
      ["export", "Photos.sqlite", "--entity", "Photo", "--output", "new/x.csv/"],
      ["generate", "Photos.xcdatamodel", ""],
    ])
  func emptyNames(arguments: [String]) async throws {
    let workspace = try await workspace()
    let names = try workspace.names()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 64, "\(outcome.talk)")
    #expect(try workspace.names() == names)
  }

  @Test("an empty folder takes a dump, also by the name that it has in itself")
  func dumpHere() async throws {
    let workspace = try await workspace()
    try FileManager.default.createDirectory(at: workspace.url("empty"), withIntermediateDirectories: true)
    let outcome = try await Tool.run(["dump", "../Photos.sqlite", "."], in: workspace.url("empty"))
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let names = try workspace.names(in: "empty")
    #expect(names.contains { $0.hasPrefix("Photo.ndjson") }, "\(names)")
  }

  @Test("a data file whose name has two lines becomes a project")
  func nameOfTwoLines() async throws {
    let workspace = try Workspace()
    try workspace.write("a\nb.csv", "id,name\n1,x\n")
    let outcome = try await workspace.run("init", "a\nb.csv")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try await workspace.run("run", "--quiet", "pipelines/a-b.yaml").exitCode == 0)
  }

  @Test(
    "a project that cannot be written leaves nothing", .enabled(if: FileManager.default.fileExists(atPath: "/bin/sh")))
  func fullDisk() async throws {
    let workspace = try Workspace()
    try workspace.write("items.csv", "id,name\n1,x\n")
    // No file may have more than 1,024 bytes.
    let outcome = try await Tool.run(
      ["-c", "ulimit -f 2; exec \"$0\" init items.csv -o new --quiet", Tool.path], in: workspace.folder,
      executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    let left = workspace.exists("new") ? try workspace.names(in: "new") : []
    #expect(left.allSatisfy { $0 == "pipelines" }, "\(left)")
  }

  @Test(
    "in a folder that is gone, a result has no place, and that is told",
    arguments: [
      "copy ../Photos.sqlite C.sqlite", "export ../Photos.sqlite --entity Photo --output x.csv", "generate $1 g",
    ])
  func goneFolder(words: String) async throws {
    let workspace = try await workspace()
    let names = try workspace.names()
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" " + words.replacing("../", with: "$2/")
    let outcome = try await Tool.run(
      ["-c", script, Tool.path, workspace.path("Photos.xcdatamodel"), workspace.folder.path], in: workspace.folder,
      executable: "/bin/sh")
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    #expect(outcome.talk.contains("No such file or directory"), "\(outcome.talk)")
    #expect(try workspace.names() == names)
  }

  @Test("a project that cannot be replaced wholly stays as it was")
  func fullDiskForced() async throws {
    let workspace = try Workspace()
    try workspace.write("items.csv", "id,name\n1,x\n")
    #expect(try await workspace.run("init", "items.csv", "-o", "new", "--quiet").exitCode == 0)
    try workspace.write("items.csv", "id,name,more\n1,x,2\n")
    func files() throws -> [String: Data] {
      let folder = workspace.folder.appendingPathComponent("new").path
      var files: [String: Data] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
        files[path] = FileManager.default.contents(atPath: folder + "/" + path)
      }
      return files
    }
    let before = try files()
    // No file may have more than 1,024 bytes, or 2,048: the model has less, the schema more.
    let outcome = try await Tool.run(
      ["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" init items.csv -o new --force --quiet", Tool.path],
      in: workspace.folder, executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    #expect(try files() == before)
    #expect(try await workspace.run("init", "items.csv", "-o", "new", "--force", "--quiet").exitCode == 0)
    #expect(try files() != before && files().keys.sorted() == before.keys.sorted())
  }

  @Test("a new project may lie in a folder with a line end in its name")
  func lineEnd() async throws {
    let workspace = try Workspace()
    try workspace.write("items.csv", "id,name\n1,x\n")
    let outcome = try await workspace.run("init", "items.csv", "-o", "a\nb", "--quiet")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try await workspace.run("run", "a\nb/pipelines/items.yaml", "--allow-outside", "--quiet").exitCode == 0)
  }

  @Test("a new project may lie in a folder that a symbolic link leads to")
  func linkedFolder() async throws {
    let workspace = try Workspace()
    try workspace.write("items.csv", "id,name\n1,x\n")
    try FileManager.default.createDirectory(atPath: workspace.path("real"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: workspace.path("link"), withDestinationPath: "real")
    let outcome = try await workspace.run("init", "items.csv", "-o", "link", "--quiet")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try workspace.names(in: "real").contains("pipelines"))
  }

  @Test("no result may lie in another as if that were a folder")
  func resultInResult() async throws {
    let workspace = try await workspace()
    let text = try workspace.text("photos.yaml").replacing("Photos.sqlite", with: "New.sqlite")
    try workspace.write(
      "new.yaml", text + "\nexport: [{ entity: Photo, to: New.sqlite/x.csv, columns: [name] }]\n")
    let names = try workspace.names()
    let outcome = try await workspace.run("run", "new.yaml")
    #expect(outcome.exitCode == 73, "\(outcome.talk)")
    #expect(outcome.talk.contains("as if"), "\(outcome.talk)")
    #expect(try workspace.names() == names)
  }

  @Test("a name that is no UTF-8 is refused, and not mended")
  func names() async throws {
    let workspace = try await workspace()
    let script = #""$0" export Photos.sqlite --entity Photo --columns name --output "$(printf 'v\377.csv')""#
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Tool.path]
    process.currentDirectoryURL = workspace.folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 64)
    #expect(try workspace.names().filter { $0.hasPrefix("v") }.isEmpty)
  }

  @Test(
    "a store that this user may not read is an unreadable input",
    .enabled(if: Tool.unprivilegedCommand != nil, "the superuser may, and cannot be another user here"))
  func unreadable() async throws {
    let workspace = try await workspace()
    try await Tool.withoutPrivileges(in: workspace.folder) {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: workspace.path("Photos.sqlite"))
      for arguments in [
        ["check", "Photos.sqlite"], ["query", "Photos.sqlite", "Photo"], ["copy", "Photos.sqlite", "copy.sqlite"],
        ["inspect", "Photos.sqlite"], ["dump", "Photos.sqlite", "dump"],
      ] {
        let outcome = try await Tool.run(arguments, in: workspace.folder)
        #expect(outcome.exitCode == 66 && outcome.talk.contains("may not read it"), "\(arguments): \(outcome.talk)")
      }
    }
  }
}
