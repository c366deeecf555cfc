import Foundation
import ObjectModel
import Platform
import SQLite
import StoreInterface
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

@Suite("The file of a store that is migrated by pages in a copy")
struct MigratedFileTests {
  private static func model(_ change: (inout [String: EntityDefinition]) -> Void = { _ in }) throws
    -> ManagedObjectModel
  {
    var list = StoreMigrationTests.entities()
    change(&list)
    return try ManagedObjectModel(entities: Array(list.values))
  }

  /// Without the box's size; the table is written anew.
  private static func newer() throws -> ManagedObjectModel { try model { $0["Box"]?.attributes.removeLast() } }

  private static func store(in folder: TemporaryFolder, journal: String = "DELETE") throws -> String {
    let path = folder.path("Boxes.sqlite")
    try SQLiteStore.create(path: path, model: try model()).close()
    let connection = try Connection(path: path)
    try connection.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZCODE, ZSIZE) SELECT i, 1, 1, 'code ' || i, i FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 500 WHERE Z_NAME = 'Box'
      """)
    _ = try connection.string("PRAGMA journal_mode = \(journal)")
    try connection.close()
    return path
  }

  private static func run(
    _ path: String, _ pageUse: StoreMigration.PageUse = .always,
    prepare: @escaping (Connection) throws -> Void = { _ in }
  ) throws -> MigrationReport {
    var options = StoreMigration.Options()
    options.pageUse = pageUse
    options.busyTimeoutMilliseconds = 10
    let run = MigrationRun(path: path, options: options, prepare: prepare)
    return try run.run(from: model(), to: newer(), model().inferredMappingModel(to: newer()))
  }

  private static func requireMigrated(_ path: String) throws {
    let report = try StoreChecker.check(path: path, model: newer())
    #expect(report.isSound && report.isCompatible && report.rowCounts["Box"] == 500, "\(report.findings)")
  }

  private static func requireOld(_ path: String) throws {
    let report = try StoreChecker.check(path: path, model: model())
    #expect(report.isSound && report.isCompatible && report.rowCounts["Box"] == 500, "\(report.findings)")
  }

  @Test("keeps its permissions and its journal mode, and nothing is left beside it", arguments: ["DELETE", "WAL"])
  func permissions(journal: String) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder, journal: journal)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(try Self.run(path).tablesOfPages == ["ZBOX"])
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try folder.names() == ["Boxes.sqlite"])
    let connection = try Connection(path: path)
    #expect(try connection.string("PRAGMA journal_mode") == journal.lowercased())
    try connection.close()
    try Self.requireMigrated(path)
  }

  @Test("is written itself where the path of a copy would be too long for SQLite")
  func longName() throws {
    let folder = try TemporaryFolder()
    // With the longest name that leaves room for that of a journal.
    let path = folder.path(String(repeating: "x", count: 240) + ".sqlite")
    try FileManager.default.moveItem(atPath: Self.store(in: folder), toPath: path)
    #expect(try Self.run(path).tablesOfPages.isEmpty)
    try Self.requireMigrated(path)
  }

  @Test("in WAL mode, with rows in the log alone, loses none of them")
  func log() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder, journal: "WAL")
    let writer = try Connection(path: path)
    try writer.set(.noCheckpointOnClose, true)
    try writer.execute("UPDATE ZBOX SET ZCODE = 'in the log' WHERE Z_PK = 7")
    try writer.close()
    #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 > 0)
    _ = try Self.run(path)
    try Self.requireMigrated(path)
    #expect(try Connection(path: path).string("SELECT ZCODE FROM ZBOX WHERE Z_PK = 7") == "in the log")
  }

  @Test("is locked as long as the copy is worked on")
  func locked() throws {
    for journal in ["DELETE", "WAL"] {
      let folder = try TemporaryFolder()
      let path = try Self.store(in: folder, journal: journal)
      var refusals = 0
      _ = try Self.run(path) { connection in
        guard connection.path != path else { return }
        let other = try Connection(path: path, options: .init(busyTimeoutMilliseconds: 0))
        let error = #expect(throws: SQLiteError.self) { try other.execute("UPDATE ZBOX SET ZSIZE = 0") }
        if error?.code == .busy { refusals += 1 }
        try other.close()
      }
      #expect(refusals == 1, "\(journal)")
      try Self.requireMigrated(path)
    }
  }

  @Test("may be known by a symbolic link, which stays")
  func symbolicLink() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let link = folder.path("link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try Self.run(link).tablesOfPages == ["ZBOX"])
    #expect(try folder.names() == ["Boxes.sqlite", "link.sqlite"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    try Self.requireMigrated(path)
  }

  @Test("is migrated by statements where it has a second name, or something else has that of its copy")
  func statements() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    try FileManager.default.linkItem(atPath: path, toPath: folder.path("second.sqlite"))
    #expect(try Self.run(path).tablesOfPages == [])
    try Self.requireMigrated(folder.path("second.sqlite"))

    let other = try TemporaryFolder()
    let second = try Self.store(in: other)
    try other.write("not ours", to: "Boxes.sqlite.partial/note.txt")
    #expect(try Self.run(second).tablesOfPages == [])
    try Self.requireMigrated(second)
    #expect(try String(contentsOfFile: other.path("Boxes.sqlite.partial/note.txt"), encoding: .utf8) == "not ours")
  }

  @Test("is whole where the process ends while the copy is made, and the next migration removes the rest")
  func killed() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let killed = try TemporaryFolder()
    #expect(throws: CancellationError.self) {
      try Self.run(path) { connection in
        guard connection.path != path else { return }
        try connection.execute("UPDATE ZBOX SET ZCODE = NULL")
        for name in try folder.names() {
          try FileManager.default.copyItem(atPath: folder.path(name), toPath: killed.path(name))
        }
        throw CancellationError()
      }
    }
    #expect(try folder.names() == ["Boxes.sqlite"])
    try Self.requireOld(path)
    let names = try killed.names()
    #expect(names.contains("Boxes.sqlite.partial"))
    try Self.requireOld(killed.path("Boxes.sqlite"))
    for pageUse in [StoreMigration.PageUse.always, .never] {
      let next = try TemporaryFolder()
      for name in names {
        try FileManager.default.copyItem(atPath: killed.path(name), toPath: next.path(name))
      }
      _ = try Self.run(next.path("Boxes.sqlite"), pageUse)
      #expect(try next.names() == ["Boxes.sqlite"])
      try Self.requireMigrated(next.path("Boxes.sqlite"))
    }
  }

  @Test(
    "stays as it is where it, or its folder, may not be written",
    .enabled(if: UnprivilegedUser.canPerform, "the superuser may, and cannot be another user here"),
    arguments: [StoreMigration.PageUse.never, .always])
  func readOnly(pageUse: StoreMigration.PageUse) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for (target, mode) in [(path, 0o444), (folder.path, 0o555)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target)
      try UnprivilegedUser.own(folder.url)
      #expect(throws: StoreError.self) { try UnprivilegedUser.perform { try Self.run(path, pageUse) } }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      #expect(try folder.names() == ["Boxes.sqlite"])
    }
  }
}
