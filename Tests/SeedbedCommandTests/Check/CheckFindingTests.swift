import Foundation
import Testing

/// A store that was forged in one place: `check` finds that, and nothing else.
@Suite("What check finds")
struct CheckFindingTests {
  struct Forgery: Sendable, CustomTestStringConvertible {
    var sql: String
    var code: String
    var place: String
    var testDescription: String { "\(code): \(sql)" }

    init(_ code: String, _ place: String, _ sql: String) {
      self.code = code
      self.place = place
      self.sql = sql
    }
  }

  static let external = "x'02' || CAST('0A0B0C0D-0000-4000-8000-000000000001' AS BLOB) || x'00'"

  /// A history of one change.
  static let history = """
    CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
    CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
    CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO ATRANSACTION VALUES (1, 16002, 1);
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'x');
    INSERT INTO ACHANGE VALUES (1, 16001, 1, 0, 3, 1, 1);
    INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 1), (16002, 'TRANSACTION', 0, 1),
      (16003, 'TRANSACTIONSTRING', 0, 1);

    """

  /// Makes the table of labels anew with something declared otherwise.
  static func labels(declaredWith change: (from: String, to: String), filledWith value: String = "") -> String {
    let columns = [
      "Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZCOPIES INTEGER", "ZOLD INTEGER", "ZRANK INTEGER",
      "ZTEXT VARCHAR",
    ].map { $0 == change.from ? change.to : $0 }
    let names = "Z_PK, Z_ENT, Z_OPT, ZCOPIES, ZOLD, ZRANK, ZTEXT"
    return "CREATE TABLE N (\(columns.joined(separator: ", "))); INSERT INTO N SELECT \(names)\(value) FROM ZLABEL;"
      + "DROP TABLE ZLABEL; ALTER TABLE N RENAME TO ZLABEL"
  }

  static let problems = [
    Forgery("danglingReference", "ZKEEPER.ZSHOP", "UPDATE ZKEEPER SET ZSHOP = 99"),
    Forgery("wrongDestination", "ZKEEPER.ZSHOP", "UPDATE ZKEEPER SET ZSHOP = 2"),
    Forgery("entityColumn", "ZCRATE.Z4_PLACE", "UPDATE ZCRATE SET Z4_PLACE = 5 WHERE Z_PK = 1"),
    Forgery("entityColumn", "ZCRATE.Z4_PLACE", "UPDATE ZCRATE SET Z4_PLACE = NULL WHERE Z_PK = 1"),
    Forgery("entityColumn", "ZCRATE.Z4_PLACE", "UPDATE ZCRATE SET Z4_PLACE = 6 WHERE Z_PK = 2"),
    Forgery("orderKey", "ZCRATE.Z_FOK_PLACE", "UPDATE ZCRATE SET Z_FOK_PLACE = NULL WHERE Z_PK = 1"),
    Forgery("orderKey", "ZCRATE.Z_FOK_PLACE", "UPDATE ZCRATE SET Z_FOK_PLACE = 2048 WHERE Z_PK = 2"),
    Forgery("inverse", "ZKEEPER.ZDEPOT", "UPDATE ZPLACE SET ZKEEPER = NULL"),
    Forgery("inverse", "ZPLACE.ZKEEPER", "UPDATE ZKEEPER SET ZDEPOT = NULL"),
    Forgery("inverse", "Z_3RELATED.Z_3RELATED", "DELETE FROM Z_3RELATED WHERE REFLEXIVE = 1"),
    Forgery("danglingJoin", "Z_1LABELS.Z_3LABELS", "INSERT INTO Z_1LABELS VALUES (2, 77)"),
    Forgery("danglingJoin", "Z_1LABELS.Z_1CRATES", "INSERT INTO Z_1LABELS VALUES (NULL, 3)"),
    Forgery("toManyCount", "ZCRATE", "INSERT INTO Z_1LABELS VALUES (1, 3)"),
    Forgery("keyCounter", "ZCRATE.Z_MAX", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 1"),
    Forgery("keyCounter", "ZCRATE.Z_MAX", "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT = 1"),
    Forgery("keyCounter", "ZCRATE.Z_MAX", "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 1"),
    Forgery(
      "keyCounter", "ZCRATE.Z_MAX", "UPDATE ZCRATE SET Z_PK = 9223372036854775807 WHERE Z_PK = 2; DELETE FROM Z_1LABELS"
    ),
    Forgery("version", "ZLABEL.Z_OPT", "UPDATE ZLABEL SET Z_OPT = 'one'"),
    Forgery("version", "ZLABEL.Z_OPT", "UPDATE ZLABEL SET Z_OPT = 9223372036854775807"),
    Forgery("orderKey", "ZCRATE.Z_FOK_PLACE", "UPDATE ZCRATE SET Z_FOK_PLACE = 9223372036854775807 WHERE Z_PK = 1"),
    Forgery("valueRange", "ACHANGE.ZCHANGETYPE", history + "UPDATE ACHANGE SET ZCHANGETYPE = 9"),
    Forgery("danglingReference", "ACHANGE.ZTRANSACTIONID", history + "DELETE FROM ATRANSACTION"),
    Forgery("keyCounter", "ACHANGE.Z_MAX", history + "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = 16001"),
    Forgery("keyCounter", "ATRANSACTION.Z_MAX", history + "UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_ENT = 16002"),
    Forgery("entityList", "Z_PRIMARYKEY", history + "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003"),
    Forgery("entityNumber", "ZCRATE.Z_ENT", "UPDATE ZCRATE SET Z_ENT = 2 WHERE Z_PK = 2"),
    Forgery("entityNumber", "ZCRATE.Z_ENT", "UPDATE ZCRATE SET Z_ENT = 1099511627776 WHERE Z_PK = 2"),
    Forgery("entityNumber", "ZCRATE.Z_ENT", "UPDATE ZCRATE SET Z_ENT = 'one' WHERE Z_PK = 2"),
    Forgery("abstractEntity", "ZPLACE.Z_ENT", "UPDATE ZPLACE SET Z_ENT = 4 WHERE Z_PK = 3"),
    Forgery("version", "ZLABEL.Z_OPT", "UPDATE ZLABEL SET Z_OPT = NULL"),
    Forgery("version", "ZLABEL.Z_OPT", "UPDATE ZLABEL SET Z_OPT = 0"),
    Forgery(
      "duplicateKey", "ZPLACE.ZCODE", "DROP INDEX Z_Shop_UNIQUE_code; UPDATE ZPLACE SET ZCODE = 'A' WHERE Z_PK = 3"),
    Forgery("storageClass", "ZCRATE.ZWEIGHT", "UPDATE ZCRATE SET ZWEIGHT = 'heavy'"),
    Forgery("storageClass", "ZKEEPER.ZBADGE", "UPDATE ZKEEPER SET ZBADGE = x'01'"),
    Forgery("storageClass", "ZLABEL.ZTEXT", "UPDATE ZLABEL SET ZTEXT = x'41'"),
    Forgery("storageClass", "ZLABEL.ZTEXT", "UPDATE ZLABEL SET ZTEXT = CAST(x'FF61' AS TEXT) WHERE Z_PK = 1"),
    Forgery("valueRange", "ZLABEL.ZRANK", "UPDATE ZLABEL SET ZRANK = 32768 WHERE Z_PK = 2"),
    Forgery("valueRange", "ZLABEL.ZRANK", "UPDATE ZLABEL SET ZRANK = -32769 WHERE Z_PK = 2"),
    Forgery("valueRange", "ZLABEL.ZCOPIES", "UPDATE ZLABEL SET ZCOPIES = 2147483648 WHERE Z_PK = 2"),
    Forgery("valueRange", "ZLABEL.ZOLD", "UPDATE ZLABEL SET ZOLD = 2 WHERE Z_PK = 2"),
    Forgery("columnType", "ZLABEL.ZTEXT", labels(declaredWith: ("ZTEXT VARCHAR", "ZTEXT INTEGER"))),
    Forgery("columnType", "ZLABEL.ZTEXT", labels(declaredWith: ("ZTEXT VARCHAR", "ZTEXT DECIMAL"))),
    Forgery(
      "columnType", "ZLABEL.ZRANK",
      "UPDATE ZLABEL SET ZRANK = NULL;" + labels(declaredWith: ("ZRANK INTEGER", "ZRANK REAL"))),
    Forgery(
      "duplicateJoin", "Z_1LABELS",
      "CREATE TABLE J AS SELECT * FROM Z_1LABELS; INSERT INTO J SELECT * FROM J WHERE Z_1CRATES = 2;"
        + "DROP TABLE Z_1LABELS; ALTER TABLE J RENAME TO Z_1LABELS"),
    Forgery("externalValue", "ZCRATE.ZPHOTO", "UPDATE ZCRATE SET ZPHOTO = x'07AABB'"),
    Forgery("externalValue", "ZCRATE.ZPHOTO", "UPDATE ZCRATE SET ZPHOTO = CAST(x'02' || '../../etc/passwd' AS BLOB)"),
    Forgery("externalFile", "ZCRATE.ZPHOTO", "UPDATE ZCRATE SET ZPHOTO = CAST(\(external) AS BLOB)"),
    Forgery("entityList", "Z_PRIMARYKEY", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 3"),
    Forgery("entityList", "Z_PRIMARYKEY.Z_SUPER", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_ENT = 3"),
    Forgery("entityList", "Z_PRIMARYKEY.Z_NAME", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Crate' WHERE Z_ENT = 3"),
    Forgery("entityList", "Z_PRIMARYKEY.Z_ENT", "INSERT INTO Z_PRIMARYKEY VALUES (-5, 'X', 0, 0)"),
    Forgery("entityList", "Z_PRIMARYKEY.Z_ENT", "INSERT INTO Z_PRIMARYKEY VALUES (1099511627776, 'X', 0, 0)"),
    Forgery("schema", "ZLABEL", "DROP TABLE ZLABEL"),
    Forgery(
      "schema", "ZLABEL.ZOWN",
      labels(declaredWith: ("ZTEXT VARCHAR", "ZTEXT VARCHAR, ZOWN INTEGER NOT NULL"), filledWith: ", 1")
    ),
    Forgery("schema", "ZLABEL.ZTEXT", "ALTER TABLE ZLABEL DROP COLUMN ZTEXT"),
    Forgery("schema", "Z_1LABELS.Z_3LABELS", "DROP TABLE Z_1LABELS; CREATE TABLE Z_1LABELS (Z_1CRATES INTEGER)"),
    Forgery("schema", "ZLABEL", "DROP TABLE ZLABEL; CREATE VIEW ZLABEL AS SELECT 1 AS Z_PK, 3 AS Z_ENT"),
    Forgery("trigger", "ZLABEL", "CREATE TRIGGER t AFTER UPDATE ON ZLABEL BEGIN SELECT unheard(NEW.ZTEXT); END"),
    Forgery("metadata", "Z_METADATA", "INSERT INTO Z_METADATA VALUES (2, 'x', x'00')"),
    Forgery("metadata", "Z_METADATA", "UPDATE Z_METADATA SET Z_UUID = 'none'"),
    Forgery("metadata", "Z_METADATA", "UPDATE Z_METADATA SET Z_VERSION = 7"),
  ]

  /// Facts about the data: the app opens the store all the same.
  static let warningCodes: Set<String> = [
    "danglingReference", "wrongDestination", "entityColumn", "orderKey", "inverse", "danglingJoin", "toManyCount",
    "keyCounter", "version", "duplicateKey", "externalFile", "valueRange", "columnType", "duplicateJoin",
  ]

  @Test("a forged store has exactly the forged finding, with what to do about it", arguments: problems)
  func problem(forgery: Forgery) async throws {
    let workspace = try DepotStore.workspace(forgery.sql)
    let report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    // Without a key left the app opens the store and cannot add to it.
    let leavesNoKey = forgery.code == "keyCounter" && forgery.sql.contains("9223372036854775807")
    let isWarning = Self.warningCodes.contains(forgery.code) && !leavesNoKey
    #expect(report.fit == isWarning && !report.sound && report.compatible)
    let found = isWarning ? report.warnings : report.problems
    #expect(found.map(\.code) == [forgery.code], "\(report.problems) \(report.warnings)")
    #expect((isWarning ? report.problems : report.warnings).isEmpty)
    let finding = try #require(found.first)
    #expect((finding.table ?? "") + (finding.column.map { "." + $0 } ?? "") == forgery.place)
    #expect(finding.advice?.isEmpty == false)
    let fit = "Fit: an app with this model opens the store as it is; its data gave 1 warning."
    #expect(report.answer == (isWarning ? fit : "Not fit: 1 problem was found."))
    let text = try await workspace.run("check", DepotStore.store, DepotStore.model)
    #expect(text.exitCode == (isWarning ? 0 : 65))
    #expect(text.text.contains("\(isWarning ? "warning" : "problem"): [\(forgery.code)] "))
    #expect(text.text.contains("  what to do: ") && text.text.hasSuffix("\n\(report.answer)\n"))
    if isWarning {
      let strict = try await workspace.run("check", "--strict", DepotStore.store, "--model", DepotStore.model)
      #expect(strict.exitCode == 65 && strict.text.hasSuffix("\nNot fit: 1 warning about its data.\n"))
    }
  }

  @Test("a store as it should be has no problem and no note")
  func sound() async throws {
    let workspace = try DepotStore.workspace()
    let report = try await workspace.check("--bundle", "--strict", DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit && report.sound && report.rowsWereChecked && report.fitForReadOnlyBundle)
    #expect(report.problems.isEmpty && report.warnings.isEmpty && report.notes.isEmpty, "\(report)")
    #expect(report.entities.map(\.rows) == [2, 1, 1, 3, nil, 2])
    #expect(report.digestMatches == true && report.frameworkVersion == 1523 && report.journalMode == "delete")
    #expect(report.answer == "Fit: an app with this model opens the store as it is, also from a read-only bundle.")
  }

  @Test(
    "what the app opens all the same is a note",
    arguments: [
      Forgery("staleName", "Z_PRIMARYKEY.Z_NAME", "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Sticker' WHERE Z_ENT = 3"),
      Forgery("missingIndex", "ZPLACE.ZCODE", "DROP INDEX Z_Shop_UNIQUE_code"),
      Forgery("missingValue", "ZPLACE.ZNAME", "UPDATE ZPLACE SET ZNAME = NULL"),
      Forgery(
        "missingIndex", "Z_1LABELS.Z_1CRATES, Z_3LABELS",
        "CREATE TABLE J AS SELECT * FROM Z_1LABELS; DROP TABLE Z_1LABELS; ALTER TABLE J RENAME TO Z_1LABELS"),
      Forgery("unknownConstraint", "ZLABEL.ZTEXT", "CREATE UNIQUE INDEX u ON ZLABEL (ZTEXT)"),
      Forgery("unknownConstraint", "ZLABEL", "CREATE UNIQUE INDEX u ON ZLABEL (lower(ZTEXT))"),
      Forgery(
        "unknownConstraint", "Z_1LABELS.Z_1CRATES",
        "DELETE FROM Z_1LABELS WHERE Z_3LABELS = 2;"
          + "CREATE UNIQUE INDEX u ON Z_1LABELS (Z_1CRATES)"),
      Forgery(
        "unknownConstraint", "ZPLACE.ZCODE COLLATE NOCASE", "CREATE UNIQUE INDEX u ON ZPLACE (ZCODE COLLATE NOCASE)"),
      Forgery(
        "unknownConstraint", "ZLABEL.ZRANK",
        "UPDATE ZLABEL SET ZRANK = 0;" + labels(declaredWith: ("ZRANK INTEGER", "ZRANK INTEGER NOT NULL"))),
      Forgery(
        "unknownConstraint", "ZLABEL", labels(declaredWith: ("ZRANK INTEGER", "ZRANK INTEGER CHECK (ZRANK <> 0)"))),
      Forgery("unknownTrigger", "ZLABEL", "CREATE TRIGGER t AFTER UPDATE ON ZLABEL BEGIN SELECT 1; END"),
    ])
  func note(forgery: Forgery) async throws {
    let workspace = try DepotStore.workspace(forgery.sql)
    let report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit && report.problems.isEmpty, "\(report.problems)")
    #expect(report.notes.map(\.code) == [forgery.code], "\(report.notes)")
    let note = try #require(report.notes.first)
    #expect((note.table ?? "") + (note.column.map { "." + $0 } ?? "") == forgery.place)
  }

  @Test(
    "what the model says anyway is no finding",
    arguments: [
      labels(declaredWith: ("ZTEXT VARCHAR", "ZTEXT VARCHAR NOT NULL")),
      "CREATE UNIQUE INDEX u ON ZLABEL (Z_PK, ZTEXT)",
      "CREATE UNIQUE INDEX u ON ZPLACE (ZNAME, ZCODE)", "CREATE INDEX u ON ZLABEL (ZTEXT)",
    ])
  func known(sql: String) async throws {
    let report = try await DepotStore.workspace(sql).check("--strict", DepotStore.store, "--model", DepotStore.model)
    #expect(report.sound && report.notes.isEmpty, "\(report.notes)")
  }

  @Test("a table with very many numbers is checked, too")
  func wideTable() async throws {
    let workspace = try Workspace()
    let attributes = (1...520).map { "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"Integer 16\"/>" }
    try workspace.write(
      "Wide.xcdatamodel/contents",
      "<model documentVersion=\"1.0\"><entity name=\"Wide\">\(attributes.joined())</entity></model>")
    try workspace.write("wide.csv", "a1,a520\n1,2\n")
    try workspace.write(
      "wide.yaml",
      """
      model: Wide.xcdatamodel
      store: { path: Wide.sqlite }
      import:
        - { from: wide.csv, entity: Wide, match: [a1], map: { a1: a1, a520: a520 } }

      """)
    #expect(try await workspace.run("run", "--quiet", "wide.yaml").exitCode == 0)
    #expect(try await workspace.check("Wide.sqlite", "--model", "Wide.xcdatamodel").sound)
    try workspace.execute("Wide.sqlite", "UPDATE ZWIDE SET ZA520 = 40000")
    let report = try await workspace.check("Wide.sqlite", "--model", "Wide.xcdatamodel")
    #expect(report.warnings.map(\.column) == ["ZA520"])
  }

  @Test("files that no row names are a note; a file that is a symbolic link is missing")
  func externalFiles() async throws {
    let workspace = try DepotStore.workspace("UPDATE ZCRATE SET ZPHOTO = CAST(\(Self.external) AS BLOB) WHERE Z_PK = 1")
    let data = ".Depot_SUPPORT/_EXTERNAL_DATA/"
    let name = "0A0B0C0D-0000-4000-8000-000000000001"
    try workspace.write(data + name, "bytes")
    try workspace.write(data + "0A0B0C0D-0000-4000-8000-000000000002", "left over")
    var report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit)
    #expect(report.notes.map(\.code) == ["unusedExternalFile"] && report.notes.first?.count == 1)
    try FileManager.default.removeItem(at: workspace.url(data + name))
    try FileManager.default.createSymbolicLink(
      at: workspace.url(data + name), withDestinationURL: workspace.url(DepotStore.store))
    report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit && report.warnings.map(\.code) == ["externalFile"])
    #expect(report.warnings.first?.message.contains(name) == true)
  }

  @Test("damage inside the file is found, and nothing more is asked of the file")
  func integrity() async throws {
    let workspace = try DepotStore.workspace()
    let root = try #require(
      Int(workspace.query(DepotStore.store, "SELECT rootpage FROM sqlite_master WHERE name = 'ZPLACE'")[0]))
    var bytes = try workspace.bytes(DepotStore.store)
    for index in 0..<100 { bytes[(root - 1) * 4_096 + 8 + index] = 0xEE }
    try workspace.write(DepotStore.store, bytes)
    let report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.problems.map(\.code) == ["integrity"] && !report.rowsWereChecked)
  }

  @Test("a log and sidecars are no problem but in a bundle")
  func bundle() async throws {
    let workspace = try DepotStore.workspace("PRAGMA journal_mode = WAL")
    var report = try await workspace.check(DepotStore.store, "--model", DepotStore.model)
    #expect(report.fit && !report.fitForReadOnlyBundle && report.notes.map(\.code) == ["bundle"])
    report = try await workspace.check("--bundle", DepotStore.store, "--model", DepotStore.model)
    #expect(!report.fit && report.notes.isEmpty && report.problems.isEmpty && report.sound)
    #expect(report.answer.contains("needs one sealed file") && report.answer.hasPrefix("Not fit: "))
    try workspace.write(DepotStore.store + "-shm", "")
    report = try await workspace.check("--bundle", DepotStore.store, "--model", DepotStore.model)
    #expect(report.sidecars == ["Depot.sqlite-shm"] && !report.fit)
  }

  @Test("the least integer is a decimal like others")
  func leastInteger() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      "<entity name=\"A\"><attribute name=\"d\" optional=\"YES\" attributeType=\"Decimal\"/></entity>")
    try workspace.write("a.csv", "d\n-9223372036854775808\n")
    try workspace.write(
      "p.yaml",
      "model: M.xcdatamodel\nstore: { path: A.sqlite }\nimport:\n- { from: a.csv, entity: A, map: { d: d } }\n")
    try await workspace.succeed("run", "p.yaml")
    #expect(try workspace.query("A.sqlite", "SELECT typeof(ZD), ZD FROM ZA") == ["integer|-9223372036854775808"])
    try await workspace.succeed("check", "--strict", "A.sqlite")
  }
}
