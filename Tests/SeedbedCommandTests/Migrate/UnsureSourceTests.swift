import Foundation
import SQLite
import Testing

/// Stores whose version hashes nothing here can compute, as Apple's frameworks wrote them, and that carry no model:
/// only the columns of their tables tell of what version they are.
@Suite("Versions of stores with unsure hashes and without a model")
struct UnsureSourceTests {
  private static func item(_ attributes: String...) -> String {
    VersionedShop.entity(
      "Item", VersionedShop.attribute("a"),
      VersionedShop.attribute("u", "optional=\"YES\" derived=\"YES\" derivationExpression=\"uppercase:(a)\""),
      attributes.joined())
  }
  private static let b = VersionedShop.attribute("b")
  private static let rows = "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZU) VALUES (1, 1, 1, 'x', 'X')"

  /// A store of the first version.
  /// - Parameter isForeign: whether its hash is one that no rule gives.
  private static func workspace(_ versions: [String], isForeign: Bool = true) async throws -> Workspace {
    let names = ["Shop", "Shop 2", "Shop 3"]
    let workspace = try await VersionedShop.workspace(
      Array(zip(names, versions)), rows: rows + "; DELETE FROM Z_MODELCACHE")
    guard isForeign else { return workspace }
    let connection = try Connection(path: workspace.path("Shop.sqlite"))
    let read = try Statement(connection, "SELECT Z_PLIST FROM Z_METADATA")
    #expect(try read.step())
    var list = read.blob(at: 0) ?? []
    read.finalize()
    // Data of 32 bytes: the hash of the only entity.
    let start = try #require(list.indices.first { list[$0...].starts(with: [0x4F, 0x10, 0x20]) })
    for index in 0..<32 { list[start + 3 + index] = UInt8(index + 7) }
    let write = try Statement(connection, "UPDATE Z_METADATA SET Z_PLIST = ?1")
    try write.bind(1, blob: list)
    try write.run()
    write.finalize()
    try connection.close()
    return workspace
  }

  private static let doubt = "carries no model, and its version hashes of Item cannot be computed for sure"

  @Test("an older store is migrated, and it is said by what its version was told", arguments: [2, 3])
  func migrated(count: Int) async throws {
    let versions = [
      Self.item(VersionedShop.attribute("v")), Self.item(VersionedShop.attribute("v"), Self.b),
      Self.item(VersionedShop.attribute("w", "optional=\"YES\" elementID=\"v\""), Self.b),
    ]
    let workspace = try await Self.workspace(Array(versions.prefix(count)))
    let verdict = try await workspace.run("check", "Shop.sqlite", "Shop.xcdatamodeld")
    #expect(verdict.exitCode == 65 && verdict.text.contains("made with version Shop,"), "\(verdict.text)")
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0, "\(result.talk)")
    for text in [plan.text, result.text] {
      #expect(text.contains("warning: Shop.sqlite \(Self.doubt)"), "\(text)")
      #expect(text.contains("it is taken for one of Shop\n"), "\(text)")
    }
    #expect(try workspace.query("Shop.sqlite", "SELECT ZA, ZU, ZB FROM ZITEM") == ["x|X|∅"])
    let again = try await VersionedShop.migrate(workspace)
    #expect(again.text.contains("nothing to do") && !again.text.contains("warning"), "\(again.text)")
  }

  @Test("the version is not that which has less columns", arguments: [false, true])
  func dropped(isForeign: Bool) async throws {
    let workspace = try await Self.workspace([Self.item(Self.b), Self.item()], isForeign: isForeign)
    let (plan, result) = try await VersionedShop.migrateBothWays(workspace)
    #expect(result.exitCode == 0 && plan.text.contains("lost: Item.b: removed"), "\(plan.text)\(result.talk)")
    #expect(plan.text.contains(Self.doubt) == isForeign, "\(plan.text)")
    #expect(try workspace.query("Shop.sqlite", "SELECT name FROM pragma_table_info('ZITEM') WHERE name = 'ZB'").isEmpty)
  }

  @Test("where columns do not tell versions apart, both are named, and the wanted one is meant")
  func alike() async throws {
    let other = Self.item(VersionedShop.attribute("b", "defaultValueString=\"none\""))
    let workspace = try await Self.workspace([Self.item(Self.b), other])
    let result = try await VersionedShop.migrate(workspace)
    #expect(result.exitCode == 0 && result.text.contains("nothing to do"), "\(result.text)\(result.talk)")
    #expect(
      result.text.contains("taken for one of Shop 2, as it could be for one of Shop\n"), "\(result.text)\(result.talk)")
  }

  @Test("a pipeline migrates it, or refuses it without migrate", arguments: [false, true])
  func pipeline(isForeign: Bool) async throws {
    let workspace = try await Self.workspace([Self.item(), Self.item(Self.b)], isForeign: isForeign)
    try workspace.write("new.csv", "a,b\ny,1\n")
    for migrates in [false, true] {
      try workspace.write(
        "new.yaml",
        """
        model: Shop.xcdatamodeld
        store: { path: New.sqlite, seed: Shop.sqlite\(migrates ? ", migrate: true" : "") }
        import: [{ from: new.csv, entity: Item, match: a, map: { a: a, b: b } }]
        """)
      let lint = try await workspace.run("lint", "new.yaml")
      #expect(lint.exitCode == (migrates ? 0 : 78), "\(lint.text)\(lint.talk)")
      let run = try await workspace.run("run", "new.yaml")
      #expect(run.exitCode == (migrates ? 0 : 78), "\(run.text)\(run.talk)")
      guard migrates else { continue }
      let said = run.text + run.talk
      #expect(said.contains("Shop.sqlite was made with Shop of the model, and its copy was migrated"), "\(said)")
      #expect(said.contains("Shop.sqlite \(Self.doubt)") == isForeign, "\(said)")
      #expect(try workspace.query("New.sqlite", "SELECT ZA, ZU, ZB FROM ZITEM ORDER BY Z_PK") == ["x|X|∅", "y|Y|1"])
      let check = try await workspace.run("check", "New.sqlite", "--model", "Shop.xcdatamodeld")
      #expect(check.exitCode == 0, "\(check.text)")
    }
  }

  @Test("a pipeline says that a seed store is taken for the wanted version")
  func taken() async throws {
    let workspace = try await Self.workspace([Self.item(Self.b)])
    try workspace.write(
      "new.yaml", "model: Shop.xcdatamodeld\nstore: { path: New.sqlite, seed: Shop.sqlite, migrate: true }\n")
    let run = try await workspace.run("run", "new.yaml")
    #expect(run.exitCode == 0 && (run.text + run.talk).contains("Shop.sqlite \(Self.doubt)"), "\(run.text)\(run.talk)")
    #expect(!(run.text + run.talk).contains("migrated"))
  }
}
