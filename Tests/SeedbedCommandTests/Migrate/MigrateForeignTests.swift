import Foundation
import Testing

/// What does not belong to the model and meets what a migration makes: names, unique indexes, files.
@Suite("seedbed migrate and what does not belong to the model")
struct MigrateForeignTests {
  private static let attribute = VersionedShop.attribute("a")

  private static func duplicateRows(_ sql: String = "") -> String {
    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 1, 'x'), (2, 1, 1, 'x'), (3, 1, 1, 'y'); \(sql)"
  }

  @Test(
    "a name that is needed and taken is in the way, whatever becomes of duplicates",
    arguments: [
      ("CREATE TABLE ZTAG (x)", "the table ZTAG"), ("CREATE VIEW ztag AS SELECT 1", "the view ZTAG"),
      ("CREATE TABLE mine (x); CREATE INDEX z_item_unique_A ON mine (x)", "the index Z_Item_UNIQUE_a"),
      ("CREATE TABLE Z_Item_UNIQUE_a (x)", "the table Z_Item_UNIQUE_a"),
    ])
  func takenNames(sql: String, name: String) async throws {
    let versions = [
      ("Shop", VersionedShop.entity("Item", Self.attribute)),
      (
        "Shop 2",
        VersionedShop.entity("Item", Self.attribute, unique: "a") + VersionedShop.entity("Tag", Self.attribute)
      ),
    ]
    for policy in ["keep-first", "merge"] {
      let workspace = try await VersionedShop.workspace(versions, rows: Self.duplicateRows(sql))
      let (plan, result) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", policy])
      #expect(result.exitCode == 65 && result.talk.contains(name), "\(result.text)\(result.talk)")
      #expect(plan.text.contains("in the way: ") && plan.text.contains(name), "\(plan.text)")
      #expect(result.talk.contains("another name"), "\(result.talk)")
    }
    // Without duplicates nothing else would tell.
    let workspace = try await VersionedShop.workspace(versions, rows: sql)
    let (_, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 65 && result.talk.contains(name), "\(result.text)\(result.talk)")
  }

  @Test("tables that only look like those of a migration stay")
  func otherNames() async throws {
    let workspace = try await VersionedShop.workspace(
      VersionedShop.oneStep,
      rows: VersionedShop.items
        + "; CREATE TABLE seedbed_duplicates (x); CREATE TABLE mine (x); CREATE INDEX ZMINE ON mine (x)")
    let (_, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0, "\(result.text)\(result.talk)")
    #expect(
      try workspace.query("Shop.sqlite", "SELECT name FROM sqlite_master WHERE name IN ('ZMINE', 'seedbed_duplicates')")
        .count == 2)
  }

  /// Items that must differ in `a` then.
  private static func versions(isRewritten: Bool) -> [(String, String)] {
    let (a, b) = (VersionedShop.attribute("a"), VersionedShop.attribute("b"))
    let more = isRewritten ? VersionedShop.attribute("aa") : ""
    return [
      ("Shop", VersionedShop.entity("Item", a, b)), ("Shop 2", VersionedShop.entity("Item", a, more, b, unique: "a")),
    ]
  }

  @Test(
    "a unique index stays where what is left has no value twice", arguments: [false, true],
    ["CREATE UNIQUE INDEX mine ON ZITEM (ZB)", "CREATE UNIQUE INDEX mine ON ZITEM (ZB) WHERE ZB IS NOT NULL"])
  func uniqueIndex(isRewritten: Bool, index: String) async throws {
    let rows =
      "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB) VALUES (1, 1, 1, 'x', NULL), (2, 1, 1, 'x', '2'), "
      + "(3, 1, 1, 'x', '3'), "
      + "(4, 1, 1, 'y', '4'); \(index)"
    for policy in ["keep-first", "keep-last", "merge"] {
      let workspace = try await VersionedShop.workspace(Self.versions(isRewritten: isRewritten), rows: rows)
      let (plan, result) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", policy])
      #expect(result.exitCode == 0, "\(result.text)\(result.talk)")
      // What stays takes the values of what goes, which then are there once.
      #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM sqlite_master WHERE name = 'mine'") == ["1"])
      #expect(!plan.text.contains("mine") && !result.text.contains("mine"))
      #expect(
        try workspace.query("Shop.sqlite", "SELECT ZB FROM ZITEM ORDER BY Z_PK")
          == [policy == "merge" ? "2" : policy == "keep-last" ? "3" : "∅", "4"])
    }
  }

  @Test("a unique index over what members lead to goes where two come to lead to one", arguments: [2, 3])
  func brokenIndex(count: Int) async throws {
    func entities(_ attribute: String, unique: String?) -> String {
      VersionedShop.entity("Item", attribute, VersionedShop.relationship("tag", "Tag", "items", "maxCount=\"1\""))
        + VersionedShop.entity(
          "Tag", VersionedShop.attribute("n"), VersionedShop.relationship("items", "Item", "tag", "toMany=\"YES\""),
          unique: unique)
    }
    var versions = [
      ("Shop", entities(VersionedShop.attribute("b"), unique: nil)),
      ("Shop 2", entities(VersionedShop.attribute("c", "optional=\"YES\" elementID=\"b\""), unique: "n")),
    ]
    if count == 3 {
      versions.append(
        ("Shop 3", entities(VersionedShop.attribute("d", "optional=\"YES\" elementID=\"c\""), unique: "n")))
    }
    let workspace = try await VersionedShop.workspace(
      versions,
      rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZB, ZTAG) VALUES (1, 1, 1, 'x', 1), (2, 1, 1, 'y', 2); "
        + "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 2, 1, 't'), (2, 2, 1, 't'); "
        + "CREATE UNIQUE INDEX mine ON ZITEM (ZTAG)")
    let lost = "lost: the index mine on ZITEM, which does not belong to the model"
    let json = try await VersionedShop.migrate(workspace, ["--duplicates", "merge", "--dry-run", "--json"])
    #expect(json.text.contains("mine on ZITEM"), "\(json.text)")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", "merge"])
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(plan.text.contains(lost) && result.text.contains(lost), "\(plan.text)\(result.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZTAG FROM ZITEM ORDER BY Z_PK") == ["1", "1"])
    #expect(try workspace.query("Shop.sqlite", "SELECT 1 FROM sqlite_master WHERE name = 'mine'").isEmpty)
  }

  /// Items whose derived attribute reads something else then, by one step or two.
  private static func derivedVersions(_ count: Int) -> [(String, String)] {
    func item(_ read: String, _ more: String = "") -> String {
      VersionedShop.entity(
        "Item", attribute, VersionedShop.attribute("b"),
        VersionedShop.attribute(
          "u", "optional=\"YES\" derived=\"YES\" derivationExpression=\"lowercase:(\(read))\""), more)
    }
    let all = [
      ("Shop", item("b", VersionedShop.attribute("v"))),
      ("Shop 2", item("a", VersionedShop.attribute("w", "optional=\"YES\" elementID=\"v\""))),
      ("Shop 3", item("a", VersionedShop.attribute("x", "optional=\"YES\" elementID=\"w\""))),
    ]
    return Array(all.prefix(count))
  }

  private static func derivedRows(_ index: String, second: String) -> String {
    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZU) VALUES (1, 1, 1, 'One', 'p', 'p'), "
      + "(2, 1, 1, '\(second)', 'q', 'q'); \(index)"
  }

  @Test(
    "a unique index over derived values is in the way where two come to be the same", arguments: [2, 3],
    [
      ("CREATE UNIQUE INDEX mine ON ZITEM (ZU)", "1 value would be there more than once: one"),
      ("CREATE UNIQUE INDEX mine ON ZITEM (ZU, Z_ENT)", "1 value would be there more than once: one, 1"),
      ("CREATE UNIQUE INDEX mine ON ZITEM (ZU || '!')", "several objects would have the same"),
      ("CREATE UNIQUE INDEX mine ON ZITEM (ZU) WHERE ZU IS NOT NULL", "several objects would have the same"),
    ])
  func derivedIndex(count: Int, index: (sql: String, keys: String)) async throws {
    let versions = Self.derivedVersions(count)
    let workspace = try await VersionedShop.workspace(versions, rows: Self.derivedRows(index.sql, second: "one"))
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    let sentence =
      "Item: the unique index mine on ZITEM, which does not belong to the model, is over derived values, and \(index.keys)"
    #expect(result.exitCode == 65 && result.talk.contains(sentence), "\(result.text)\(result.talk)")
    #expect(plan.text.contains(sentence) && plan.text.contains("in the way: "), "\(plan.text)")
    #expect(result.talk.contains("drop the unique indexes that do not belong to the model"), "\(result.talk)")
    #expect(result.talk.contains("Shop → Shop 2: inferred: ") == (count == 3), "\(result.talk)")
    // A policy for duplicates is a word for what becomes of it.
    let lost = "lost: the index mine on ZITEM, which does not belong to the model"
    let (told, done) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", "keep-first"])
    #expect(done.exitCode == 0 && told.text.contains(lost) && done.text.contains(lost), "\(told.text)\(done.text)")
    #expect(done.talk.contains("will be \(lost)"), "\(done.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZU FROM ZITEM ORDER BY Z_PK") == ["one", "one"])
  }

  @Test("a unique index over derived values stays where they differ", arguments: [2, 3])
  func derivedIndexStays(count: Int) async throws {
    let workspace = try await VersionedShop.workspace(
      Self.derivedVersions(count),
      rows: Self.derivedRows("CREATE UNIQUE INDEX mine ON ZITEM (ZU)", second: "Two"))
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && !plan.text.contains("mine"), "\(plan.text)\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*) FROM sqlite_master WHERE name = 'mine'") == ["1"])
    #expect(try workspace.query("Shop.sqlite", "SELECT ZU FROM ZITEM ORDER BY Z_PK") == ["one", "two"])
  }

  // MARK: - Files

  private static func binaries(_ isExternal: Bool) -> String {
    let more = isExternal ? " allowsExternalBinaryDataStorage=\"YES\"" : ""
    return ["Item", "Other"].map { name in
      VersionedShop.entity(
        name, VersionedShop.attribute("d", type: "Binary", "optional=\"YES\"\(more)"),
        VersionedShop.attribute("e", type: "Binary", "optional=\"YES\"\(more)"))
    }.joined()
  }

  @Test("a value that is to come back from a file and cannot be read is in the way")
  func missingFile() async throws {
    let name = "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"
    let reference = ([2] + Array(name.utf8) + [0]).map { String(format: "%02x", $0) }.joined()
    let versions = [("Shop", Self.binaries(true)), ("Shop 2", Self.binaries(false))]
    for (value, problem) in [
      (reference, "the file \(name) is missing"), ("0341", "a value of 2 bytes has an unknown form"),
    ] {
      let workspace = try await VersionedShop.workspace(
        versions,
        rows:
          "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZD, ZE) VALUES (1, 1, 1, x'0142', x'\(value)'), (2, 1, 1, NULL, x'')")
      let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
      let sentence = "Item.e: kept in files until now, and the values of 1 object cannot be read: \(problem)"
      #expect(result.exitCode == 65 && result.talk.contains(sentence), "\(result.talk)")
      #expect(plan.text.contains("in the way: \(sentence)"), "\(plan.text)")
      guard value == reference else { continue }
      try workspace.write(".Shop_SUPPORT/_EXTERNAL_DATA/\(name)", "back")
      let (_, done) = try await VersionedShop.migrateBothWays(workspace)
      #expect(done.exitCode == 0, "\(done.talk)")
      #expect(try workspace.query("Shop.sqlite", "SELECT hex(ZD), CAST(ZE AS TEXT) FROM ZITEM") == ["42|back", "|"])
      #expect(!workspace.exists(".Shop_SUPPORT"))
    }
  }

  @Test("what has the name of the folder of files is told beforehand", arguments: [false, true])
  func noFolder(isLong: Bool) async throws {
    let workspace = try await VersionedShop.workspace(
      [("Shop", Self.binaries(false)), ("Shop 2", Self.binaries(true))],
      rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZD) VALUES (1, 1, 1, zeroblob(\(isLong ? 200_000 : 2)))")
    try workspace.write(".Shop_SUPPORT", "mine")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == (isLong ? 74 : 0), "\(result.talk)")
    #expect(plan.talk == result.talk && result.talk.contains(".Shop_SUPPORT: is no folder") == isLong, "\(plan.talk)")
    #expect(try workspace.text(".Shop_SUPPORT") == "mine")
  }

  @Test("no two values share a file, whatever their table, row and column")
  func ownFiles() async throws {
    let long = "zeroblob(200000)"
    let workspace = try await VersionedShop.workspace(
      [("Shop", Self.binaries(false)), ("Shop 2", Self.binaries(true))],
      rows: ["ZITEM", "ZOTHER"].enumerated().map { index, table in
        "INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT, ZD, ZE) VALUES (1, \(index + 1), 1, \(long), \(long)), "
          + "(2, \(index + 1), 1, \(long), x'00')"
      }.joined(separator: "; "))
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    let columns = ["ZITEM", "ZOTHER"].flatMap { table in ["ZD", "ZE"].map { "SELECT \($0) AS v FROM \(table)" } }
    let values = "(\(columns.joined(separator: " UNION ALL "))) WHERE length(v) = 38"
    #expect(try workspace.query("Shop.sqlite", "SELECT count(*), count(DISTINCT v) FROM \(values)") == ["6|6"])
    #expect(try workspace.names(in: ".Shop_SUPPORT/_EXTERNAL_DATA").count == 6)
    #expect(try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld").exitCode == 0)
  }
}
