import Foundation
import Testing

/// What `--duplicates` makes of keys that are references or null, and of values in files.
@Suite("seedbed migrate --duplicates and special values")
struct MigrateDuplicatesTests {
  @Test(
    "a key of an attribute and a reference is the same where both are, and null is like nothing",
    arguments: [("keep-first", 1), ("keep-last", 2), ("merge", 1)])
  func reference(policy: String, kept: Int) async throws {
    let item = [VersionedShop.attribute("a"), VersionedShop.relationship("tag", "Tag", "items", "maxCount=\"1\"")]
      .joined()
    let tag = VersionedShop.entity(
      "Tag", VersionedShop.attribute("n"),
      VersionedShop.relationship("items", "Item", "tag", "toMany=\"YES\" ordered=\"YES\""))
    let workspace = try await VersionedShop.workspace(
      [
        ("Shop", VersionedShop.entity("Item", item) + tag),
        (
          "Shop 2",
          "<entity name=\"Item\">\(item)<uniquenessConstraints><uniquenessConstraint><constraint value=\"a\"/>"
            + "<constraint value=\"tag\"/></uniquenessConstraint></uniquenessConstraints></entity>" + tag
        ),
      ],
      rows: "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 2, 1, 't'), (2, 2, 1, 't'); "
        + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZTAG, Z_FOK_TAG) VALUES (1, 1, 1, 'x', 1, 1024), "
        + "(2, 1, 1, 'x', 1, 2048), (3, 1, 1, NULL, 1, 3072), (4, 1, 1, NULL, 1, 4096), "
        + "(5, 1, 1, 'x', NULL, NULL), (6, 1, 1, 'x', NULL, NULL), (7, 1, 1, 'x', 2, 1024)")
    let (_, refused) = try await VersionedShop.migrateBothWays(workspace)
    #expect(refused.exitCode == 65 && refused.talk.contains("a, tag must be unique now"), "\(refused.talk)")
    let (_, result) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", policy])
    #expect(result.exitCode == 0 && result.text.contains("duplicates: 1 Item removed"), "\(result.text)\(result.talk)")
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_PK, Z_FOK_TAG FROM ZITEM ORDER BY Z_PK")
        == ["\(kept)|\(kept * 1024)", "3|3072", "4|4096", "5|∅", "6|∅", "7|1024"])
    #expect(try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld").exitCode == 0)
  }

  @Test(
    "files of external data go with the objects that go, and stay with those that got them",
    arguments: [("keep-first", ["3"]), ("keep-last", ["2", "3"]), ("merge", ["1", "3"])])
  func files(policy: String, kept: [String]) async throws {
    let attributes = [
      VersionedShop.attribute("a"),
      VersionedShop.attribute("d", type: "Binary", "optional=\"YES\" allowsExternalBinaryDataStorage=\"YES\""),
    ].joined()
    func name(_ number: String) -> String { "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B1\(number)" }
    func reference(_ number: String) -> String {
      "x'" + ([2] + Array(name(number).utf8) + [0]).map { String(format: "%02x", $0) }.joined() + "'"
    }
    let workspace = try await VersionedShop.workspace(
      [
        ("Shop", VersionedShop.entity("Item", attributes)),
        ("Shop 2", VersionedShop.entity("Item", attributes, unique: "a")),
      ],
      rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZD) VALUES (1, 1, 1, 'x', NULL), "
        + "(2, 1, 1, 'x', \(reference("1"))), (3, 1, 1, 'x', \(reference("2"))), (4, 1, 1, 'y', \(reference("3")))")
    for number in ["1", "2", "3"] {
      try workspace.write(".Shop_SUPPORT/_EXTERNAL_DATA/\(name(number))", "value \(number)")
    }
    let (_, result) = try await VersionedShop.migrateBothWays(workspace, ["--duplicates", policy])
    #expect(result.exitCode == 0, "\(result.talk)")
    #expect(try workspace.names(in: ".Shop_SUPPORT/_EXTERNAL_DATA").sorted() == kept.map(name))
    for number in kept {
      #expect(try workspace.text(".Shop_SUPPORT/_EXTERNAL_DATA/\(name(number))") == "value \(number)")
    }
    #expect(try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld").exitCode == 0)
  }
}
