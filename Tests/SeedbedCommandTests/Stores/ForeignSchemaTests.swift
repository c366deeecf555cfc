import Foundation
import TestSupport
import Testing

/// Stores to whose files an app added what the model does not know.
@Suite("What an app added to its store", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct ForeignSchemaTests {
  private func workspace(_ forgery: String) throws -> Workspace {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/coredataplus/SampleModel_V1.sqlite")
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    try workspace.write("a.sqlite", workspace.bytes(name))
    try workspace.execute("a.sqlite", forgery)
    return workspace
  }

  private static let trigger =
    "CREATE TABLE app_log(a); CREATE TRIGGER app_t AFTER UPDATE ON ZCAR BEGIN INSERT INTO app_log VALUES (new.Z_PK); END"
  private static let warning = "the trigger app_t on ZCAR does not belong to the model and was not run"

  @Test("update and delete name the triggers that they pass over")
  func batches() async throws {
    let workspace = try workspace(Self.trigger)
    let update = try await workspace.succeed(
      "update", "a.sqlite", "--entity", "Car", "--where", "maker == 'FIAT'", "--set", "maker = 'x'", "--json")
    #expect(update.talk.contains("warning: " + Self.warning), "\(update)")
    let warnings = try #require(update.object()["warnings"] as? [String])
    #expect(warnings.count == 1 && warnings[0].hasPrefix(Self.warning))
    let delete = try await workspace.succeed("delete", "a.sqlite", "--entity", "Car", "--where", "maker == 'x'")
    #expect(delete.talk.contains("warning: " + Self.warning), "\(delete)")
    let plain = try self.workspace("SELECT 1")
    let silent = try await plain.succeed(
      "delete", "a.sqlite", "--entity", "Car", "--where", "maker == 'FIAT'", "--json")
    let none = try #require(silent.object()["warnings"] as? [String])
    #expect(silent.talk.isEmpty && none.isEmpty, "\(silent)")
  }

  @Test("a CHECK of the file that a new value breaks is named, and nothing changes")
  func check() async throws {
    let workspace = try workspace("ALTER TABLE ZCAR ADD COLUMN APP INTEGER CHECK (ZMAKER <> 'new')")
    let before = try workspace.bytes("a.sqlite")
    let message = "CHECK constraint failed"
    let update = try await workspace.run(
      "update", "a.sqlite", "--entity", "Car", "--where", "TRUEPREDICATE", "--set", "maker = 'new'")
    #expect(update.exitCode == 65 && update.talk.contains(message), "\(update)")
    #expect(update.talk.contains("seedbed check"), "\(update)")
    try workspace.write("in.csv", "numberPlate,maker\nNEW,new\n")
    for (place, strategy) in [("replace: never", "find-or-create"), ("write: in-place", "upsert")] {
      try workspace.write(
        "p.yaml",
        """
        model: a.sqlite
        store: { path: a.sqlite, \(place) }
        import: [ { from: in.csv, entity: Car, match: numberPlate, strategy: \(strategy), \
        map: { numberPlate: numberPlate, maker: maker } } ]

        """)
      let run = try await workspace.run("run", "--quiet", "p.yaml")
      #expect(run.exitCode == 65 && run.talk.contains(message), "\(run)")
    }
    #expect(try workspace.query("a.sqlite", "SELECT count(*) FROM ZCAR WHERE ZMAKER = 'new'") == ["0"])
    #expect(try workspace.bytes("a.sqlite") == before)
  }

  @Test("a NOT NULL of the file that a new value breaks is named")
  func notNull() async throws {
    let change = (from: "ZRANK INTEGER", to: "ZRANK INTEGER NOT NULL")
    let workspace = try DepotStore.workspace(
      "UPDATE ZLABEL SET ZRANK = 1;" + CheckFindingTests.labels(declaredWith: change))
    let update = try await workspace.run(
      "update", DepotStore.store, "--model", DepotStore.model, "--entity", "Label", "--where", "TRUEPREDICATE", "--set",
      "rank = NULL")
    #expect(update.exitCode == 65 && update.talk.contains("NOT NULL constraint failed: ZLABEL.ZRANK"), "\(update)")
    #expect(try workspace.query(DepotStore.store, "SELECT count(ZRANK) FROM ZLABEL") == ["3"])
  }

  @Test("a dump warns of equal keys that no index guards, and its restore says where they come from")
  func equalKeys() async throws {
    let workspace = try workspace(
      "DROP INDEX Z_Car_UNIQUE_numberPlate; UPDATE ZCAR SET ZNUMBERPLATE = '304' WHERE Z_PK IN (6, 7)")
    let dump = try await workspace.succeed("dump", "a.sqlite", "dump")
    #expect(dump.talk.contains("warning: Car has several objects with the same numberPlate"), "\(dump)")
    let restore = try await workspace.run("run", "--quiet", "dump/restore.yaml")
    #expect(restore.exitCode == 65 && restore.talk.contains("the store that was dumped"), "\(restore)")
    #expect(!restore.talk.contains("match by the constraint"), "\(restore)")
  }

  @Test("metadata of an app with numbers up to 2^64 - 1 stay as they are")
  func greatNumbers() async throws {
    let workspace = try workspace("SELECT 1")
    let hex = try workspace.query("a.sqlite", "SELECT hex(Z_PLIST) FROM Z_METADATA")[0]
    let bytes = stride(from: 0, to: hex.count, by: 2).map { offset in
      UInt8(hex.dropFirst(offset).prefix(2), radix: 16) ?? 0
    }
    var metadata = try #require(
      unsafe try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any])
    metadata["app.key"] = NSNumber(value: UInt64.max)
    let list = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
    let digits = list.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    try workspace.execute("a.sqlite", "UPDATE Z_METADATA SET Z_PLIST = x'\(digits)'")
    let inspection = try await workspace.succeed("inspect", "a.sqlite", "--json")
    #expect(inspection.text.contains("18446744073709551615"), "\(inspection.text)")
    try await workspace.succeed("copy", "a.sqlite", "b.sqlite", "--seed-version", "3")
    let copy = try await workspace.succeed("inspect", "b.sqlite", "--json")
    #expect(copy.text.contains("18446744073709551615"), "\(copy.text)")
  }

  @Test("rows of a join table with one key are left out of a dump by name")
  func halfPairs() async throws {
    let workspace = try DepotStore.workspace(
      "INSERT INTO Z_1LABELS VALUES (NULL, 3); INSERT INTO Z_1LABELS VALUES (2, NULL)")
    let dump = try await workspace.run("dump", DepotStore.store, "dump", "--model", DepotStore.model)
    #expect(dump.talk.contains("2 references lead nowhere"), "\(dump)")
    let leftOut = try workspace.text("dump/left-out.ndjson")
    #expect(leftOut.contains("null") && leftOut.split(separator: "\n").count == 2, "\(leftOut)")
  }

  @Test("a value whose file is missing is cleared without the file")
  func missingFile() async throws {
    let workspace = try DepotStore.workspace(
      "UPDATE ZCRATE SET ZPHOTO = x'02' || CAST('0A0B0C0D-0000-4000-8000-000000000001' AS BLOB) || x'00'")
    try await workspace.succeed(
      "update", DepotStore.store, "--model", DepotStore.model, "--entity", "Crate", "--where", "TRUEPREDICATE", "--set",
      "photo = NULL")
    #expect(try workspace.query(DepotStore.store, "SELECT count(ZPHOTO) FROM ZCRATE") == ["0"])
  }

  @Test("a model of another user's is copied into a dump", .enabled(if: Tool.unprivilegedCommand != nil))
  func foreignModel() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/surf-journal/SurfJournalModel.sqlite")
    // Without a log it is read where it is.
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    let model = FixtureFolder.path("models/surf-journal/SurfJournalModel.xcdatamodeld")
    try await Tool.withoutPrivileges(in: workspace.folder) {
      let dump = try await workspace.run("dump", name, "dump", "--model", model)
      #expect(dump.exitCode == 0, "\(dump)")
    }
    try await workspace.succeed("run", "--quiet", "dump/restore.yaml")
  }

  @Test("a copy of a store whose texts are UTF-16 warns of it")
  func otherEncoding() async throws {
    let workspace = try workspace("SELECT 1")
    // The same tables in another encoding, with the row that makes a file a store.
    let tables = try workspace.query(
      "a.sqlite", "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL AND type = 'table'")
    let metadata = try workspace.query(
      "a.sqlite",
      "SELECT 'INSERT INTO Z_METADATA VALUES (' || quote(Z_VERSION) || ',' || quote(Z_UUID) || ',' || quote(Z_PLIST) || ')' "
        + "FROM Z_METADATA")
    try workspace.execute(
      "b.sqlite", "PRAGMA encoding = 'UTF-16le';" + tables.joined() + metadata.joined(), createsFile: true)
    let copy = try await workspace.run("copy", "b.sqlite", "c.sqlite")
    #expect(copy.exitCode == 0 && copy.talk.contains("texts in UTF-16le"), "\(copy)")
    let plain = try await workspace.run("copy", "a.sqlite", "d.sqlite")
    #expect(plain.exitCode == 0 && plain.talk.isEmpty, "\(plain)")
  }
}
