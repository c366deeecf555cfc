import Foundation
import Testing

/// Version hashes of derived attributes and of names outside ASCII rest on rules that nothing of Apple's has confirmed,
/// and a store's own are taken for them. A store of an older version must not be taken for one of the newer by that.
@Suite("seedbed migrate and version hashes that are not sure")
struct UnsureHashTests {
  private static let derived = VersionedShop.attribute(
    "u", "optional=\"YES\" derived=\"YES\" derivationExpression=\"uppercase:(a)\"")

  private static let cases: [(newer: String, query: String, rows: [String])] = [
    (
      VersionedShop.entity("Item", VersionedShop.attribute("a"), VersionedShop.attribute("b"), derived),
      "SELECT ZA, ZU, ZB FROM ZITEM ORDER BY Z_PK", ["x|X|∅", "∅|∅|∅"]
    ),
    (
      VersionedShop.entity("Item", VersionedShop.attribute("a", "defaultValueString=\"none\""), derived),
      "SELECT ZA, ZU FROM ZITEM ORDER BY Z_PK", ["x|X", "none|NONE"]
    ),
    (
      VersionedShop.entity("Item", VersionedShop.attribute("größe", "optional=\"YES\" elementID=\"a\""), derived)
        .replacing("(a)", with: "(größe)"),
      "SELECT count(*) FROM ZITEM", ["2"]
    ),
  ]

  private static let rows =
    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZU) VALUES (1, 1, 1, 'x', 'X'), (2, 1, 1, NULL, NULL)"

  /// What `Z_MODELCACHE` of the older store has.
  enum Cache: CaseIterable {
    case ownModel, nothing, newerModel
  }

  @Test("an older store is migrated, whatever model it carries", arguments: cases.indices, Cache.allCases)
  func older(index: Int, cache: Cache) async throws {
    let test = Self.cases[index]
    let workspace = try await VersionedShop.workspace(
      [("Shop", VersionedShop.entity("Item", VersionedShop.attribute("a"), Self.derived)), ("Shop 2", test.newer)],
      rows: Self.rows + (cache == .nothing ? "; DELETE FROM Z_MODELCACHE" : ""))
    if cache == .newerModel {
      try workspace.write("new.yaml", "model: Shop.xcdatamodeld\nstore: { path: New.sqlite }\n")
      #expect(try await workspace.run("run", "--quiet", "new.yaml").exitCode == 0)
      try VersionedShop.change(
        workspace,
        "ATTACH '\(workspace.path("New.sqlite"))' AS new; "
          + "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM new.Z_MODELCACHE)")
    }
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(verdict.exitCode == 65 && verdict.text.contains("made with version Shop,"), "\(verdict.text)")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && plan.text.contains("entity Item: changed, 2 objects"), "\(plan.text)\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", test.query) == test.rows)
    let after = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(after.exitCode == 0, "\(after.text)")
    let again = try await VersionedShop.migrate(workspace)
    #expect(again.text.contains("nothing to do"), "\(again.text)")
  }
}
