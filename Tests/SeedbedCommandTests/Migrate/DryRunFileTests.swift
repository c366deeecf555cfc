import Foundation
import SQLite
import Testing

/// What the file system says of a folder: names with kind, permissions, number of links, inode, time and bytes.
private struct FolderState: Equatable {
  struct Entry: Equatable {
    var type: String
    var permissions: Int?
    var linkCount: Int?
    var inode: Int?
    var modified: Date?
    var bytes: Data?
  }

  var entries: [String: Entry] = [:]

  init(_ workspace: Workspace) throws {
    let files = FileManager.default
    for name in try files.subpathsOfDirectory(atPath: workspace.folder.path) + [""] {
      let attributes = try files.attributesOfItem(atPath: workspace.path(name))
      let type = attributes[.type] as? FileAttributeType
      entries[name] = Entry(
        type: type?.rawValue ?? "", permissions: attributes[.posixPermissions] as? Int,
        linkCount: attributes[.referenceCount] as? Int, inode: attributes[.systemFileNumber] as? Int,
        modified: attributes[.modificationDate] as? Date,
        bytes: type == .typeRegular ? try Data(contentsOf: workspace.url(name)) : nil)
    }
  }

  /// Names whose entries differ.
  func differences(from other: FolderState) -> [String] {
    Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted()
  }
}

/// `seedbed migrate --dry-run` and `check` change nothing that a file system knows, and the migration keeps what it
/// says.
@Suite("seedbed migrate --dry-run and what the file system says of the store")
struct DryRunFileTests {
  /// How the migration is done.
  enum Way: CaseIterable {
    case inPlace, onCopies, byPages

    var versions: [(String, String)] {
      switch self {
      case .inPlace: VersionedShop.oneStep
      case .onCopies: VersionedShop.twoSteps
      case .byPages:
        [VersionedShop.oneStep[0], ("Shop 2", VersionedShop.entity("Item", VersionedShop.attribute("a")))]
      }
    }

    var rows: String {
      self != .byPages
        ? VersionedShop.items
        : "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
          + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB) SELECT i, 1, 1, 'x', 'y' FROM n"
    }
  }

  /// What is special about the store's file.
  enum Shape: CaseIterable {
    case plain, otherPermissions, secondName, symbolicLink, log, readOnly

    func prepare(_ workspace: Workspace) throws {
      let files = FileManager.default
      let path = workspace.path("Shop.sqlite")
      switch self {
      case .plain: break
      case .otherPermissions: try files.setAttributes([.posixPermissions: 0o606], ofItemAtPath: path)
      case .secondName: try files.linkItem(atPath: path, toPath: workspace.path("Other.sqlite"))
      case .symbolicLink:
        try files.createDirectory(at: workspace.url("real"), withIntermediateDirectories: true)
        try files.moveItem(atPath: path, toPath: workspace.path("real/Shop.sqlite"))
        try files.createSymbolicLink(atPath: path, withDestinationPath: "real/Shop.sqlite")
      case .log:
        // As a crash leaves it: the last row is in the log alone.
        let connection = try Connection(path: path)
        _ = try connection.string("PRAGMA journal_mode = WAL")
        try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (100000, 1, 1, 'in the log')")
        for suffix in ["", "-wal"] { try files.copyItem(atPath: path + suffix, toPath: path + suffix + ".kept") }
        try connection.close()
        for suffix in ["", "-wal"] {
          try? files.removeItem(atPath: path + suffix)
          try files.moveItem(atPath: path + suffix + ".kept", toPath: path + suffix)
        }
      case .readOnly: try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
      }
      // So that a later time is seen.
      for name in ["Shop.sqlite", "Shop.sqlite-wal"] where workspace.exists(name) {
        let real = workspace.url(name).resolvingSymlinksInPath().path
        try files.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_500_000_000)], ofItemAtPath: real)
      }
    }
  }

  @Test("neither it nor check changes anything, whatever the store's file is", arguments: Way.allCases, Shape.allCases)
  func nothingChanges(way: Way, shape: Shape) async throws {
    let workspace = try await VersionedShop.workspace(way.versions, rows: way.rows)
    try shape.prepare(workspace)
    let before = try FolderState(workspace)
    for line in [["--dry-run"], ["--dry-run", "--json"]] { _ = try await VersionedShop.migrate(workspace, line) }
    _ = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(try FolderState(workspace).differences(from: before) == [])
  }

  @Test(
    "the migration keeps permissions, and the file itself where it is known by other names",
    arguments: [Way.inPlace, .byPages], [Shape.otherPermissions, .secondName, .symbolicLink])
  func kept(way: Way, shape: Shape) async throws {
    let workspace = try await VersionedShop.workspace(way.versions, rows: way.rows)
    try shape.prepare(workspace)
    let before = try FolderState(workspace)
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    let after = try FolderState(workspace)
    #expect(after.entries.keys.sorted() == before.entries.keys.sorted())
    let (old, new) = (before.entries["Shop.sqlite"], after.entries["Shop.sqlite"])
    #expect(new?.permissions == old?.permissions)
    switch shape {
    case .secondName:
      #expect(new?.inode == old?.inode && new?.linkCount == 2)
      #expect(after.entries["Other.sqlite"]?.bytes == new?.bytes && new?.bytes != old?.bytes)
    case .symbolicLink:
      #expect(new == old)
      let (real, former) = (after.entries["real/Shop.sqlite"], before.entries["real/Shop.sqlite"])
      #expect(real?.permissions == former?.permissions && real?.bytes != former?.bytes)
    default: break
    }
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(verdict.exitCode == 0, "\(verdict.text)")
  }
}
