import Foundation
import Testing

/// Rows that are as no program of the model leaves them.
@Suite("seedbed migrate and damaged rows")
struct DamagedRowTests {
  private static let stray =
    "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 1, 1, 'x'), (2, 77, 1, 'y'), (3, NULL, 1, 'z')"
  private static let (a, b) = (VersionedShop.attribute("a"), VersionedShop.attribute("b"))
  private static let lost = "lost: 2 rows of ZITEM without an entity of that table"

  @Test("rows of no entity that go with a table are told of")
  func lostRows() async throws {
    let versions = [
      ("Shop", VersionedShop.entity("Item", Self.a, Self.b)), ("Shop 2", VersionedShop.entity("Item", Self.a)),
    ]
    let workspace = try await VersionedShop.workspace(versions, rows: Self.stray)
    let json = try await VersionedShop.migrate(workspace, ["--dry-run", "--json"])
    #expect(json.text.contains("\"2 rows of ZITEM\""), "\(json.text)")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && plan.text.contains(Self.lost), "\(plan.text)\(result.talk)")
    #expect(result.text.contains(Self.lost), "\(result.text)")
    #expect(result.talk.contains("will be \(Self.lost)"), "\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_PK FROM ZITEM") == ["1"])
  }

  @Test("in several steps they are told of before")
  func lostOnTheWay() async throws {
    var versions = VersionedShop.twoSteps
    versions[2] = (
      "Shop 3", VersionedShop.entity("Item", VersionedShop.attribute("d", "optional=\"YES\" elementID=\"c\""))
    )
    let workspace = try await VersionedShop.workspace(versions, rows: Self.stray)
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && plan.text.contains(Self.lost), "\(plan.text)\(result.talk)")
    #expect(result.talk.contains("2 rows of ZITEM"), "\(result.talk)")
  }

  @Test("rows of an abstract entity are such", arguments: [false, true])
  func abstractRows(isOneStep: Bool) async throws {
    func entities(_ content: String) -> String {
      "<entity name=\"Base\" isAbstract=\"YES\">\(content)</entity><entity name=\"Item\" parentEntity=\"Base\"/>"
    }
    var versions = [("Shop", entities(Self.a + Self.b))]
    if isOneStep {
      versions.append(("Shop 2", entities(Self.a)))
    } else {
      versions.append(("Shop 2", entities(VersionedShop.attribute("c", "optional=\"YES\" elementID=\"b\""))))
      versions.append(("Shop 3", entities(VersionedShop.attribute("d", "optional=\"YES\" elementID=\"c\""))))
    }
    let workspace = try await VersionedShop.workspace(
      versions, rows: "INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZB) VALUES (1, 1, 1, 'x'), (2, 2, 1, 'y')")
    let lost = "lost: 1 row of ZBASE without an entity of that table"
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && plan.text.contains(lost), "\(plan.text)\(result.talk)")
    #expect(result.text.contains(lost) && result.talk.contains("will be \(lost)"), "\(result.text)\(result.talk)")
    #expect(result.talk.components(separatedBy: "row of ZBASE").count == 2, "\(result.talk)")
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_PK FROM ZBASE") == ["2"])
  }

  @Test("where the table stays, they stay")
  func keptRows() async throws {
    let workspace = try await VersionedShop.workspace(VersionedShop.oneStep, rows: Self.stray)
    let (plan, _) = try await VersionedShop.migrateBothWays(workspace)
    #expect(!plan.text.contains("lost"), "\(plan.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_PK, Z_ENT FROM ZITEM") == ["1|1", "2|77", "3|∅"])
  }

  @Test(
    "they do not become objects where entities get other numbers",
    arguments: [
      // In the order of names Item is 1, or 2 behind another.
      (VersionedShop.entity("Item", a, b) + VersionedShop.entity("Aaa"), 2),
      (VersionedShop.entity("Item", a, b) + "<entity name=\"Sub\" parentEntity=\"Item\"/>", 1),
      (VersionedShop.entity("Item", a, b, VersionedShop.attribute("n", "defaultValueString=\"d\"")), 1),
    ])
  func numbers(newer: String, number: Int) async throws {
    let versions = [("Shop", VersionedShop.entity("Item", Self.a, Self.b)), ("Shop 2", newer)]
    let workspace = try await VersionedShop.workspace(
      versions, rows: Self.stray + ", (4, 2, 1, 'w')")
    let (_, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    let kept = newer.contains("\"n\"") ? "2" : "∅"
    #expect(
      try workspace.query("Shop.sqlite", "SELECT Z_PK, Z_ENT, ZA FROM ZITEM ORDER BY Z_PK")
        == ["1|\(number)|x", "2|77|y", "3|∅|z", "4|\(kept)|w"])
  }

  @Test("keys that cannot be raised are refused")
  func highKeys() async throws {
    let versions = [
      ("Shop", VersionedShop.entity("Item", Self.a) + VersionedShop.entity("Tag", Self.a)),
      (
        "Shop 2",
        "<entity name=\"Base\">\(Self.a)</entity><entity name=\"Item\" parentEntity=\"Base\"></entity>"
          + "<entity name=\"Tag\" parentEntity=\"Base\"></entity>"
      ),
    ]
    let workspace = try await VersionedShop.workspace(
      versions,
      rows: "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (9223372036854775807, 1, 1, 'x'); "
        + "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (2, 2, 1, 'y')")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 65 && result.talk.contains("too high to be raised"), "\(result.text)\(result.talk)")
    #expect(plan.talk == result.talk)
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(verdict.exitCode == 65 && verdict.text.contains("too high to be raised"), "\(verdict.text)")
  }
}
